/**
 * Politeness and back-off: when a host may be contacted again, and how many URLs a lease of it may hold.
 *
 *   readyAt = completion + max(delay, Crawl-delay, factor × last fetch time (capped), Retry-After, back-off)
 *
 * It counts from completion, never from the start. Back-off doubles with jitter, bounded by the last step of the retry
 * schedule, and half-opens with one probe. Timeouts, 429, 503 and a row of other 5xx (`serverErrorsMax`) start it. Sources: Heydon & Najork, "Mercator" (1999), §3.3 (factor 10); RFC 9110
 * §10.2.3.
 */

import type { Control } from '../../../schemas/types.ts';
import type { HostSettings } from '../../policy/overlay-config.ts';
import type { HostFacts, HostHold } from '../changes/changes.ts';
import { frontierLimits } from '../frontier-limits.ts';
import { leastDelayPayload } from './control-payloads.ts';

/** The configured delay between two requests to a host, before adjustment by measured fetch times, ms. */
export function baseDelayMs(settings: HostSettings, facts: HostFacts): number {
  return Math.max(orderedDelayMs(settings, facts), facts.crawlDelayMs);
}

/** The delay set by an operator, or else by the policy; if a webmaster set it, at least the policy's. ms */
export function orderedDelayMs(
  { delayMs }: Pick<HostSettings, 'delayMs'>,
  { ownDelayMs, ownDelayIsLeast }: Pick<HostFacts, 'ownDelayMs' | 'ownDelayIsLeast'>,
): number {
  if (ownDelayMs < 0) return delayMs;
  return ownDelayIsLeast ? Math.max(ownDelayMs, delayMs) : ownDelayMs;
}

type OwnDelay = Pick<HostFacts, 'ownDelayMs' | 'ownDelayIsLeast'>;

/**
 * A host's own delay after a `hostDelay` event; null: unchanged. A webmaster can only set and remove a delay that is
 * not shorter than the operator's.
 */
export function ownDelayAfter(
  { ownDelayMs, ownDelayIsLeast }: OwnDelay,
  { amount, payload }: Pick<Control, 'amount' | 'payload'>,
): OwnDelay | null {
  const least = leastDelayPayload(payload);
  if (least === null) return { ownDelayMs: Math.max(-1, amount), ownDelayIsLeast: false };
  if (amount >= 0 && (ownDelayIsLeast || ownDelayMs <= amount)) return { ownDelayMs: amount, ownDelayIsLeast: true };
  return amount < 0 && ownDelayIsLeast ? { ownDelayMs: least.instead, ownDelayIsLeast: false } : null;
}

/** The wait from the completion of a request to the next lease, ms. */
export function politeDelayMs(settings: HostSettings, facts: HostFacts): number {
  const adaptiveMs = Math.min(settings.delayFactor * facts.fetchMs, settings.delayFactorCapMs);
  return Math.max(baseDelayMs(settings, facts), Math.round(adaptiveMs));
}

/** The whole wait of such a host is a pause. After a pause that it asked for, `returns` is at least 1. */
export function isTroubled({ failures, throttles, returns }: HostFacts): boolean {
  return failures + throttles + returns > 0;
}

/** A host's delays under some settings, ms. A contact is followed by a wait of `politeMs`, and a kill by one of `baseMs`. */
export interface Delays {
  readonly baseMs: number;
  readonly politeMs: number;
}

export function delaysOf(settings: HostSettings, facts: HostFacts): Delays {
  return { baseMs: baseDelayMs(settings, facts), politeMs: politeDelayMs(settings, facts) };
}

export function isLonger(from: Delays, to: Delays): boolean {
  return to.baseMs > from.baseMs || to.politeMs > from.politeMs;
}

/** When a host may be contacted next, ms, under other delays. A pause lasts. */
export function readyUnder(facts: HostFacts, from: Delays, to: Delays, nowMs: number): number {
  const isPause = isTroubled(facts) && !isLonger(from, to);
  return isPause ? facts.readyAtMs : waitUnder(facts.readyAtMs, from, to, nowMs);
}

/**
 * A wait until `atMs` under other delays, ms. The last contact was at `atMs` or earlier, and not after now: that is all
 * that is known of it, since a wait may follow from a kill, from a pause or from an earlier change. So a longer delay
 * counts from now, or from the end of a wait that is over. A shorter one counts from now, if that ends the wait earlier,
 * and a wait that is longer than the former delay is a pause.
 */
export function waitUnder(atMs: number, from: Delays, to: Delays, nowMs: number): number {
  if (isLonger(from, to)) {
    const movedMs = Math.max(atMs, Math.min(nowMs, atMs) + to.politeMs);
    return movedMs <= nowMs ? atMs : movedMs;
  }
  return atMs > nowMs + from.politeMs ? atMs : Math.min(atMs, nowMs + to.politeMs);
}

/** Back-off after `failures` (at least 1) in a row: the retry schedule's steps, the last one from then on. ms. */
export function failureDelayMs(settings: HostSettings, failures: number): number {
  const { retriesMs } = settings;
  return retriesMs[Math.min(failures, retriesMs.length) - 1] ?? 0;
}

/** Back-off after `throttles` (at least 1) in a row: the first retry step, doubled each time, with ± 20 % jitter. ms. */
export function throttleDelayMs(
  { retriesMs }: Pick<HostSettings, 'retriesMs'>,
  throttles: number,
  random: () => number,
): number {
  const firstMs = retriesMs[0] ?? 0;
  const capMs = retriesMs[retriesMs.length - 1] ?? 0;
  return Math.round(Math.min(firstMs * 2 ** Math.min(throttles - 1, 20), capMs) * (0.8 + 0.4 * random()));
}

/** Pause before a host is tried again after unfinished leases: 1, 2, 4 … 30 s. */
export function returnDelayMs(returns: number): number {
  return Math.min(1000 * 2 ** Math.min(returns - 1, 10), 30_000);
}

/** URLs a lease of this host may hold: what fits the lead time, or one probe while it is backing off. */
export function leaseSize(settings: HostSettings, facts: HostFacts): number {
  if (facts.failures > 0 || facts.throttles > 0) return 1;
  const { leadTimeMs, urlsPerLeaseMax } = settings;
  const fits = Math.max(1, Math.floor(leadTimeMs / expectedMs(settings, facts)));
  const most = facts.fetchMs === 0 ? frontierLimits.firstLeaseUrls : urlsPerLeaseMax;
  const size = Math.min(fits, most, facts.leaseMax > 0 ? facts.leaseMax : urlsPerLeaseMax);
  const pagesMax = pagesMaxOf(settings, facts);
  return pagesMax < 0 ? size : Math.min(size, Math.max(1, pagesMax - facts.pages));
}

/**
 * Returns whether the host is backed off because its server failed several URLs in a row. URLs that were never tried
 * are then its probes, because a retry of a permanently broken page says nothing about other pages.
 */
export function isFailingServer({ serverErrorsMax = 0 }: HostSettings, facts: HostFacts): boolean {
  return serverErrorsMax > 0 && facts.throttles > 0 && facts.serverErrors >= serverErrorsMax;
}

/** Duration of a lease of `size` URLs, ms: twice the expected time, and time for a last request to time out. */
export function leaseMs(
  settings: HostSettings,
  facts: HostFacts,
  size: number,
  marginMs: number = frontierLimits.leaseMarginMs,
): number {
  return 2 * size * expectedMs(settings, facts) + marginMs;
}

/** Expected time for one URL of a lease, delay and fetch, ms. */
function expectedMs(settings: HostSettings, facts: HostFacts): number {
  return politeDelayMs(settings, facts) + (facts.fetchMs > 0 ? facts.fetchMs : unknownFetchMs);
}

/** Expected time of a fetch from a host that was never fetched from, ms. */
const unknownFetchMs = 500;

/** The host's average fetch time after one more measurement, ms: a quarter of the way towards it, at least 1. */
export function smoothedFetchMs(beforeMs: number, measuredMs: number): number {
  return Math.max(1, Math.round(beforeMs === 0 ? measuredMs : beforeMs + (measuredMs - beforeMs) / 4));
}

/** Most pages of a host: an operator's limit, or else the policy's cap; -1: any number. */
export function pagesMaxOf({ pagesPerHostMax }: Caps, { pagesMax }: HostFacts): number {
  return pagesMax >= 0 ? pagesMax : (pagesPerHostMax ?? -1);
}

type Caps = Pick<HostSettings, 'pagesPerHostMax' | 'bytesPerHostMax'>;

/** Has the host given as many pages, or bytes, as it may? */
export function isAtLimit(caps: Caps, facts: HostFacts): boolean {
  const pagesMax = pagesMaxOf(caps, facts);
  return (pagesMax >= 0 && facts.pages >= pagesMax) || facts.bytes >= (caps.bytesPerHostMax ?? Infinity);
}

/**
 * The hold of a host after its operator's limit on pages and the policy's caps were checked again: every other hold takes
 * precedence over these.
 */
export function heldByLimit(caps: Caps, facts: HostFacts): HostHold {
  const { hold } = facts;
  if (hold !== '' && hold !== 'limit') return hold;
  return isAtLimit(caps, facts) ? 'limit' : '';
}

/** Facts for a dead host with an expired or overruled verdict: one more retry schedule, from its last step. */
export function revived(facts: HostFacts): HostFacts {
  return { ...facts, deadUntilMs: 0, failures: Math.max(0, facts.failures - 1) };
}
