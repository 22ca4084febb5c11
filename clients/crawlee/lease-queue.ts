/**
 * Crawlee's request queue on leases of Crawlstream's frontier.
 *
 *   import * as crawlee from 'crawlee';
 *   import { LeaseQueue } from 'crawlstream/crawlee';
 *
 *   const queue = new LeaseQueue(crawlee, { url: 'http://127.0.0.1:9464' });
 *   const crawler = new crawlee.CheerioCrawler(queue.crawlerOptions({ requestHandler }));
 *   await crawler.run(['https://example.org/']);
 *
 * Added requests are durable in the crawl, with all their fields in Crawlee; leased ones may be requested at once. A
 * request counts as done when its handler has ended and the requests that the handler added are durable.
 */
import { type AddedUrl, LeaseClient } from '../typescript/lease-client.ts';
import { BoundedSet } from './bounded-set.ts';
import type { Added, AddedBatch, AddOptions, Crawlee, CrawleeRequest, HttpClient, Source } from './crawlee-types.ts';
import { doneWith, type Held, triedAgain } from './held-request.ts';
import { LeaseBroker, type Result } from './lease-broker.ts';
import { leasedHttpClient } from './leased-http-client.ts';
import { keptOf, requestIdOf, restored } from './request-text.ts';

/** Remembered keys of requests, so that recently added ones are not sent again: 16 bytes each. */
const knownMax = 100_000;
/**
 * Requests that the frontier repeats, in the state in which Crawlee left them. Further ones return as they were added.
 */
const repeatedMax = 1_000;
/** The limit of the crawl. */
const urlCharsMax = 8_192;
/** Wait when Crawlee asks for a request: it asks again twice a second. */
const wantMs = 1_000;

export interface LeaseQueueOptions {
  /** Address of the crawl, for example http://127.0.0.1:9464. */
  readonly url: string;
  /** Absent: the environment's CRAWLSTREAM_HTTP_TOKEN, if any. */
  readonly token?: string | undefined;
  /** Time without a report or renewal after which a crawler counts as dead, and its URLs are leased to others. 60 */
  readonly leaseSeconds?: number;
  /**
   * If the crawl does not know whether it has work left, such as a fetcher on Kafka: time without a URL after which a
   * crawler ends. 60
   */
  readonly idleSeconds?: number;
  /** Send Crawlee's User-Agent instead of the one for which robots.txt was evaluated. False */
  readonly ownUserAgent?: boolean;
}

export class LeaseQueue {
  readonly #crawlee: Crawlee;
  readonly #broker: LeaseBroker;
  readonly #ownUserAgent: boolean;
  readonly #held = new Map<CrawleeRequest, Held>();
  /** A host has one lease at a time, and so has a URL. */
  readonly #byUrl = new Map<string, Held>();
  readonly #repeated = new Map<string, CrawleeRequest>();
  readonly #known = new BoundedSet(knownMax);
  #added = 0;
  #handled = 0;
  #adding = 0;
  /** Set by crawlers. */
  internalTimeoutMillis = 0;
  requestLockSecs = 0;

  constructor(crawlee: Crawlee, options: LeaseQueueOptions) {
    const { url, leaseSeconds = 60, idleSeconds = 60, ownUserAgent = false } = options;
    if (!/^https?:\/\//.test(url))
      throw new TypeError(`${url} is not an address: give one such as http://127.0.0.1:9464`);
    const token = options.token ?? process.env['CRAWLSTREAM_HTTP_TOKEN'];
    const leaseMs = leaseSeconds * 1_000;
    const client = new LeaseClient(url, { leaseMs, ...(token !== undefined && { token }) });
    this.#crawlee = crawlee;
    this.#ownUserAgent = ownUserAgent;
    this.#broker = new LeaseBroker(client, leaseMs, idleSeconds * 1_000, (text) =>
      crawlee.log.warning(`crawlstream: ${text}`),
    );
  }

  /** Options of a crawler on this queue: yours, the queue, and an HTTP client that knows leases. */
  crawlerOptions<T extends object>(options: T): T & { requestQueue: never; httpClient: never } {
    const given = (options as { httpClient?: HttpClient }).httpClient;
    const inner = given ?? (new this.#crawlee.GotScrapingHttpClient() as HttpClient);
    const heldAt = (url: string) => this.#byUrl.get(url);
    const httpClient = leasedHttpClient(this.#crawlee, inner, { heldAt, ownUserAgent: this.#ownUserAgent });
    return { ...options, requestQueue: this as never, httpClient: httpClient as never };
  }

  /**
   * Notes the response of a browser, or of a handler that makes its request itself. Without it, the response counts as
   * 200.
   */
  note(
    request: CrawleeRequest,
    answer: { readonly status: number; readonly headers?: Readonly<Record<string, string>> },
  ): void {
    const held = this.#held.get(request);
    if (held === undefined) return;
    held.seen = answer;
    held.endedMs = performance.now();
  }

  /** Returns URLs without a request, for others. Call it when a crawler was stopped before the end of its crawl. */
  close(): Promise<void> {
    return this.#broker.close();
  }

  // --- methods that Crawlee calls

  async isEmpty(): Promise<boolean> {
    await this.#broker.want(wantMs);
    return !this.#broker.hasReady;
  }

  async isFinished(): Promise<boolean> {
    return this.#adding === 0 && this.#held.size === 0 && !this.#broker.hasReady && this.#broker.isDone;
  }

  async handledCount(): Promise<number> {
    return this.#handled;
  }

  /** Number of requests of this process. */
  getTotalCount(): number {
    return Math.max(this.#added, this.#handled);
  }

  getPendingCount(): number {
    return this.getTotalCount() - this.#handled;
  }

  async fetchNextRequest(): Promise<CrawleeRequest | null> {
    const leased = this.#broker.take();
    if (leased === null) return null;
    const { request: kept, at } = restored(this.#crawlee, leased);
    const request = this.#repeated.get(leased.url) ?? kept;
    this.#repeated.delete(leased.url);
    const held: Held = { leased, request, at, retryCount: request.retryCount };
    this.#held.set(request, held);
    this.#byUrl.set(request.url, held);
    return request;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<CrawleeRequest> {
    while (!(await this.isFinished())) {
      if (await this.isEmpty()) continue;
      const request = await this.fetchNextRequest();
      if (request !== null) yield request;
    }
  }

  async markRequestHandled(request: CrawleeRequest): Promise<Added | null> {
    const held = this.#held.get(request);
    if (held === undefined) return null;
    await this.#report(held, doneWith(held));
    request.handledAt ??= new Date().toISOString();
    this.#handled += 1;
    return { ...this.#addedOf(request, true), wasAlreadyHandled: true };
  }

  async reclaimRequest(request: CrawleeRequest, { forefront = false }: AddOptions = {}): Promise<Added | null> {
    const held = this.#held.get(request);
    if (held === undefined) return null;
    const { redirect, seen, leased, at } = held;
    const { depth, hop } = leased;
    if (redirect !== undefined) {
      request.retryCount = held.retryCount;
      request.errorMessages.pop();
      if (seen!.status! < 307 && request.method !== 'HEAD') {
        request.method = 'GET';
        delete request.payload;
      }
      const kept = keptOf(this.#crawlee, request, redirect);
      // A URL that redirects to itself sets cookies.
      const next = { ...kept, front: true, depth, hop: Math.min(100, hop + 1), force: redirect === at };
      await this.#report(held, { ...seen, urls: [next] });
      return this.#addedOf(request, true);
    }
    const again = triedAgain(held);
    if (again === undefined) {
      const next = { ...keptOf(this.#crawlee, request, at), front: forefront, depth, hop, force: true };
      await this.#report(held, { ...(seen ?? { status: 200 }), final: true, urls: [next] });
    } else {
      if (this.#repeated.size < repeatedMax) this.#repeated.set(leased.url, request);
      await this.#report(held, again);
    }
    return this.#addedOf(request, true);
  }

  async addRequest(source: Source, options: AddOptions = {}): Promise<Added & { forefront: boolean }> {
    const request = this.#requestOf(source);
    const isKnown = this.#known.has(requestIdOf(request.uniqueKey));
    if (!isKnown) await this.#send([request], options);
    return { ...this.#addedOf(request, isKnown), forefront: options.forefront ?? false };
  }

  /** As in Crawlee: resolves when the first batch is durable, and sends the others meanwhile. */
  async addRequestsBatched(
    requests: AsyncIterable<Source> | Iterable<Source>,
    options: AddOptions = {},
  ): Promise<AddedBatch> {
    const { batchSize = 1_000, maxNewRequests = Number.POSITIVE_INFINITY } = options;
    const sources = (async function* () {
      yield* requests;
    })();
    const requestsOverLimit: Source[] = [];
    let room = maxNewRequests;
    const batch = async (): Promise<Added[] | null> => {
      const added: Added[] = [];
      const fresh = new Map<string, CrawleeRequest>();
      for (let seen = 0; seen < batchSize; seen++) {
        const { value, done } = await sources.next();
        if (done === true) {
          if (seen === 0) return null;
          break;
        }
        const request = this.#requestOf(value);
        const { uniqueKey } = request;
        const isKnown = fresh.has(uniqueKey) || this.#known.has(requestIdOf(uniqueKey));
        if (!isKnown && room <= 0) {
          requestsOverLimit.push(value);
          continue;
        }
        if (!isKnown) {
          room -= 1;
          fresh.set(uniqueKey, request);
        }
        added.push(this.#addedOf(request, isKnown));
      }
      await this.#send([...fresh.values()], options);
      return added;
    };
    this.#adding += 1;
    const rest = async (first: Added[] | null): Promise<Added[]> => {
      const all: Added[] = [];
      for (let more = first; more !== null; more = await batch()) if (more !== first) all.push(...more);
      return all;
    };
    try {
      const addedRequests = await batch();
      const others = rest(addedRequests).finally(() => (this.#adding -= 1));
      // A failure is logged even if the caller does not wait.
      others.catch((error: Error) =>
        this.#crawlee.log.warning(`crawlstream: not all requests were added: ${error.message}`),
      );
      const isAll = options.waitForAllRequestsToBeAdded === true || maxNewRequests !== Number.POSITIVE_INFINITY;
      const more = isAll ? await others : [];
      return {
        addedRequests: [...(addedRequests ?? []), ...more],
        waitForAllRequestsToBeAdded: isAll ? Promise.resolve([]) : others,
        ...(requestsOverLimit.length > 0 && { requestsOverLimit }),
      };
    } catch (error) {
      this.#adding -= 1;
      throw error;
    }
  }

  // --- between them

  #requestOf(source: Source): CrawleeRequest {
    const { Request } = this.#crawlee;
    if (source instanceof Request) return source as CrawleeRequest;
    const options = typeof source === 'string' ? { url: source } : source;
    if (options.requestsFromUrl !== undefined)
      throw new TypeError('requestsFromUrl is not read here: give its URLs, or a RequestList beside this queue');
    return new Request({ ...options, userData: { ...options.userData } } as never) as CrawleeRequest;
  }

  async #send(requests: readonly CrawleeRequest[], { forefront = false }: AddOptions): Promise<void> {
    const urls: AddedUrl[] = [];
    for (const request of requests) {
      const kept = keptOf(this.#crawlee, request);
      if (kept.url.length <= urlCharsMax) urls.push({ ...kept, front: forefront, depth: request.crawlDepth });
      else
        this.#crawlee.log.warning(
          `crawlstream: a URL of ${kept.url.length} characters is left out: ${kept.url.slice(0, 80)}…`,
        );
    }
    if (urls.length > 0) await this.#broker.add(urls);
    for (const { uniqueKey } of requests) this.#known.add(requestIdOf(uniqueKey));
    this.#added += requests.length;
  }

  async #report(held: Held, answer: Omit<Result, 'lease'>): Promise<void> {
    const { startedMs, request, leased } = held;
    // A request unknown to us may have been in progress until now.
    const endedMs =
      startedMs === undefined && held.endedMs === undefined ? undefined : (held.endedMs ?? performance.now());
    this.#byUrl.delete(request.url);
    try {
      await this.#broker.report({ lease: leased.lease, startedMs, endedMs, ...answer });
    } finally {
      this.#held.delete(request);
    }
  }

  #addedOf(request: CrawleeRequest, wasAlreadyPresent: boolean): Added {
    const { uniqueKey } = request;
    return { requestId: requestIdOf(uniqueKey), uniqueKey, wasAlreadyPresent, wasAlreadyHandled: false };
  }
}
