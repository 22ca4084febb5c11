/** Watches a crawl, shows its status, and reports its end. */

import type { Look } from '../../../topology/frontier/ask/crawl-end.ts';
import { crawlEnd, isSame } from '../../../topology/frontier/ask/crawl-end.ts';
import { type Counters, pagesFetched, sumCounters } from '../../../topology/frontier/changes/counters.ts';
import type { Committed, NextContact } from '../../frontier/own/committed.ts';
import type { HeldTrap } from '../../frontier/own/held-traps.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { CrawlChanges } from './crawl-changes.ts';
import type { CrawlOutcome } from './crawl-outcome.ts';
import { failFirst } from './fail-first.ts';

/** The status of a crawl, for people. */
export interface CrawlStatus {
  readonly counters: Counters;
  readonly readyHosts: number;
  readonly delayedHosts: number;
  /** Hosts on lease, each once, however many leases it has. */
  readonly leasedHosts: number;
  /** The delayed host that may be contacted first, and the time until then, ms; null: none is delayed. */
  readonly next: { readonly hostKey: string; readonly inMs: number } | null;
  /** True: an operator has paused it. */
  readonly paused: boolean;
  readonly seconds: number;
  /** Pages per second over the last few seconds. */
  readonly pagesPerSecond: number;
  readonly pageQuota: number | null;
}

export interface HostCounts {
  readonly ready: number;
  readonly delayed: number;
  readonly leased: number;
  readonly next: NextContact | null;
  readonly paused: boolean;
}

export interface WatchedCrawl {
  readonly clock: Clock;
  readonly startedAtMs: number;
  /** Aborted: look no longer. */
  readonly signal: AbortSignal;
  /** Rejects when a part of the crawl fails. */
  readonly failed: Promise<unknown>;
  /**
   * Interval of the checks while the crawl changes, ms. A waiting crawl is checked less and less often, down to every
   * half second.
   */
  readonly everyMs: number;
  /**
   * The crawl's changes, and the interval of checks while there are none, ms: a waiting crawl costs nothing in between.
   * Absent: it is checked every half second.
   */
  readonly waiting?: { readonly changes: CrawlChanges; readonly everyMs: number } | undefined;
  /** Undefined while the crawl is not up yet. */
  look(): Promise<Look | undefined>;
  /** Resolves once the processors that find links beside the fetchers have caught up. */
  settle(): Promise<void>;
  hosts(): HostCounts;
  onStatus(status: CrawlStatus): void;
  /**
   * Prevents the end of the crawl, because clients or this process may add URLs. Called before each check; the
   * returned function receives whether the crawl is idle. Absent, or undefined: the crawl may end.
   */
  readonly stays?: (() => ((idle: boolean) => void) | undefined) | undefined;
  /**
   * True: somebody who watches the crawl has blocked a host, and may unblock it. Called only if all that is left are
   * deferred URLs. Absent: nobody can.
   */
  readonly awaitsRelease?: (() => Promise<boolean>) | undefined;
}

/** How often a waiting crawl's status is printed for a person, ms. */
const quietEveryMs = 500;

export async function watchCrawl(crawl: WatchedCrawl): Promise<CrawlOutcome['end']> {
  const { clock, signal, startedAtMs } = crawl;
  const rate = createRate();
  let before: Look | undefined;
  let everyMs = crawl.everyMs;
  const orFailure = failFirst(crawl.failed);
  const awaitsRelease = crawl.awaitsRelease ?? (async () => false);
  while (!signal.aborted) {
    const nowMs = clock.nowMs();
    crawl.waiting?.changes.forget();
    let isWaiting = false;
    const stays = crawl.stays?.();
    const now = await orFailure(crawl.look());
    if (now !== undefined) {
      const counters = sumCounters(now.partitions.map((partition) => partition.counters));
      const hosts = crawl.hosts();
      crawl.onStatus({
        counters,
        readyHosts: hosts.ready,
        delayedHosts: hosts.delayed,
        leasedHosts: hosts.leased,
        next: hosts.next && { hostKey: hosts.next.hostKey, inMs: Math.max(0, hosts.next.atMs - nowMs) },
        paused: hosts.paused,
        seconds: (nowMs - startedAtMs) / 1000,
        pagesPerSecond: rate(nowMs, pagesFetched(counters)),
        pageQuota: now.pageQuota,
      });
      const end = before === undefined ? null : crawlEnd(before, now);
      everyMs = isSame(before, now) ? Math.max(crawl.everyMs, Math.min(2 * everyMs, quietEveryMs)) : crawl.everyMs;
      before = now;
      stays?.(end !== null);
      const isHeld = end === 'done' && counters.deferred > 0 && (await orFailure(awaitsRelease()));
      // An end takes a second check. Those who keep a crawl open are asked regularly: they report no change.
      isWaiting = stays === undefined && crawlEnd(now, now) === null;
      if (end !== null && stays === undefined && !isHeld) {
        await orFailure(crawl.settle());
        const after = await crawl.look();
        if (after !== undefined && crawlEnd(now, after) === end) return end;
        before = after;
      }
    }
    if (isWaiting && crawl.waiting !== undefined)
      await orFailure(crawl.waiting.changes.next(clock, nowMs + crawl.waiting.everyMs, signal));
    await orFailure(clock.sleepUntil(nowMs + everyMs, signal));
  }
  return 'stopped';
}

/** Covers the open partitions. */
export function hostsOf(partitions: Iterable<Committed | undefined>): HostCounts {
  const sum = { ready: 0, delayed: 0, leased: 0, next: null as NextContact | null, paused: false };
  for (const committed of partitions) {
    sum.ready += committed?.readyHosts ?? 0;
    sum.delayed += committed?.delayedHosts ?? 0;
    sum.leased += committed?.leasedHosts ?? 0;
    const next = committed?.nextContact ?? null;
    if (next !== null && (sum.next === null || next.atMs < sum.next.atMs)) sum.next = next;
    sum.paused ||= committed?.paused ?? false;
  }
  return sum;
}

/** Covers the open partitions. */
export function trapsOf(partitions: Iterable<Committed | undefined>): HeldTrap[] {
  return [...partitions].flatMap((committed) => committed?.traps() ?? []);
}

/** Pages per second over a sliding window of about five seconds. */
function createRate(): (nowMs: number, pages: number) => number {
  const seen: { readonly atMs: number; readonly pages: number }[] = [];
  return (nowMs, pages) => {
    seen.push({ atMs: nowMs, pages });
    while (seen.length > 2 && nowMs - seen[0]!.atMs > 5_000) seen.shift();
    const first = seen[0]!;
    return nowMs > first.atMs ? (1000 * (pages - first.pages)) / (nowMs - first.atMs) : 0;
  };
}
