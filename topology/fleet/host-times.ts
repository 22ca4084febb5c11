/**
 * What a fleet knows of a host: when it was last contacted by any crawl, and what it asked for.
 *
 * A crawl's own pacer keeps the crawl's own delay between its own requests. Between requests of two crawls lies the
 * smaller of the two waits: that which the crawl before asked for, and that which the next would have kept had the last
 * request been its own. So a host never sees more than the less patient of its crawls would do alone, and a crawl with
 * a delay of a day slows nobody else. What binds all crawls alike is the host's: Crawl-delay, Retry-After, back-off; and
 * the fleet's: its least delay.
 */
import { throttleDelayMs } from '../frontier/decide/politeness.ts';
import { fleetLimits } from './fleet-limits.ts';

/** What a crawl would keep. */
export interface Gap {
  /** From the end of the last contact to the start of the next one, ms. */
  readonly delayMs: number;
  /** The same as a multiple of what the last contact took. */
  readonly delayFactor: number;
  /** As the host's robots.txt asks, ms; 0: it does not, or it is not known yet. */
  readonly crawlDelayMs: number;
}

/** A contact that has ended. */
export interface Contact {
  /** What its crawl keeps after it, ms. */
  readonly delayMs: number;
  readonly tookMs: number;
  readonly crawlDelayMs: number;
  /** Was there a whole response? */
  readonly isAnswered: boolean;
  /** The host asks for fewer requests, or shows that it needs fewer. */
  readonly isPressure: boolean;
  /** 0: it asks for no pause. */
  readonly retryAfterMs: number;
}

export interface HostTimes {
  /** End of the last contact of any crawl, ms; −Infinity: none. */
  endMs: number;
  /** What the crawl before keeps, ms. Infinity: it is not known who was there. */
  afterMs: number;
  tookMs: number;
  crawlDelayMs: number;
  /** No contact before, ms. */
  heldUntilMs: number;
  /** Contacts in a row after which it asked for fewer. */
  throttles: number;
}

/** `contactedAtMs`: somebody may have contacted it then. −Infinity: nobody has. */
export function newHostTimes(contactedAtMs: number): HostTimes {
  const asked = { crawlDelayMs: 0, heldUntilMs: Number.NEGATIVE_INFINITY, throttles: 0 };
  return { endMs: contactedAtMs, afterMs: Number.POSITIVE_INFINITY, tookMs: 0, ...asked };
}

/** When a crawl that keeps `gap` may contact the host. `leastMs`: of the fleet. A contact ends within its millisecond. */
export function readyAtMs(host: HostTimes, gap: Gap, leastMs: number): number {
  const adaptiveMs = Math.min(Math.round(gap.delayFactor * host.tookMs), fleetLimits.adaptiveDelayMaxMs);
  const wouldKeepMs = Math.max(gap.delayMs, adaptiveMs);
  const gapMs = Math.max(leastMs, host.crawlDelayMs, gap.crawlDelayMs, Math.min(host.afterMs, wouldKeepMs));
  return Math.max(gapMs === 0 ? host.endMs : host.endMs + 1 + gapMs, host.heldUntilMs);
}

export function learnContact(host: HostTimes, contact: Contact, nowMs: number): void {
  host.endMs = nowMs;
  host.afterMs = contact.delayMs;
  host.tookMs = contact.tookMs;
  if (contact.crawlDelayMs > 0) host.crawlDelayMs = contact.crawlDelayMs;
  if (!contact.isPressure) {
    if (contact.isAnswered) host.throttles = 0;
    return;
  }
  host.throttles += 1;
  const backOffMs = throttleDelayMs({ retriesMs: fleetLimits.backOffMs }, host.throttles, () => 0.5);
  host.heldUntilMs = Math.max(host.heldUntilMs, nowMs + 1 + Math.max(backOffMs, contact.retryAfterMs));
}

/** Nothing that binds anybody is lost with it. */
export function canBeForgotten(host: HostTimes, leastMs: number, nowMs: number): boolean {
  const keptMs = Number.isFinite(host.afterMs) ? host.afterMs : fleetLimits.forgetMs;
  const readyMs = Math.max(host.heldUntilMs, host.endMs + 1 + Math.max(leastMs, host.crawlDelayMs, keptMs));
  return readyMs + (host.throttles > 0 ? fleetLimits.forgetMs : 0) <= nowMs;
}
