/**
 * A crawl's share of the requests in flight: the time for which it has held places among them, divided by its weight.
 * The crawl with the least goes first (start-time fair queueing: Goyal, Vin, Cheng, 1996). A crawl that had no requests
 * for a while gets next to no credit for that time: it starts again at the service of the least served crawl.
 */
import { fleetLimits } from './fleet-limits.ts';

/** A request of a crawl, waiting or with a permit. */
interface Asked {
  /** Its lease has made a request before. */
  readonly isBegun?: boolean;
  readonly startedAtMs: number;
}

export class Share<Ask extends Asked> {
  weight: number;
  /** Requests that could start now, in the order in which their hosts became ready. */
  readonly ready = new Set<Ask>();
  /** The ready requests of leases that have made a request before. */
  readonly #begun = new Set<Ask>();
  inFlight = 0;
  /** Waiting time of the request that started last, from ready to start, ms. */
  waitedMs = 0;
  #doneMs = 0;
  #startsMs = 0;
  #hasBegun = false;
  /** Number of requests, finished or in progress. */
  #requests = 0;
  /** The number of these with a lease that had made a request before. */
  #begunRequests = 0;

  constructor(weight: number) {
    this.weight = weight;
  }

  /** True while the crawl takes part in the sharing. */
  get isActive(): boolean {
    return this.ready.size > 0 || this.inFlight > 0;
  }

  /** Requests until it has shown whether it works. 0: it has. */
  get untilShown(): number {
    return Math.max(0, fleetLimits.requestsFirst - this.#requests);
  }

  /**
   * Precedence of `next` over requests of other crawls; 0: the turn goes by weight. The first page of a crawl has the
   * highest, since it already waits for a delay after robots.txt. Its very first request is next: a crawl that starts
   * after many others would otherwise wait for the first requests of all. Its further first requests alternate with
   * those of others, and one is reserved for that page.
   */
  get precedence(): number {
    const { requestsFirst } = fleetLimits;
    if (this.#begun.size > 0) return this.#begunRequests === 0 ? requestsFirst + 2 : this.untilShown;
    if (this.#requests === 0) return requestsFirst + 1;
    return Math.max(0, this.untilShown - (this.#begunRequests === 0 ? 1 : 0));
  }

  /**
   * The request to serve next. Started leases come first, so that pages do not wait for the robots.txt of all other
   * hosts.
   */
  get next(): Ask | undefined {
    for (const ask of this.#begun) return ask;
    for (const ask of this.ready) return ask;
    return undefined;
  }

  add(ask: Ask): void {
    this.ready.add(ask);
    if (ask.isBegun) this.#begun.add(ask);
  }

  remove(ask: Ask): void {
    this.ready.delete(ask);
    this.#begun.delete(ask);
  }

  /** Served so far, ms for each unit of weight. */
  servedMs(nowMs: number): number {
    return (this.#doneMs + this.inFlight * nowMs - this.#startsMs) / this.weight;
  }

  /**
   * Makes a crawl active again after a time without requests. The first start may be below zero, if the others have had
   * little service.
   */
  beginAt(servedMs: number): void {
    const doneMs = servedMs * this.weight;
    this.#doneMs = this.#hasBegun ? Math.max(this.#doneMs, doneMs) : doneMs;
    this.#hasBegun = true;
  }

  begin({ isBegun, startedAtMs }: Ask): void {
    this.inFlight += 1;
    this.#requests += 1;
    if (isBegun) this.#begunRequests += 1;
    this.#startsMs += startedAtMs;
    this.#doneMs += fleetLimits.requestCostMs;
  }

  /** `isMade` false: there was no request after all. */
  end({ isBegun, startedAtMs }: Ask, nowMs: number, isMade: boolean): void {
    this.inFlight -= 1;
    if (!isMade) this.#requests -= 1;
    if (!isMade && isBegun) this.#begunRequests -= 1;
    this.#startsMs -= startedAtMs;
    this.#doneMs += nowMs - startedAtMs;
  }
}
