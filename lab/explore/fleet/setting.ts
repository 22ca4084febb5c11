/**
 * The setting of the world `fleet`: two crawls of two owners that want two pages each of one host, and two processes, one
 * of which has the host. Times are ms.
 */
import type { Contact, Gap } from '../../../topology/fleet/host-times.ts';

export const host = 'h.test';
export const startMs = 1_000_000;
/** Least time between contacts of the host by crawls of the fleet. */
export const hostDelayMs = 1_000;
/** The group counts a process as gone this long after its last sign. */
export const sessionMs = 6_000;
/** It starts no request this long before that. */
export const marginMs = 2_000;
/** Longest request. */
export const requestMs = 1_500;
export const retryAfterMs = 4_000;

/** The quick one asks for less than the fleet's delay. */
export const crawls = ['quick', 'patient'] as const;
export type Crawl = (typeof crawls)[number];
const delaysMs: Readonly<Record<Crawl, number>> = { quick: 500, patient: 3_000 };

export const wanted: Readonly<Record<Crawl, number>> = { quick: 2, patient: 2 };

export function gapOf(crawl: Crawl): Gap {
  return { delayMs: delaysMs[crawl], delayFactor: 0, crawlDelayMs: 0 };
}

export function contactOf(crawl: Crawl, tookMs: number, isThrottled: boolean): Contact {
  return {
    delayMs: delaysMs[crawl],
    tookMs,
    crawlDelayMs: 0,
    isAnswered: true,
    isPressure: isThrottled,
    retryAfterMs: isThrottled ? retryAfterMs : 0,
  };
}

/** Least time between a contact of one crawl and the next one's: what the less patient of the two would keep, or the fleet's. */
export function leastGapMs(before: Crawl, after: Crawl): number {
  return Math.max(hostDelayMs, Math.min(delaysMs[before], delaysMs[after]));
}
