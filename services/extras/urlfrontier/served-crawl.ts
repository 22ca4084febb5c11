/** The crawls behind the API, by id; each is a frontier with partitions that this process may own. */

import type { Call } from '../../../topology/frontier/decide/pull/calls.ts';
import type { FrontierPartition } from '../../../topology/frontier/partition.ts';
import type { StoreJob } from '../../../topology/frontier/storage/store-job.ts';
import type { StateStore } from '../../runtime/store/store.ts';

export const defaultCrawlId = 'DEFAULT';

/** A partition that this process owns. */
export interface ServedPartition {
  /** The partition with all decisions, durable or not; undefined while it is being opened. */
  readonly core: FrontierPartition | undefined;
  call(call: Call): void;
  look<Result>(job: (partition: FrontierPartition) => StoreJob<Result>): Promise<Result>;
  scan(range: Parameters<StateStore['scan']>[0]): ReturnType<StateStore['scan']>;
}

export interface ServedCrawl {
  readonly id: string;
  /** Prefix of its topics and groups. */
  readonly name: string;
  /** By number; undefined: another process owns it. */
  readonly partitions: readonly (ServedPartition | undefined)[];
}

export interface ServedCrawls {
  /** Ids of crawls with URLs put since their last deletion. */
  ids(): readonly string[];
  /** Crawls that are open in this process; others are opened on demand. */
  list(): readonly ServedCrawl[];
  /** undefined: no URL was put there. */
  find(id: string): Promise<ServedCrawl | undefined>;
  /** Opens the crawl, and creates it if it does not exist. */
  open(id: string): Promise<ServedCrawl>;
  /** Frees the id for all processes: later puts to it start over. The default crawl keeps its id. */
  free(id: string): Promise<void>;
  /** Ends this process's part of a crawl with a freed id. */
  close(id: string): Promise<void>;
}

/** An empty or blank id means the default. */
export function crawlIdOf(given: string): string {
  return given.trim() === '' ? defaultCrawlId : given;
}
