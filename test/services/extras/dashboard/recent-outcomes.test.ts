import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankOutcome, blankResult } from '../../../../schemas/blank.ts';
import type { OutcomeKind } from '../../../../schemas/types.ts';
import { dashboardLimits } from '../../../../services/extras/dashboard/limits.ts';
import { RecentOutcomes } from '../../../../services/extras/dashboard/recent-outcomes.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import type { Clock } from '../../../../services/runtime/clock.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';

interface Report {
  readonly url?: string;
  readonly kind: OutcomeKind;
  readonly status?: number;
  readonly detail?: string;
}

async function rig(partitions = 1) {
  let nowMs = 1_000_000;
  const clock = Object.assign(new SystemClock(), { nowMs: () => nowMs }) as Clock;
  const log = await openEmbeddedLog(createMemoryStore(), clock);
  await log.createTopics([{ name: 'c.results', partitions, retention: 'state' }]);
  const codec = await openCodec(createMemoryRegistry(), 'c');
  const recent = new RecentOutcomes(log, codec, 'c', partitions);
  return {
    recent,
    look: () => recent.look(nowMs),
    at: (ms: number) => (nowMs = ms),
    junk: (partition = 0) => log.append([{ topic: 'c.results', partition, key: null, value: Buffer.from('junk') }]),
    report: (outcomes: readonly Report[], partition = 0) =>
      log.append([
        {
          topic: 'c.results',
          partition,
          key: null,
          value: codec.encode('results', {
            ...blankResult,
            outcomes: outcomes.map((one) => ({ ...blankOutcome, url: 'http://a.test/', ...one })),
          }),
        },
      ]),
  };
}

test('outcomes of the last minute are counted by kind, the most frequent first, with failures marked', async () => {
  const { look, report, at, junk } = await rig(2);
  assert.deepEqual(await look(), { outcomes: 0, kinds: [], fetches: [], newestMs: null, causes: [] });
  await report([{ kind: 'fetched', status: 200 }, { kind: 'returned' }, { kind: 'serverError', status: 503 }]);
  await junk();
  at(1_030_000);
  await report([{ kind: 'fetched' }, { kind: 'robotsDenied' }], 1);
  const { outcomes, kinds, newestMs } = await look();
  assert.deepEqual([outcomes, newestMs], [4, 1_030_000]);
  assert.deepEqual(kinds, [
    { kind: 'fetched', count: 2, failed: false },
    { kind: 'serverError', count: 1, failed: true },
    { kind: 'robotsDenied', count: 1, failed: false },
  ]);
  at(1_000_000 + dashboardLimits.outcomesForMs);
  assert.equal((await look()).outcomes, 4, 'a minute is not over');
  at(1_000_001 + dashboardLimits.outcomesForMs);
  assert.equal((await look()).outcomes, 2);
  at(9_000_000);
  const later = await look();
  assert.deepEqual([later.outcomes, later.newestMs], [0, 1_030_000]);
  assert.deepEqual(
    later.causes.map(({ kind }) => kind),
    ['robotsDenied', 'serverError'],
    'why there are no pages stays',
  );
});

test('outcomes that are no failure of a page are not marked as failed', async () => {
  const { look, report } = await rig();
  const fine = [
    'fetched',
    'notModified',
    'redirect',
    'clientError',
    'gone',
    'paymentRequired',
    'robotsDenied',
    'refused',
    'crawlDelayTooLong',
  ] as const;
  const failed = ['serverError', 'throttled', 'timeout', 'dnsFailed', 'connectionFailed'] as const;
  await report([...fine, ...failed].map((kind) => ({ kind })));
  const { kinds, causes } = await look();
  assert.deepEqual(
    kinds
      .filter((one) => one.failed)
      .map(({ kind }) => kind)
      .sort(),
    [...failed].sort(),
  );
  const pages = ['fetched', 'notModified', 'redirect'];
  assert.deepEqual(causes.map(({ kind }) => kind).sort(), [...fine.slice(3), ...failed].sort());
  assert.ok(causes.every(({ kind }) => !pages.includes(kind)));
});

test('the newest outcomes are listed newest first, each once, from any partition', async () => {
  const { look, report, at } = await rig(2);
  const { fetchesShown } = dashboardLimits;
  for (let n = 0; n < fetchesShown + 2; n++) {
    at(1_000_000 + n);
    await report([{ url: `http://a.test/${n}`, kind: 'fetched', status: 200, detail: 'd'.repeat(300) }], n % 2);
  }
  const paths = async () => (await look()).fetches.map(({ url }) => Number(url.slice('http://a.test/'.length)));
  const newest = Array.from({ length: fetchesShown }, (_, n) => fetchesShown + 1 - n);
  assert.deepEqual(await paths(), newest);
  assert.deepEqual(await paths(), newest, 'a second look reads none of them again');
  const { fetches, outcomes } = await look();
  assert.equal(outcomes, fetchesShown + 2);
  const [{ atMs, kind, status, detail } = assert.fail('none')] = fetches;
  assert.deepEqual([atMs, kind, status, detail.length], [1_000_000 + fetchesShown + 1, 'fetched', 200, 200]);
});

test('a look reads only the newest of many outcomes, more of them at first', async () => {
  const { look, report } = await rig(4);
  const { resultsAtFirst, resultsPerLook } = dashboardLimits;
  for (let n = 0; n < resultsAtFirst; n++) await report([{ kind: 'fetched' }]);
  assert.equal((await look()).outcomes, resultsAtFirst / 4);
  for (let n = 0; n < resultsPerLook + 5; n++) await report([{ kind: 'fetched' }]);
  assert.equal((await look()).outcomes, resultsAtFirst / 4 + resultsPerLook);
});

test('a host’s last failure and newest responses are known', async () => {
  const { recent, look, report, at } = await rig();
  await report([
    { kind: 'serverError', status: 500 },
    { url: 'http://b.test/', kind: 'dnsFailed' },
  ]);
  at(1_000_001);
  await report([
    { kind: 'gone', status: 410 },
    { kind: 'fetched', status: 200 },
  ]);
  await look();
  assert.deepEqual(recent.lastFailure('a.test'), { kind: 'gone', status: 410 });
  assert.deepEqual(recent.lastFailure('b.test'), { kind: 'dnsFailed', status: 0 });
  assert.equal(recent.lastFailure('c.test'), undefined);
  assert.deepEqual(
    (await recent.ofHost('a.test', 0)).map(({ kind }) => kind),
    ['fetched', 'gone', 'serverError'],
  );
  const { hostOutcomes } = dashboardLimits;
  await report(Array.from({ length: hostOutcomes }, () => ({ kind: 'timeout' as const })));
  const newest = await recent.ofHost('a.test', 0);
  assert.deepEqual([newest.length, new Set(newest.map(({ kind }) => kind)).size], [hostOutcomes, 1]);
});

test('failures are kept for a bounded number of hosts, the newest ones', async () => {
  const { recent, look, report } = await rig();
  const { failuresKept } = dashboardLimits;
  const failed = (n: number) => ({ url: `http://h${n}.test/`, kind: 'timeout' as const });
  await report(Array.from({ length: failuresKept }, (_, n) => failed(n)));
  await look();
  await report([failed(0), failed(failuresKept)]);
  await look();
  assert.notEqual(recent.lastFailure('h0.test'), undefined, 'it failed again');
  assert.equal(recent.lastFailure('h1.test'), undefined);
  assert.notEqual(recent.lastFailure(`h${failuresKept}.test`), undefined);
});
