import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CrawlChanges } from '../../../../services/application/crawl/crawl-changes.ts';
import type { CrawlStatus } from '../../../../services/application/crawl/watch-crawl.ts';
import { watchCrawl } from '../../../../services/application/crawl/watch-crawl.ts';
import type { Look } from '../../../../topology/frontier/ask/crawl-end.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';

/** Time goes on by sleeping alone. */
function steppingClock(startMs = 1_000) {
  let nowMs = startMs;
  return {
    nowMs: () => nowMs,
    async sleepUntil(untilMs: number) {
      nowMs = Math.max(nowMs, untilMs);
    },
  };
}

const position = { offset: 7, slice: 0 };
const positions = { control: position, results: position, discovered: position };
const ends = { control: 7, results: 7, discovered: 7 };

const looking = (queued: number, page: number): Look => ({
  partitions: [{ positions, ends, counters: { ...zeroCounters(), queued, page } }],
  pageQuota: null,
});

async function watch(lookAt: (sinceMs: number) => Look, untilMs: number, isHeld?: (sinceMs: number) => boolean) {
  const clock = steppingClock();
  const stop = new AbortController();
  const looks: number[] = [];
  const reported: CrawlStatus[] = [];
  const end = await watchCrawl({
    ...{ clock, startedAtMs: 1_000, signal: stop.signal, failed: new Promise(() => {}), everyMs: 50 },
    async look() {
      const sinceMs = clock.nowMs() - 1_000;
      if (sinceMs >= untilMs) stop.abort();
      looks.push(sinceMs);
      return lookAt(sinceMs);
    },
    settle: async () => {},
    awaitsRelease: isHeld && (async () => isHeld(clock.nowMs() - 1_000)),
    hosts: () => ({ ready: 0, delayed: 1, leased: 0, next: { hostKey: 'a.test', atMs: 61_000 }, paused: false }),
    onStatus: (status) => void reported.push(status),
  });
  return { end, looks, reported };
}

test('a crawl that waits for its hosts is checked twice a second, and a moving one twenty times', async () => {
  const waits = await watch(() => looking(3, 1), 60_000);
  assert.equal(waits.end, 'stopped');
  assert.ok(waits.looks.length <= 130, `${waits.looks.length} looks in a minute`);
  assert.equal(waits.reported.at(-1)!.next?.inMs, 0, 'and a person sees how long it will wait');

  const moves = await watch((sinceMs) => looking(3, sinceMs), 1_000);
  assert.deepEqual(moves.looks.slice(0, 4), [0, 50, 100, 150]);
});

test('the end of a waiting crawl is noticed within half a second, by two equal checks', async () => {
  const { end, looks } = await watch((sinceMs) => looking(sinceMs < 60_010 ? 1 : 0, 1), 100_000);
  assert.equal(end, 'done');
  const atMs = looks.find((sinceMs) => sinceMs >= 60_010)!;
  assert.ok(atMs - 60_010 <= 500, `${atMs}`);
  assert.ok(looks.at(-1)! - atMs <= 50, `${looks.at(-1)}`);
});

test('a crawl with nothing left but blocked hosts stays open while somebody may unblock them, unless its quota is spent', async () => {
  const deferred = (pageQuota: number | null) => (): Look => ({
    partitions: [{ positions, ends, counters: { ...zeroCounters(), deferred: 4, page: 2, quotaSpent: 2 } }],
    pageQuota,
  });
  const held = (sinceMs: number) => sinceMs < 60_000;
  const open = await watch(deferred(null), 100_000, held);
  assert.equal(open.end, 'done');
  assert.ok(open.looks.at(-1)! >= 60_000 && open.looks.at(-1)! <= 61_000, `${open.looks.at(-1)}`);
  const spent = await watch(deferred(2), 100_000, held);
  assert.deepEqual([spent.end, spent.looks.at(-1)! < 1_000], ['quotaSpent', true]);
  const unwatched = await watch(deferred(null), 100_000);
  assert.deepEqual([unwatched.end, unwatched.looks.at(-1)! < 1_000], ['done', true]);
});

test('pages per second counts refetched pages, and never falls below 0 while known pages are on lease', async () => {
  // 30 pages are known; from the third second on, one after another is on lease again for 200 ms, and comes back as a page.
  const { reported } = await watch((sinceMs) => {
    const again = Math.max(0, sinceMs - 3_000) / 200;
    const leased = again % 1 > 0 ? 1 : 0;
    const quotaSpent = 30 + Math.floor(again) + leased;
    const counters = { ...zeroCounters(), page: 30 - leased, leased, quotaSpent, scheduled: 30 - leased };
    return { partitions: [{ positions, ends, counters }], pageQuota: null };
  }, 20_000);
  assert.ok(reported.every(({ pagesPerSecond }) => pagesPerSecond >= 0));
  const last = reported.at(-1)!.pagesPerSecond;
  assert.ok(last > 4 && last < 6, `${last}`);
});

/** Watches a crawl that reports its changes: of three hosts, the last one is done at `changeMs`. */
async function watchChanges(changeMs: number, untilMs: number) {
  let nowMs = 0;
  const changes = new CrawlChanges();
  const stop = new AbortController();
  const looks: number[] = [];
  const clock = {
    nowMs: () => nowMs,
    async sleepUntil(atMs: number, signal?: AbortSignal) {
      if (nowMs < changeMs && changeMs <= atMs) {
        nowMs = changeMs;
        changes.note();
      }
      if (!signal?.aborted) nowMs = Math.max(nowMs, atMs);
    },
  };
  const end = await watchCrawl({
    ...{ clock, startedAtMs: 0, signal: stop.signal, failed: new Promise(() => {}), everyMs: 500 },
    waiting: { changes, everyMs: 5_000 },
    async look() {
      if (nowMs >= untilMs) stop.abort();
      looks.push(nowMs);
      return looking(nowMs < changeMs ? 1 : 0, 1);
    },
    settle: async () => {},
    hosts: () => ({ ready: 0, delayed: 1, leased: 0, next: null, paused: false }),
    onStatus: () => {},
  });
  return { end, looks };
}

test('a waiting crawl that reports its changes is checked every five seconds', async () => {
  const { end, looks } = await watchChanges(Number.POSITIVE_INFINITY, 60_000);
  assert.equal(end, 'stopped');
  assert.ok(looks.length <= 15, `${looks.length} checks in a minute`);
});

test('the end of a waiting crawl that reports its changes is noticed half a second after its last change', async () => {
  const { end, looks } = await watchChanges(31_234, 100_000);
  assert.equal(end, 'done');
  assert.deepEqual(
    looks.filter((atMs) => atMs >= 31_000),
    [31_234, 31_734, 31_734],
  );
});
