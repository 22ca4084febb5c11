/**
 * A fleet's knowledge of a host: when any crawl contacted it last, and what it asked for.
 *
 * A crawl's own pacer keeps its delay between its own requests. Between requests of two crawls the smaller of two
 * delays applies: that of the previous crawl, and the one that the next crawl would keep after such a request of its
 * own. So a host never gets more requests than the less patient of its crawls would send alone, and a crawl with a
 * delay of a day slows nobody else. Some facts bind all crawls: the host's Crawl-delay, Retry-After and back-off, and
 * the fleet's minimum delay.
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
  /** Was there a whole response, and none by which the server failed? */
  readonly isAnswered: boolean;
  /** The host asks for fewer requests, or shows that it needs fewer. */
  readonly isPressure: boolean;
  /** 0: it asks for no pause. */
  readonly retryAfterMs: number;
  /** How a failure of the server counts. null or absent: there was none, or its crawl takes any number for those of their URLs. */
  readonly serverError?: ServerError | null;
}

/** 5xx but for 503. */
export interface ServerError {
  readonly url: string;
  /** A retry says nothing new about the host. */
  readonly isFirstTry: boolean;
  /** So many in a row, of different URLs, are the host's trouble (`serverErrorsMax` of the crawl's policy). */
  readonly most: number;
}

export interface HostTimes {
  /** End of the last contact of any crawl, ms; −Infinity: none. */
  endMs: number;
  /** The previous crawl's delay, ms. Infinity: it is unknown which crawl that was. */
  afterMs: number;
  tookMs: number;
  crawlDelayMs: number;
  /** No contact before, ms. */
  heldUntilMs: number;
  /** Contacts in a row after which it asked for fewer. */
  throttles: number;
  /** URLs that its server has failed in a row, of any crawl, the newest last. A page that is broken for all of them is one. */
  failedUrls: readonly string[];
}

/** `contactedAtMs`: somebody may have contacted it then. −Infinity: nobody has. */
export function newHostTimes(contactedAtMs: number): HostTimes {
  const asked = { crawlDelayMs: 0, heldUntilMs: Number.NEGATIVE_INFINITY, throttles: 0, failedUrls: [] };
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
  if (!contact.isPressure && !isFailing(host, contact)) {
    if (contact.isAnswered) Object.assign(host, { throttles: 0, failedUrls: [] });
    return;
  }
  host.throttles += 1;
  const backOffMs = throttleDelayMs({ retriesMs: fleetLimits.backOffMs }, host.throttles, () => 0.5);
  host.heldUntilMs = Math.max(host.heldUntilMs, nowMs + 1 + Math.max(backOffMs, contact.retryAfterMs));
}

/** Has its server failed so often that this is the host's trouble? While it is backed off, one failure more says that it still is. */
function isFailing(host: HostTimes, { serverError }: Contact): boolean {
  if (!serverError) return false;
  const { url, isFirstTry, most } = serverError;
  if (isFirstTry && !host.failedUrls.includes(url))
    host.failedUrls = [...host.failedUrls, url].slice(-fleetLimits.failedUrlsMax);
  return host.throttles > 0 || host.failedUrls.length >= Math.min(most, fleetLimits.failedUrlsMax);
}

/** Nothing that binds anybody is lost with it. */
export function canBeForgotten(host: HostTimes, leastMs: number, nowMs: number): boolean {
  const keptMs = Number.isFinite(host.afterMs) ? host.afterMs : fleetLimits.forgetMs;
  const readyMs = Math.max(host.heldUntilMs, host.endMs + 1 + Math.max(leastMs, host.crawlDelayMs, keptMs));
  const isInTrouble = host.throttles > 0 || host.failedUrls.length > 0;
  return readyMs + (isInTrouble ? fleetLimits.forgetMs : 0) <= nowMs;
}
