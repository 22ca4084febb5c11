/**
 * The part of an extra in a process with a frontier: options of `crawl`, endpoints of its HTTP side, and work beside
 * the crawl. Plugins offer endpoints in the same form. A dashboard also lists the pages that an extra knows: in such a
 * process, and in one that only reads the crawl.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Command } from 'commander';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { CrawlTopics } from '../../runtime/crawl/requests.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Access } from '../../runtime/http/access.ts';
import type { ListenAddress } from '../../runtime/http/listen-address.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { Display } from './display.ts';

export interface CrawlPart {
  /** Adds options to `crawl`. */
  readonly addOptions?: (command: Command) => Command;
  /**
   * Returns the address at which `crawl` listens, by its options. Undefined: that of `--http`, if any. Throws
   * INVALID_ARGUMENT for options that contradict each other.
   */
  readonly listens?: (options: object) => ListenAddress | undefined;
  /** Returns a line that `crawl` prints once it listens. Undefined: none. */
  readonly greets?: (options: object, address: string, isSecure: boolean) => string | undefined;
  /** Shows the crawl of a process to people. */
  readonly display?: (clock: Clock) => Display;
  /** Endpoints of `crawl` and `frontier`. */
  readonly routes?: readonly CrawlRoute<ServedCrawl>[];
  /**
   * Called once a crawl of `crawl` is up. Returns work that lasts until its signal aborts, and that ends the crawl if it
   * fails; undefined: none.
   */
  readonly start?: (crawl: FetchingCrawl) => Promise<Work | undefined>;
  /** Returns the search of the pages that are indexed in a data folder. Null: none are, so far. */
  readonly search?: (part: NamedCrawl['part']) => PageSearch | null;
  /** Returns the reader of the links that are kept in a data folder. Null: none are, so far. */
  readonly hostLinks?: (crawl: ReadCrawl, part: NamedCrawl['part']) => HostLinks | null;
  /** Returns the largest clusters of duplicate pages, at most `limit`. `signal`: aborted when the caller leaves. */
  readonly duplicates?: (crawl: ReadCrawl, limit: number, signal?: AbortSignal) => Promise<DuplicateClusters>;
}

/**
 * Returns pages with these words, best first. Throws INVALID_ARGUMENT if there is no word to search for, BUSY if it takes
 * too long. `signal`: aborted when the caller leaves.
 */
export type PageSearch = (words: string, limit: number, signal?: AbortSignal) => Promise<readonly FoundPage[]>;

export interface FoundPage {
  readonly url: string;
  readonly fetchedAtMs: number;
  readonly title: string;
  /** The text around the words, with the words in brackets. Empty: it may not be shown. */
  readonly snippet: string;
}

/** Returns the links from pages of these hosts. `signal`: aborted when the caller leaves. */
export type HostLinks = (hosts: readonly string[], signal?: AbortSignal) => Promise<readonly LinksOfHost[]>;

export interface LinksOfHost {
  readonly host: string;
  /** Other hosts, with the number of links to each. */
  readonly targets: readonly { readonly host: string; readonly links: number }[];
  /** False: it has more pages, or leads to more hosts. */
  readonly isWhole: boolean;
}

export interface DuplicateClusters {
  /** Number of all clusters. */
  readonly clusters: number;
  readonly listed: readonly {
    /** URL of the page that represents the others. */
    readonly representative: string;
    /** Its duplicates by kind. */
    readonly counts: Readonly<Record<string, number>>;
    /** The first of them. */
    readonly pages: readonly { readonly url: string; readonly kind: string }[];
  }[];
}

/** A crawl to read. */
export interface ReadCrawl {
  readonly log: Pick<Log, 'committed' | 'offsetAt' | 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly topics: Manifest;
}

export type Work = (signal: AbortSignal) => Promise<void>;

/** An endpoint. */
export interface CrawlRoute<Crawl = NamedCrawl> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its parameters, as in `/websub/:id`. */
  readonly path: string;
  /** Rights that a call needs. Absent: those of a read for GET, those of control for all else. */
  readonly access?: Access;
  /** `bytes`: the body is a Buffer, whatever its media type. Absent: an object from JSON, or text. */
  readonly takes?: 'bytes';
  /** Answers a call. Calls that come while the crawl is not up are refused before. */
  handle(call: RouteCall, crawl: Crawl): RouteAnswer | Promise<RouteAnswer>;
}

/** A call of an endpoint. */
export interface RouteCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** The answer of an endpoint. */
export interface RouteAnswer {
  /** Absent: 200. */
  readonly status?: number;
  /** Media type. Absent: JSON for an object, plain text for a text. */
  readonly type?: string;
  readonly body: object | string;
}

/** The crawl behind an endpoint. */
export interface NamedCrawl {
  readonly crawl: string;
  /** Path of a file or folder in the data folder of this process. */
  part(name: string): string;
}

export interface ServedCrawl extends NamedCrawl {
  readonly log: Pick<Log, 'append'>;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly topics: CrawlTopics;
}

export interface FetchingCrawl extends ServedCrawl {
  readonly fetcher: FetcherConfig;
  /** Values of the command's options, by name. */
  readonly options: Readonly<Record<string, unknown>>;
}
