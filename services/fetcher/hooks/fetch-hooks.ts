/**
 * The hooks with which plugins extend a fetcher, all optional. They run in the fetcher and never in the frontier, so
 * the frontier's decisions stay replayable. Their decisions are part of the fetcher's records.
 */
import type { Page } from '../../../schemas/types.ts';

/** A URL that was found on a page, or is about to be fetched. */
export interface FoundUrl {
  /** Absolute and normal. */
  readonly url: string;
  /** Links from a seed. */
  readonly depth: number;
  /** The page that links to it. Empty: it is about to be fetched. */
  readonly sourceUrl: string;
}

/** A URL that is about to be requested. */
export interface HookRequest {
  readonly url: string;
  readonly depth: number;
  readonly hostKey: string;
}

/** A host's response. */
export interface HookResponse {
  readonly url: string;
  readonly status: number;
  /** Names in lower case; of a name that comes several times, the values apart by a comma and a space. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded of its content coding. */
  readonly body: Uint8Array;
}

/** A body of a media type that a plugin reads. */
export interface HookDocument {
  readonly url: string;
  /** In lower case, without parameters. */
  readonly mediaType: string;
  readonly body: Uint8Array;
}

/** A custom parser's result for a document. */
export interface HookParsed {
  readonly title?: string;
  readonly text?: string;
  readonly description?: string;
  /** Absolute, or relative to the document's URL. */
  readonly links?: readonly string[];
  /** Values for `fields` of the page record, by name. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
}

/** A hook's changes to a request. */
export interface RequestChange {
  /** Replace ours of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The reason to skip the URL. */
  readonly skip?: string;
}

/** Replacements for parts of the response; absent parts stay. */
export interface ResponseChange {
  readonly status?: number;
  /** Headers that replace those of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** A page that requires payment, within the payment limits of the policy (`pay`). */
export interface HookOffer {
  readonly url: string;
  readonly hostKey: string;
  readonly scheme: 'crawler-price' | 'x402';
  /** The price in the budget: currency and amount, for example USD 0.01. */
  readonly price: string;
  /** The site's terms: for `crawler-price` the price, for `x402` its entry of `accepts`, JSON. */
  readonly terms: string;
  /** URL of the licence that the site names. Empty: none. */
  readonly licence: string;
}

/** Consent to pay. */
export interface HookPayment {
  /** Headers of the single paid request, in addition to our `crawler-exact-price`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A hook that returns nothing changes nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return is the most natural way to say nothing.
type OrNothing<T> = T | undefined | null | void;
type Soon<T> = T | Promise<T>;

/** The hooks, in the order of their calls for a URL. If one throws, its URL gets an outcome with the plugin’s name. */
export interface FetchHooks {
  /** false: the URL is not wanted. Asked of each link that is found, and of each URL before it is fetched. */
  urlFilter?(found: FoundUrl): boolean;
  /** Changes a link before the policy normalises it. `null`: drop the link. */
  normalize?(url: string): string | null;
  /**
   * Chooses the front queue of a link, 0 first to 7 last, instead of the policy's scores. Nothing: the policy decides.
   */
  priority?(found: FoundUrl): number | null | undefined;
  /** Called before a URL is requested. Returns headers to add, or the reason to skip the URL. */
  request?(request: HookRequest): Soon<OrNothing<RequestChange>>;
  /**
   * Called for a page that requires payment. Its price already counts as spent. The returned headers are sent with one
   * more request. If it returns nothing, nothing is paid, and the price is released.
   */
  pay?(offer: HookOffer): Soon<OrNothing<HookPayment>>;
  /** Its result replaces the received response before that is parsed. */
  response?(response: HookResponse): Soon<OrNothing<ResponseChange>>;
  /** Parsers by media type, as `application/epub+zip`; they come before ours. */
  parse?: Readonly<Record<string, (document: HookDocument) => Soon<HookParsed>>>;
  /** Changes the page before it is published. `null`: do not publish it. */
  page?(page: Page, response: HookResponse): Soon<OrNothing<Page>>;
}

export interface NamedHooks extends FetchHooks {
  /** In outcomes, metrics and the crawl's control log. */
  readonly name: string;
}
