import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CrawlStatus } from '../../../../services/application/crawl/watch-crawl.ts';
import { lineOf } from '../../../../services/cli/terminal/progress.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';

const status = (more: Partial<CrawlStatus>, counters: Partial<CrawlStatus['counters']> = {}): CrawlStatus => ({
  counters: { ...zeroCounters(), ...counters },
  ...{ readyHosts: 0, delayedHosts: 1, leasedHosts: 0, next: null, paused: false },
  ...{ seconds: 62, pagesPerSecond: 1.25, pageQuota: null },
  ...more,
});

test('the progress line has time, pages, rate, queue, hosts and failures', () => {
  const line = lineOf(
    status({ readyHosts: 2, leasedHosts: 3 }, { page: 52, queued: 3, retrying: 1, leases: 4, failed: 1, dead: 2 }),
  );
  const hosts = 'hosts: 3 being fetched, 2 ready, 1 delayed';
  assert.equal(line, `00:01:02  52 pages  1.3 pages/s  queued 4  ${hosts}  failures 3, 1 waiting for a retry`);
});

test('the progress line says for what and how long everything waits, except for short waits, pauses and work', () => {
  const waiting = { next: { hostKey: 'a.test:8401', inMs: 252_000 } };
  assert.match(
    lineOf(status(waiting, { retrying: 2 })),
    / {2}failures 0, 2 waiting for a retry {2}next contact in 00:04:12, with a\.test:8401$/,
  );
  assert.match(lineOf(status(waiting, { queued: 2 })), /failures 0 {2}next contact in 00:04:12, with a\.test:8401$/);
  for (const more of [
    { next: { hostKey: 'a.test', inMs: 900 } },
    { ...waiting, paused: true },
    { ...waiting, readyHosts: 1 },
    {},
  ])
    assert.doesNotMatch(lineOf(status(more)), /next contact/);
  assert.doesNotMatch(lineOf(status(waiting, { leases: 1 })), /next contact/);
});
