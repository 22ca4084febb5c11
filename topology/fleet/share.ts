/**
 * Shares of the requests in flight: the time for which an owner or a crawl has held places among them, divided by its
 * weight. The one with the least goes first (start-time fair queueing: Goyal, Vin, Cheng, 1996). One that had no
 * requests for a while gets next to no credit for that time: it starts again at the service of the least served one.
 */
import { fleetLimits } from './fleet-limits.ts';

/** The time for which places were held. */
class Service {
  inFlight = 0;
  #doneMs = 0;
  #startsMs = 0;
  #hasBegun = false;

  /** Served so far, ms. */
  servedMs(nowMs: number): number {
    return this.#doneMs + this.inFlight * nowMs - this.#startsMs;
  }

  /** Continues from `servedMs` at least. The first start may be below zero, if the others have had little service. */
  beginAt(servedMs: number, nowMs: number): void {
    const gainMs = servedMs - this.servedMs(nowMs);
    if (!this.#hasBegun || gainMs > 0) this.#doneMs += gainMs;
    this.#hasBegun = true;
  }

  begin(startedAtMs: number): void {
    this.inFlight += 1;
    this.#startsMs += startedAtMs;
    this.#doneMs += fleetLimits.requestCostMs;
  }

  end(startedAtMs: number, nowMs: number): void {
    this.inFlight -= 1;
    this.#startsMs -= startedAtMs;
    this.#doneMs += nowMs - startedAtMs;
  }
}

/** A request of a crawl, waiting or with a permit. */
interface Asked {
  /** Its lease has made a request before. */
  readonly isBegun?: boolean;
  readonly startedAtMs: number;
}

/** The share of a crawl in what its owner gets. */
export class Share<Ask extends Asked> {
  readonly crawl: string;
  weight: number;
  /** Requests that could start now, in the order in which their hosts became ready. */
  readonly ready = new Set<Ask>();
  /** The ready requests of leases that have made a request before. */
  readonly #begun = new Set<Ask>();
  readonly #service = new Service();
  /** Waiting time of the request that started last, from ready to start, ms. */
  waitedMs = 0;
  /** Number of requests, finished or in progress. */
  #requests = 0;
  /** The number of these with a lease that had made a request before. */
  #begunRequests = 0;

  constructor(crawl: string, weight: number) {
    this.crawl = crawl;
    this.weight = weight;
  }

  /** Requests until it has shown whether it works. 0: it has. */
  get untilShown(): number {
    return Math.max(0, fleetLimits.requestsFirst - this.#requests);
  }

  /**
   * Precedence of `next` over requests of the owner's other crawls; 0: the turn goes by weight. The first page of a crawl has the
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
    return this.#service.servedMs(nowMs) / this.weight;
  }

  /** Takes part again after a time without requests that could start. */
  beginAt(servedMs: number, nowMs: number): void {
    this.#service.beginAt(servedMs * this.weight, nowMs);
  }

  begin({ isBegun, startedAtMs }: Ask): void {
    this.#requests += 1;
    if (isBegun) this.#begunRequests += 1;
    this.#service.begin(startedAtMs);
  }

  /** `isMade` false: there was no request after all. */
  end({ isBegun, startedAtMs }: Ask, nowMs: number, isMade: boolean): void {
    if (!isMade) this.#requests -= 1;
    if (!isMade && isBegun) this.#begunRequests -= 1;
    this.#service.end(startedAtMs, nowMs);
  }
}

/** The share of an owner: equal to that of every other owner, whatever the number and weights of its crawls. */
export class OwnerShare<Ask extends Asked> {
  readonly #service = new Service();
  /** By index, since each decision goes over all of them: the entries of a map would be garbage. */
  #crawls: Share<Ask>[] = [];
  /** Service of its least served crawl with a request that could start, ms for each unit of weight. It never decreases. */
  #leastMs = 0;

  join(crawl: string, weight: number): Share<Ask> {
    this.leave(crawl);
    const share = new Share<Ask>(crawl, weight);
    this.#crawls.push(share);
    return share;
  }

  leave(crawl: string): void {
    this.#crawls = this.#crawls.filter((share) => share.crawl !== crawl);
  }

  /** True if nothing need be remembered of it: it has no crawls, and no more service than the least served owner. */
  canBeForgotten(nowMs: number, leastMs: number): boolean {
    return this.#crawls.length === 0 && this.servedMs(nowMs) <= leastMs;
  }

  /** True while a request of its crawls could start. */
  get isReady(): boolean {
    return this.#crawls.some(({ ready }) => ready.size > 0);
  }

  servedMs(nowMs: number): number {
    return this.#service.servedMs(nowMs);
  }

  /**
   * A request of its crawl can start. `requestMs`: duration of a request; `leastMs`: service of the least served owner.
   * Places that are held while no further request can start give next to no credit, either.
   */
  add(
    share: Share<Ask>,
    ask: Ask,
    now: { readonly nowMs: number; readonly requestMs: number; readonly leastMs: number },
  ): void {
    const { nowMs, requestMs, leastMs } = now;
    const owedMs = (share.untilShown || fleetLimits.requestsOwed) * requestMs;
    if (!this.isReady) this.beginAt(leastMs - owedMs, nowMs);
    if (share.ready.size === 0) share.beginAt(this.#leastMs - owedMs / share.weight, nowMs);
    share.add(ask);
  }

  beginAt(servedMs: number, nowMs: number): void {
    this.#service.beginAt(servedMs, nowMs);
  }

  /** The crawl no longer has to wait. */
  unbar(share: Share<Ask>, nowMs: number): void {
    share.beginAt(this.#leastMs, nowMs);
  }

  /** The least served of its crawls with a request that can start; undefined: there is none. */
  next(nowMs: number, barred: ReadonlySet<string>): Share<Ask> | undefined {
    let least: Share<Ask> | undefined;
    let [first, leastMs, leastReadyMs] = [0, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let at = 0; at < this.#crawls.length; at++) {
      const share = this.#crawls[at]!;
      if (share.ready.size === 0 || (barred.size > 0 && barred.has(share.crawl))) continue;
      const servedMs = share.servedMs(nowMs);
      leastReadyMs = Math.min(leastReadyMs, servedMs);
      const { precedence } = share;
      if (precedence < first) continue;
      if (precedence > first || servedMs < leastMs) [least, first, leastMs] = [share, precedence, servedMs];
    }
    if (leastReadyMs < Number.POSITIVE_INFINITY) this.#leastMs = Math.max(this.#leastMs, leastReadyMs);
    return least;
  }

  begin(share: Share<Ask>, ask: Ask): void {
    share.begin(ask);
    this.#service.begin(ask.startedAtMs);
  }

  end(share: Share<Ask>, ask: Ask, nowMs: number, isMade: boolean): void {
    share.end(ask, nowMs, isMade);
    this.#service.end(ask.startedAtMs, nowMs);
  }
}
