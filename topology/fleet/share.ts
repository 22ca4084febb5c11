/**
 * A crawl's share of the requests that may be in flight: the time for which it has held places among them, divided by
 * its weight. Whoever has had least goes first (start-time fair queueing: Goyal, Vin, Cheng, 1996). A crawl that had
 * nothing to ask for meanwhile gets next to nothing for that time: it begins where the least served of the others is.
 */
import { fleetLimits } from './fleet-limits.ts';

export class Share<Ask> {
  readonly crawl: string;
  weight: number;
  /** Requests that could start now, in the order in which their hosts became ready. */
  readonly ready = new Set<Ask>();
  inFlight = 0;
  /** How long the request that started last had been ready, ms. */
  waitedMs = 0;
  #doneMs = 0;
  #startsMs = 0;

  constructor(crawl: string, weight: number) {
    this.crawl = crawl;
    this.weight = weight;
  }

  /** Does it take part in the sharing now? */
  get isActive(): boolean {
    return this.ready.size > 0 || this.inFlight > 0;
  }

  /** Served so far, ms for each unit of weight. */
  servedMs(nowMs: number): number {
    return (this.#doneMs + this.inFlight * nowMs - this.#startsMs) / this.weight;
  }

  /** It had nothing to ask for, and now it has. */
  beginAt(servedMs: number): void {
    this.#doneMs = Math.max(this.#doneMs, servedMs * this.weight);
  }

  begin(nowMs: number): void {
    this.inFlight += 1;
    this.#startsMs += nowMs;
    this.#doneMs += fleetLimits.requestCostMs;
  }

  end(startedAtMs: number, nowMs: number): void {
    this.inFlight -= 1;
    this.#startsMs -= startedAtMs;
    this.#doneMs += nowMs - startedAtMs;
  }
}
