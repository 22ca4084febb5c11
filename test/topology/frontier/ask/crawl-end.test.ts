import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Look, PartitionStatus } from '../../../../topology/frontier/ask/crawl-end.ts';
import { crawlEnd, isSame } from '../../../../topology/frontier/ask/crawl-end.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';

const at = (offset: number) => ({ offset, slice: 0 });
const quiet: PartitionStatus = {
  positions: { control: at(1), results: at(4), discovered: at(9) },
  ends: { control: 1, results: 4, discovered: 9 },
  counters: { ...zeroCounters(), admitted: 3, page: 3 },
};
const look = (...partitions: PartitionStatus[]): Look => ({ partitions, pageQuota: null });
const busy = (counters: Partial<PartitionStatus['counters']>): PartitionStatus => ({
  ...quiet,
  counters: { ...quiet.counters, ...counters },
});

it('a crawl is done when two looks are equal, with nothing left to do', () => {
  assert.equal(crawlEnd(look(quiet, quiet), look(quiet, quiet)), 'done');
});

it('a crawl is not done while anything is queued, leased, to be retried or unread, in any partition', () => {
  const unread = (topic: 'control' | 'results' | 'discovered') => ({ ...quiet, ends: { ...quiet.ends, [topic]: 10 } });
  const rests = [busy({ queued: 1 }), busy({ leased: 1, leases: 1 }), busy({ retrying: 1 })];
  for (const rest of [...rests, unread('control'), unread('results'), unread('discovered')]) {
    assert.equal(crawlEnd(look(quiet, rest), look(quiet, rest)), null);
  }
});

it('a crawl is not done when something moved between the looks', () => {
  const moved = {
    ...quiet,
    positions: { ...quiet.positions, discovered: at(8) },
    ends: { ...quiet.ends, discovered: 8 },
  };
  assert.equal(crawlEnd(look(moved), look(quiet)), null);
});

it('two looks at a crawl are compared by the names of their fields too, and NaN equals NaN', () => {
  const [left, right] = [
    { ...quiet, one: undefined },
    { ...quiet, two: undefined },
  ];
  assert.equal(isSame(look(left), look(right)), false);
  assert.equal(isSame(look(busy({ page: Number.NaN })), look(busy({ page: Number.NaN }))), true);
});

it('deferred and dead URLs do not delay the end', () => {
  const rest = busy({ deferred: 7, dead: 2 });
  assert.equal(crawlEnd(look(rest), look(rest)), 'done');
});

it('a spent quota ends a crawl with URLs still queued, once no lease is out', () => {
  const spent = { ...look(busy({ queued: 50, quotaSpent: 3 })), pageQuota: 3 };
  assert.equal(crawlEnd(spent, spent), 'quotaSpent');
  const leased = { ...look(busy({ queued: 50, quotaSpent: 3, leases: 1, leased: 1 })), pageQuota: 3 };
  assert.equal(crawlEnd(leased, leased), null);
});

it('a spent quota does not end a crawl that has not read all operators’ orders: one may have raised it', () => {
  const unheard = { ...busy({ queued: 50, quotaSpent: 3 }), ends: { ...quiet.ends, control: 2, discovered: 10 } };
  const spent = { ...look(unheard), pageQuota: 3 };
  assert.equal(crawlEnd(spent, spent), null);
});

it('a crawl is not done while a single URL or lease is out, whichever is counted, or a page is scheduled', () => {
  for (const rest of [busy({ leases: 1 }), busy({ leased: 1 }), busy({ scheduled: 1 })])
    assert.equal(crawlEnd(look(quiet, rest), look(quiet, rest)), null);
});

it('a quota ends a crawl when the last of its pages is spent, not before', () => {
  const spending = (quotaSpent: number) => ({ ...look(busy({ queued: 50, quotaSpent })), pageQuota: 3 });
  assert.deepEqual(
    [2, 3, 4].map((spent) => crawlEnd(spending(spent), spending(spent))),
    [null, 'quotaSpent', 'quotaSpent'],
  );
});
