/**
 * A fleet's knowledge of a host: the last contact by any crawl, and the delays that the host asked for.
 *
 * A crawl's pacer keeps its delay between its requests. Between requests of two crawls, the smaller of two delays
 * applies: that of the previous crawl, and the delay that the next crawl would keep after the same request. So a host
 * never gets more requests than the less patient of its crawls would send alone, and a crawl with a delay of a day
 * slows no other. Some facts bind all crawls: the host's Crawl-delay, Retry-After and back-off, and the fleet's minimum
 * delay.
 */
import { throttleDelayMs } from '../frontier/decide/politeness.ts';
import { fleetLimits } from './fleet-limits.ts';

/** The delays of a crawl. */
export interface Gap {
  /** From the end of the last contact to the start of the next one, ms. */
  readonly delayMs: number;
  /** The same as a multiple of the last contact's duration. */
  readonly delayFactor: number;
  /** Crawl-delay in the host's robots.txt, ms; 0: none, or unknown yet. */
  readonly crawlDelayMs: number;
}

/** A contact that has ended. */
export interface Contact {
  /** Delay of the contact's crawl after it, ms. */
  readonly delayMs: number;
  readonly tookMs: number;
  readonly crawlDelayMs: number;
  /** True for a whole response that is not a server error. */
  readonly isAnswered: boolean;
  /** The host asks for fewer requests, or shows that it needs fewer. */
  readonly isPressure: boolean;
  /** Requested pause, ms; 0: none. */
  readonly retryAfterMs: number;
  /** The server error. null or absent: there was none, or its crawl attributes every server error to the URL. */
  readonly serverError?: ServerError | null;
}

/** 5xx but for 503. */
export interface ServerError {
  readonly url: string;
  /** A retry says nothing new about the host. */
  readonly isFirstTry: boolean;
  /**
   * Number of consecutive server errors of different URLs that count against the host (`serverErrorsMax` of the crawl's
   * policy).
   */
  readonly most: number;
}

export interface HostTimes {
  /** End of the last contact of any crawl, ms; −Infinity: none. */
  endMs: number;
  /** The previous crawl's delay, ms. Infinity: it is unknown which crawl that was. */
  afterMs: number;
  tookMs: number;
  crawlDelayMs: number;
  /** The host must not be contacted before this time, ms. */
  heldUntilMs: number;
  /** Number of consecutive contacts after which the host asked for fewer requests. */
  throttles: number;
  /**
   * URLs of consecutive server errors, over all crawls, the newest last. A URL that fails for several crawls counts
   * once.
   */
  failedUrls: readonly string[];
}

/** `contactedAtMs`: time until which another process may have contacted it. −Infinity: none. */
export function newHostTimes(contactedAtMs: number): HostTimes {
  const asked = { crawlDelayMs: 0, heldUntilMs: Number.NEGATIVE_INFINITY, throttles: 0, failedUrls: [] };
  return { endMs: contactedAtMs, afterMs: Number.POSITIVE_INFINITY, tookMs: 0, ...asked };
}

/**
 * Earliest time at which a crawl with the delays `gap` may contact the host, ms. `leastMs`: the fleet's minimum delay.
 * A contact counts as ending with its millisecond.
 */
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

/** True if the host's facts bind no future request. */
export function canBeForgotten(host: HostTimes, leastMs: number, nowMs: number): boolean {
  const keptMs = Number.isFinite(host.afterMs) ? host.afterMs : fleetLimits.forgetMs;
  const readyMs = Math.max(host.heldUntilMs, host.endMs + 1 + Math.max(leastMs, host.crawlDelayMs, keptMs));
  const isInTrouble = host.throttles > 0 || host.failedUrls.length > 0;
  return readyMs + (isInTrouble ? fleetLimits.forgetMs : 0) <= nowMs;
}
