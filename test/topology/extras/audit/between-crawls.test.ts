import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBetweenCrawls } from '../../../../topology/extras/audit/between-crawls.ts';
import type { Contact } from '../../../../topology/extras/audit/contact.ts';
import type { Violation } from '../../../../topology/extras/audit/violation.ts';

const tolerance = { skewMs: 100, noticeMs: 10_000 };

function contact(startMs: number, given: Partial<Contact> = {}): Contact {
  return {
    place: { topic: 'results', partition: 0, offset: startMs },
    ...{ host: 'a.test', url: `https://a.test/${startMs}`, startMs, endMs: startMs + 50, status: 200, retryAfterMs: 0 },
    ...{ fetcherId: `f${startMs}`, client: 'leases', leaseId: startMs, crawlDelayMs: 0 },
    pace: { delayMs: 1_000, factor: 0, factorCapMs: 0, hostSlots: 4, source: 'policy version 1' },
    ...given,
  };
}

function between(leastMsAt?: (ms: number) => number) {
  const found: Violation[] = [];
  return { found, ...createBetweenCrawls(tolerance, (violation) => found.push(violation), leastMsAt) };
}

test('a host serves one crawl at a time, however many slots a policy allows, and no clock is trusted', () => {
  const { found, take } = between();
  take('a', contact(0));
  take('b', contact(1_049));
  take('a', contact(2_099));
  assert.deepEqual(found, [
    {
      ...{
        kind: 'gapTooShort',
        host: 'a.test',
        url: 'https://a.test/1049',
        atMs: 1_049,
        measuredMs: 999,
        boundMs: 1_000,
      },
      ...{ topic: 'b/results', partition: 0, offset: 1_049, source: 'policy version 1, between crawls of the fleet' },
    },
  ]);
});

test('violations from a crawl’s own audit are not repeated; those of another moment, URL or kind are reported', () => {
  const { found, take, known } = between();
  take('a', contact(0));
  const reported = { kind: 'gapTooShort', host: 'a.test', url: 'https://a.test/500', atMs: 500, source: '' } as const;
  known({ ...reported, topic: 'results', partition: 0, offset: 500, measuredMs: 450, boundMs: 1_000 });
  take('a', contact(500));
  assert.deepEqual(found, []);
  take('b', contact(900));
  assert.deepEqual(
    found.map(({ atMs }) => atMs),
    [900],
  );
});

test('a browser’s requests belong to another client', () => {
  const { found, take, counts } = between();
  take('a', contact(0));
  take('b', contact(10, { client: 'browser', leaseId: 0 }));
  assert.deepEqual([found, counts()], [[], { hosts: 1, shared: 0 }]);
});

test('hosts are counted once, and shared ones if a second crawl came', () => {
  const { take, counts } = between();
  for (let n = 0; n < 4; n++) take('a', contact(n * 5_000, { host: `h${n % 2}.test` }));
  take('b', contact(60_000, { host: 'h1.test' }));
  take('b', contact(70_000, { host: 'h1.test' }));
  assert.deepEqual(counts(), { hosts: 2, shared: 1 });
});

test('the minimum delay of the fleet binds every crawl from its setting on; of two, the milder counts', () => {
  const { found, take } = between((ms) => (ms < 10_000 ? 2_000 : 500));
  take('a', contact(0));
  take('a', contact(1_500));
  take('a', contact(8_900));
  take('b', contact(10_000));
  assert.deepEqual(
    found.map(({ atMs, measuredMs, boundMs, source }) => [atMs, measuredMs, boundMs, source]),
    [[1_500, 1_450, 2_000, 'the minimum delay of the fleet, between crawls of the fleet']],
  );
});
