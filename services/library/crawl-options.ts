/** The options of `crawl`, and their check. */
import type { OutcomeKind, Page } from '../../schemas/types.ts';
import { CrawlstreamError } from '../../topology/errors.ts';
import type { PolicyConfig } from '../../topology/policy/policy.ts';
import type { FetchFunction, FetchHooks } from '../application/fetching.ts';
import { checkOptions, type Field, isCount, isFunction, isObject, isStrings } from '../runtime/check-options.ts';
import { needContact } from './library-seed.ts';

/** The hooks of a plugin, as functions: see docs/library.md. */
export interface CrawlOptions extends FetchHooks {
  /** URLs to start from. Empty: they come by `add`, and `policy.scope` says how far the crawl may go. */
  readonly seeds: readonly string[];
  /**
   * Identifies the crawler to hosts: name/version (+contact). The contact, a web or mail address, is required beyond
   * localhost. The first word is the product token for robots.txt.
   */
  readonly userAgent: string;
  /**
   * Fields that replace those of the default policy. Absent: the crawl stays on the registrable domains of the seeds.
   */
  readonly policy?: Partial<PolicyConfig>;
  /** Hosts fetched from at once. Absent: 10. */
  readonly concurrency?: number;
  /** URLs that may be queued while `add` takes more. Absent: 100,000. */
  readonly queueMax?: number;
  /** Continue when nothing is left, until `end()`, so that URLs can still be added. Absent: false. */
  readonly keepOpen?: boolean;
  /** Reach loopback and private addresses too: all (true), or networks such as 10.1.0.0/16. Not with `fetch`. */
  readonly allowPrivate?: boolean | readonly string[];
  /** Names with fixed addresses: host[:port]:address, as in curl. */
  readonly resolve?: readonly string[];
  /** Certificates trusted beside the system's, PEM. */
  readonly ca?: string;
  /** Replaces HTTP; must not follow redirects. The address guard does not apply to it. */
  readonly fetch?: FetchFunction;
  /** Called for each page. An exception from it ends the crawl. */
  readonly onPage?: (page: CrawledPage) => void | Promise<void>;
  /** Called for each attempt without a page, with the reason. An exception from it ends the crawl. */
  readonly onFailed?: (failure: FailedUrl) => void | Promise<void>;
  /**
   * When aborted, requests in progress are cancelled, none is started, and the crawl resolves with its results so far.
   */
  readonly signal?: AbortSignal;
}

/** An attempt that gave no page. */
export interface FailedUrl {
  readonly url: string;
  readonly depth: number;
  readonly kind: OutcomeKind;
  /** 0: no answer. */
  readonly status: number;
  /** In plain words; may be empty. */
  readonly detail: string;
  /** The URL may be tried again, after the delays in `policy.retriesMs`. */
  readonly retriable: boolean;
}

/** The record of a page (docs/page-record.md), its links as normal URLs, and its body. */
export interface CrawledPage extends Omit<Page, 'links' | 'outlinks'> {
  readonly links: readonly string[];
  /** Decoded of its content coding. */
  readonly body: Uint8Array;
}

const aFunction = (takes: string): Field => ({ wants: `a function that takes ${takes}`, fits: isFunction });
const orTrue = (fits: Field['fits']) => (value: unknown) => typeof value === 'boolean' || fits(value);

const fields: Readonly<Record<keyof CrawlOptions, Field>> = {
  seeds: { wants: "a list of URLs, as in ['https://example.org/']", fits: isStrings, needed: true },
  userAgent: {
    wants: "the User-Agent to send, as in 'mybot/1.0 (+me@example.org)'",
    fits: (value) => typeof value === 'string' && /^[!-.0-~][ -~]*$/.test(value),
    needed: true,
  },
  policy: { wants: 'an object with policy fields, as in { maxDepth: 1 }', fits: isObject },
  concurrency: { wants: 'a whole number of hosts, at least 1', fits: isCount },
  queueMax: { wants: 'a whole number of URLs, at least 1', fits: isCount },
  keepOpen: { wants: 'true or false', fits: (value) => typeof value === 'boolean' },
  allowPrivate: { wants: "true, or a list of networks as in ['10.1.0.0/16']", fits: orTrue(isStrings) },
  resolve: { wants: "a list of host:port:address, as in ['example.org:443:127.0.0.1']", fits: isStrings },
  ca: { wants: 'certificates in PEM, as one text', fits: (value) => typeof value === 'string' },
  fetch: { wants: 'a function like the standard fetch', fits: isFunction },
  onPage: aFunction('a page'),
  onFailed: aFunction('a failure'),
  signal: { wants: 'the signal of an AbortController', fits: (value) => value instanceof AbortSignal },
  urlFilter: aFunction('a found URL, and returns whether to crawl it'),
  priority: aFunction('a found link, and returns its front queue'),
  normalize: aFunction('a URL, and returns its normal form'),
  request: aFunction('a request'),
  pay: aFunction('a payment offer, and returns whether to pay it'),
  response: aFunction('a response'),
  parse: {
    wants: "functions by media type, as in { 'application/epub+zip': (document) => ({ text: '' }) }",
    fits: (value) => isObject(value) && Object.values(value as object).every(isFunction),
  },
  page: aFunction('a page and its response'),
};

/** Throws INVALID_ARGUMENT. */
export function checkCrawlOptions(options: CrawlOptions): void {
  if (typeof options === 'object' && options !== null && 'clock' in options && options.clock !== undefined) {
    const why = "a crawl uses the machine's clock: remove this option, or use createFrontier, which accepts a clock";
    throw new CrawlstreamError('INVALID_ARGUMENT', `crawl: clock: ${why}`);
  }
  checkOptions('crawl', options, fields);
  needContact(options);
}
