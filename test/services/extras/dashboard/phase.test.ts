import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  backOffUntil,
  lookOf,
  type Needs,
  phaseOf,
  retriesOf,
  type Seen,
  troublesOf,
} from '../../../../services/extras/dashboard/phase.ts';
import type { CrawlStatus, HostStatus, PartitionReport } from '../../../../services/extras/dashboard/status.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';

function partition(change: Partial<PartitionReport> = {}, counters: Record<string, number> = { admitted: 5, page: 5 }) {
  return {
    ...{ partition: 0, owner: 'a', standbys: [], lag: { control: 0, results: 0, discovered: 0 } },
    ...{ restored: 1, restoreLeftMs: 0, readyHosts: 0, delayedHosts: 0, freshness: null },
    counters: { ...zeroCounters(), ...counters },
    ...change,
  };
}

function phase(partitions: readonly PartitionReport[], change: Partial<Seen> = {}): string {
  const now = lookOf(partitions, null);
  const usual = { paused: false, unchangedMs: 0, isIdle: false, silentMs: null, retries: null };
  return phaseOf({ before: now, now, partitions, ...usual, ...change });
}

test('a crawl is empty, restoring, running, quiet, paused, done, or out of quota', () => {
  const busy = partition({}, { admitted: 9, page: 5, queued: 4 });
  assert.equal(phase([partition({}, {})]), 'empty');
  assert.equal(phase([busy, partition({ restored: 0.4 })]), 'restoring');
  assert.equal(phase([busy]), 'running');
  assert.equal(phase([busy], { unchangedMs: 100_000 }), 'quiet');
  assert.equal(phase([busy], { paused: true }), 'paused');
  assert.equal(phase([partition()]), 'done');
  assert.equal(phase([partition()], { before: undefined }), 'running', 'one look tells no end');
  assert.equal(
    phase([partition({ lag: { control: 0, results: 0, discovered: 1 } })]),
    'running',
    'there is more to read',
  );
  const spent = lookOf([partition({}, { admitted: 9, queued: 4, page: 5, quotaSpent: 5 })], 5);
  assert.equal(phase([busy], { before: spent, now: spent }), 'quotaSpent');
});

test('a crawl without a process is not running, whatever it waits for; a finished one is done', () => {
  const busy = partition({}, { admitted: 9, page: 5, queued: 4 });
  const isIdle = true;
  assert.equal(phase([busy], { isIdle, unchangedMs: 100_000 }), 'idle');
  assert.equal(phase([busy], { isIdle, paused: true }), 'idle');
  assert.equal(phase([partition({}, {})], { isIdle }), 'idle');
  assert.equal(phase([partition()], { isIdle, before: undefined }), 'done', 'nobody writes: one look is enough');
});

test('a crawl says that its process gives no sign of life, if one is missing for longer than usual', () => {
  const busy = partition({}, { admitted: 9, page: 5, queued: 4 });
  assert.equal(phase([busy], { silentMs: 10_900 }), 'running', 'a fleet gives one in ten seconds');
  assert.equal(phase([busy], { silentMs: 16_000 }), 'silent');
  assert.equal(phase([busy], { silentMs: 16_000, isIdle: true }), 'idle');
  assert.deepEqual(troubles({ phase: 'silent', silentMs: 18_900 }), [
    'warn: The process of this crawl has given no sign of life for 15 s: it hangs, was stopped, or was killed',
  ]);
});

const waitingHost = (change: Partial<HostStatus>): HostStatus => ({
  ...{ host: 'a.test', partition: 0, queued: 20, deferred: 0, leases: 0, fetched: 0, pages: 0, failures: 1 },
  ...{ throttles: 0, delayMs: 1_000, readyAtMs: 1_030_000, hold: '', deadUntilMs: null },
  ...change,
});

test('a crawl of which all that is left waits for retries is not called crawling, and says how many URLs, and until when', () => {
  const counts = { ...zeroCounters(), admitted: 45, page: 5, queued: 38, retrying: 2 };
  const failing = [waitingHost({}), waitingHost({ host: 'b.test', failures: 0, throttles: 2, readyAtMs: 1_090_000 })];
  const healthy = waitingHost({ host: 'c.test', failures: 0, readyAtMs: 1_000_500 });
  const of = (worst: readonly HostStatus[], change: Record<string, number> = {}) => {
    const all = { ...counts, ...change };
    const needs = { worst, freeBytes: null };
    const retries = retriesOf(all, needs, 1_000_000);
    const state = phase([partition({}, all)], { retries });
    return [state, ...troubles({ phase: state as CrawlStatus['phase'], counts: all, atMs: 1_000_000 }, needs)];
  };
  const said =
    'warn: Nothing is fetched now: 40 URLs of 2 hosts wait for a retry. The next try is at 1970-01-01 00:17:10 UTC';
  assert.deepEqual(of(failing), ['retrying', said]);
  assert.deepEqual(of(failing, { leases: 1 }), ['running']);
  assert.deepEqual(of([...failing, healthy], { queued: 58 }), ['running'], 'a healthy host is fetched next');
  assert.deepEqual(of([waitingHost({ readyAtMs: 999_000 }), failing[1]!]), ['running'], 'the retry is due');
  assert.deepEqual(
    of([waitingHost({ hold: 'blocked' }), failing[1]!]),
    ['running'],
    'its queue is deferred, not queued',
  );
  // Single URLs of a healthy host: the host is not in the list, or has no failures.
  const alone = 'warn: Nothing is fetched now: 2 URLs wait for a retry';
  assert.deepEqual(of([], { queued: 0 }), ['retrying', alone]);
  assert.deepEqual(of([{ ...healthy, queued: 2 }], { queued: 0 }), [
    'retrying',
    'warn: Nothing is fetched now: 2 URLs of 1 host wait for a retry. The next try is at 1970-01-01 00:16:40 UTC',
  ]);
  const many = Array.from({ length: 50 }, (_, n) => waitingHost({ host: `h${n}.test`, queued: 1 }));
  assert.match(of(many, { queued: 98 })[1]!, /100 URLs of at least 50 hosts wait/);
});

test('a crawl that has ended says how many URLs ended without a page, and how', () => {
  const counts = { ...zeroCounters(), admitted: 1_020, page: 3, failed: 1_008, dead: 2, denied: 1 };
  const said = 'note: 1,011 URLs ended without a page: 1,008 failed, 2 dead-lettered, 1 refused by robots.txt';
  for (const phase of ['done', 'quotaSpent'] as const) assert.deepEqual(troubles({ phase, counts }), [said]);
  assert.deepEqual(troubles({ phase: 'running', counts }), []);
});

test('a crawl with nothing left but blocked hosts says how many, and what to do', () => {
  assert.deepEqual(troubles({ phase: 'held', counts: { ...zeroCounters(), deferred: 7 } }), [
    'warn: All that is left is blocked: 7 URLs deferred. Unblock a host to go on, or stop the crawl',
  ]);
});

function troubles(change: Partial<CrawlStatus>, needs?: Needs): string[] {
  const reported: Omit<CrawlStatus, 'troubles'> = {
    ...{
      crawl: 'c',
      release: '0',
      atMs: 1_000_000,
      phase: 'running',
      paused: false,
      policyVersion: 1,
      pageQuota: null,
    },
    ...{ counts: zeroCounters(), hosts: { known: 1, fetching: 0, ready: 0, delayed: 0 }, partitions: [partition()] },
    ...{ members: [{ name: 'a', address: 'a:1', owned: [0] }], fetchers: 1, freshness: null, idle: null },
    recent: { outcomes: 0, kinds: [], fetches: [], newestMs: null, causes: [] },
    letters: { records: 0, reasons: [], newest: [] },
    ...change,
  };
  return troublesOf(reported, needs).map(({ severity, text }) => `${severity}: ${text}`);
}

test('a healthy crawl has no warnings', () => {
  assert.deepEqual(troubles({}), []);
});

test('a stopped crawl says since when, and which command continues it', () => {
  const idle = { lastWrittenMs: 400_000, resume: 'crawlstream crawl --data d', unpause: 'crawlstream resume --data d' };
  const of = (change: Partial<CrawlStatus>) => troubles({ phase: 'idle', atMs: 1_000_000, idle, ...change });
  const said =
    'note: No process runs this crawl. It was last written 10 minutes ago, at 1970-01-01 00:06:40 UTC. ' +
    'To continue: crawlstream crawl --data d';
  assert.deepEqual(of({}), [said]);
  assert.deepEqual(of({ paused: true }), [`${said}, and as it is paused: crawlstream resume --data d`]);
  const unwritten = of({ idle: { ...idle, lastWrittenMs: null } });
  assert.deepEqual(unwritten, [said.replace(/It was .* UTC/, 'Nothing was written yet')]);
  // Neither is news of a crawl that stands still.
  const recent = { outcomes: 0, kinds: [], fetches: [], newestMs: 0, causes: [] };
  const lag = { control: 0, results: 20_000, discovered: 0 };
  assert.deepEqual(of({ recent, counts: { leases: 3 }, partitions: [partition({ lag })] }), [said]);
  const old = of({ atMs: 400_000 + 50 * 3_600_000 });
  assert.match(old[0]!, /last written 2 days ago/);
});

test('hosts in trouble, a disk that is nearly full, and a limit that is near are named while a crawl runs', () => {
  const well = { partition: 0, queued: 9, deferred: 0, leases: 0, fetched: 9, pages: 9, failures: 0, throttles: 0 };
  const host = (name: string, change: Partial<HostStatus>): HostStatus => ({
    ...{ ...well, host: name, delayMs: 1_000, readyAtMs: null, hold: '', deadUntilMs: null },
    ...change,
  });
  const worst = [
    host('dead.test', { failures: 4, deadUntilMs: 3_600_000, queued: 1 }),
    host('slow.test', { failures: 5 }),
    host('busy.test', { throttles: 7, serverFails: false }),
    host('blocked.test', { failures: 5, hold: 'blocked' }),
    host('fine.test', { failures: 2 }),
  ];
  const held = ['x', 'y', 'z'].map((name) => host(`${name}.test`, { failures: 9, hold: 'blocked' }));
  assert.match(
    troubles({}, { worst: [...held, ...worst], freeBytes: null }).join(),
    /dead\.test .*slow\.test .*busy\.test/,
  );
  const many = Array.from({ length: 9 }, (_, n) => host(`h${n}.test`, { failures: 5 }));
  assert.equal(troubles({}, { worst: many, freeBytes: null }).length, 3);
  const counts = { ...zeroCounters(), quotaSpent: 950 };
  const needs = { worst, freeBytes: 3.2e9 };
  const later = [
    host('dead.test', { deadUntilMs: 9, readyAtMs: 9_000 }),
    host('idle.test', { queued: 0, readyAtMs: 8_000 }),
  ];
  const waiting = [host('a.test', { failures: 1, readyAtMs: 3_000 }), host('b.test', { readyAtMs: 7_000 })];
  const until = (...worst: readonly HostStatus[]) => backOffUntil({ worst, freeBytes: null });
  assert.deepEqual([until(...later, ...waiting), until(...later)], [7_000, null]);
  // A server that fails asks for nothing, and is named at its first back-off.
  const broken = host('broken.test', { throttles: 1, serverFails: true, readyAtMs: 90_000, queued: 60 });
  assert.deepEqual(troubles({}, { worst: [broken], freeBytes: null }), [
    'warn: broken.test answers with server errors: backed off 1 time, 60 URLs waiting, next try at 1970-01-01 00:01:30 UTC',
  ]);
  // After the end, they are named once.
  const ended = { phase: 'done', letters: { records: 0, reasons: [], newest: [] } } as const;
  assert.deepEqual(troubles(ended, { worst: [...held, ...worst], freeBytes: null }), [
    'note: 2 hosts failed until the end: dead.test, slow.test',
  ]);
  assert.deepEqual(troubles(ended, { worst: held, freeBytes: null }), []);
  const said = [
    'warn: The disk with the crawl’s folder has 3.2 GB left: free some, or stop the crawl',
    'warn: dead.test is dead until 1970-01-01 01:00:00 UTC: all retries failed, 1 URL waiting',
    'warn: slow.test fails: 5 failures in a row, 9 URLs waiting',
    'warn: busy.test asks to slow down: 7 throttled answers, 9 URLs waiting',
    'note: 50 pages left of --max-pages 1000',
  ];
  assert.deepEqual(troubles({ counts, pageQuota: 1_000 }, needs), said);
  assert.match(troubles({}, { worst: [], freeBytes: 0.4e9 })[0]!, /^bad: The disk .* 0\.4 GB left/);
  assert.deepEqual(troubles({ counts, pageQuota: 100_000 }, { worst: [], freeBytes: 5e9 }), [], 'neither is near');
});

test('partitions without an owner, and silent frontiers, are named', () => {
  const ownerless = [partition({ owner: null, restored: null }), partition({ partition: 1 })];
  assert.deepEqual(troubles({ partitions: ownerless }), ['bad: No process owns partition 0: start a frontier']);
  assert.deepEqual(troubles({ partitions: ownerless, members: null }), [], 'nobody knows');
  assert.deepEqual(troubles({ partitions: ownerless, phase: 'done' }), [], 'nobody needs to');
  assert.deepEqual(troubles({ partitions: [partition({ restored: null })] }), [
    'warn: Frontier a of partition 0 does not answer: if it has ended, another one takes over in a moment',
  ]);
  const unlistening = {
    members: [{ name: 'a', address: null, owned: [0] }],
    partitions: [partition({ restored: null })],
  };
  assert.deepEqual(troubles(unlistening), [], 'it cannot be asked at all');
});

test('a missing fetcher is reported while the crawl is unfinished', () => {
  assert.deepEqual(troubles({ fetchers: 0 }), [
    'bad: There is no fetcher: start one. Until then URLs wait, and nothing is lost',
  ]);
  assert.deepEqual(troubles({ fetchers: 0, phase: 'done' }), []);
  assert.deepEqual(troubles({ fetchers: null }), [], 'they are in its own process');
});

test('failing fetches are reported with their share and most frequent kind', () => {
  const kinds = (timeouts: number) => ({
    outcomes: 100,
    kinds: [
      { kind: 'fetched', count: 100 - timeouts, failed: false },
      { kind: 'timeout', count: timeouts, failed: true },
    ],
    ...{ fetches: [], newestMs: 1_000_000, causes: [] },
  });
  assert.deepEqual(troubles({ recent: kinds(20) }), []);
  assert.deepEqual(troubles({ recent: kinds(38) }), [
    'warn: 38 % of the last minute’s fetches failed, most of them as timeout',
  ]);
});

test('leases without results, backlogs, undecodable records and unreadable dead letters are reported', () => {
  const counts = { ...zeroCounters(), leases: 3, undecodable: 2 };
  const recent = { outcomes: 0, kinds: [], fetches: [], newestMs: 900_000, causes: [] };
  const partitions = [partition({ lag: { control: 0, results: 12_000, discovered: 40 } })];
  assert.deepEqual(troubles({ counts, recent, partitions, letters: null }), [
    'warn: URLs are leased, but no result was reported for 100 s: check that a fetcher runs',
    'warn: 12,000 messages of results are not processed yet',
    'bad: 2 records unreadable: see the dead letters',
    'note: This dashboard cannot read the dead letters',
  ]);
});
