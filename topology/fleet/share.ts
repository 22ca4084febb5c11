/**
 * A crawl's share of the requests that may be in flight: the time for which it has held places among them, divided by
 * its weight. Whoever has had least goes first (start-time fair queueing: Goyal, Vin, Cheng, 1996). A crawl that had
 * nothing to ask for meanwhile gets next to nothing for that time: it begins where the least served of the others is.
 */
import { fleetLimits } from './fleet-limits.ts';

/** A request of a crawl: one that waits, or has its permit. */
interface Asked {
  /** Its lease has made a request before. */
  readonly isBegun?: boolean;
  readonly startedAtMs: number;
}

export class Share<Ask extends Asked> {
  weight: number;
  /** Requests that could start now, in the order in which their hosts became ready. */
  readonly ready = new Set<Ask>();
  /** Those of them that go on with a lease. */
  readonly #begun = new Set<Ask>();
  inFlight = 0;
  /** How long the request that started last had been ready, ms. */
  waitedMs = 0;
  #doneMs = 0;
  #startsMs = 0;
  #hasBegun = false;
  /** Requests made and under way. */
  #requests = 0;
  /** Those of them that went on with a lease. */
  #begunRequests = 0;

  constructor(weight: number) {
    this.weight = weight;
  }

  /** Does it take part in the sharing now? */
  get isActive(): boolean {
    return this.ready.size > 0 || this.inFlight > 0;
  }

  /** Requests until it has shown whether it works. 0: it has. */
  get untilShown(): number {
    return Math.max(0, fleetLimits.requestsFirst - this.#requests);
  }

  /**
   * How far `next` goes before requests of others; 0: its turn comes by weight. First of all its first page, which comes a host's
   * delay after that host's robots.txt, then its very first request, or one that begins after many at once would wait for all their
   * first. The rest of its first goes on in turn with that of others, but one is kept for that page.
   */
  get precedence(): number {
    const { requestsFirst } = fleetLimits;
    if (this.#begun.size > 0) return this.#begunRequests === 0 ? requestsFirst + 2 : this.untilShown;
    if (this.#requests === 0) return requestsFirst + 1;
    return Math.max(0, this.untilShown - (this.#begunRequests === 0 ? 1 : 0));
  }

  /** Whose turn it is: what was begun comes first, so that pages do not wait for the robots.txt of all other hosts. */
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

  /** It had nothing to ask for, and now it has. The first time that may be below nothing, where the others have had little. */
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
