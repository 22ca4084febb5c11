/**
 * What code from outside may do to what a fetcher does: five hooks, all optional. They run in the fetcher and never in
 * the frontier, whose decisions stay replayable; what they decide is in what the fetcher publishes.
 */
import type { Page } from '../../../schemas/types.ts';

/** A URL that was found on a page, or is about to be fetched. */
export interface FoundUrl {
  /** Absolute and normal. */
  readonly url: string;
  /** Links from a seed. */
  readonly depth: number;
  /** The page it was found on. Empty: it is about to be fetched. */
  readonly sourceUrl: string;
}

export interface HookRequest {
  readonly url: string;
  readonly depth: number;
  readonly hostKey: string;
}

export interface HookResponse {
  readonly url: string;
  readonly status: number;
  /** Names in lower case; of a name that comes several times, the values apart by a comma and a space. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded of its content coding. */
  readonly body: Uint8Array;
}

export interface HookDocument {
  readonly url: string;
  /** In lower case, without parameters. */
  readonly mediaType: string;
  readonly body: Uint8Array;
}

/** What a parser of one's own makes of a document. */
export interface HookParsed {
  readonly title?: string;
  readonly text?: string;
  readonly description?: string;
  /** Absolute, or relative to the document's URL. */
  readonly links?: readonly string[];
  /** By name: what `fields` of the page record are to have. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
}

type Maybe<T> = T | undefined | null | void;
type Soon<T> = T | Promise<T>;

export interface FetchHooks {
  /** false: the URL is not wanted. Asked of each link that is found, and of each URL before it is fetched. */
  urlFilter?(found: FoundUrl): boolean;
  /** A link as it is to be read, before it is normalised by the policy. `null`: it is not wanted. */
  normalize?(url: string): string | null;
  /** Further headers, which replace ours of the same name; or why the URL is not to be fetched. */
  request?(
    request: HookRequest,
  ): Soon<Maybe<{ readonly headers?: Readonly<Record<string, string>>; readonly skip?: string }>>;
  /** Takes the place of what was received, before it is read; nothing: it stays. */
  response?(
    response: HookResponse,
  ): Soon<
    Maybe<{ readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: Uint8Array }>
  >;
  /** Parsers by media type, as `application/epub+zip`; they come before ours. */
  parse?: Readonly<Record<string, (document: HookDocument) => Soon<HookParsed>>>;
  /** The page as it is to be published. `null`: not at all; nothing: as it is. */
  page?(page: Page, response: HookResponse): Soon<Maybe<Page>>;
}

export interface NamedHooks extends FetchHooks {
  /** In outcomes, metrics and the crawl's control log. */
  readonly name: string;
}
