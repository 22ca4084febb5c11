import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fingerprintKey } from '../../../../../lab/simulation/driver.ts';
import { blankControl } from '../../../../../schemas/blank.ts';
import type { Counters } from '../../../../../topology/frontier/changes/counters.ts';
import {
  decideQuota,
  decideQuotaGrant,
  decideQuotaReport,
  decideQuotaShares,
} from '../../../../../topology/frontier/decide/control/quota.ts';
import { Decision } from '../../../../../topology/frontier/decide/decision.ts';
import { FrontierState } from '../../../../../topology/frontier/state/state.ts';

/** One partition of four, or of as many as are given. */
function decisionOf(counters: Partial<Counters> = {}, partition = 2, partitions = 4): Decision {
  const state = new FrontierState(fingerprintKey);
  Object.assign(state.counters, counters);
  return new Decision({ crawl: 'q', partition, partitions }, state, 1_000, () => null);
}

/** What a partition says to the book: pages wanted, and pages given back. */
const reported = (decision: Decision) =>
  decision.controls.map(({ partition, record }) => [
    partition,
    record.kind,
    record.partition,
    record.wanted,
    record.amount,
  ]);

describe('a partition of several', () => {
  const asks = (counters: Partial<Counters>, quota: number | null = 100) => {
    const decision = decisionOf(counters);
    decideQuota(decision, quota);
    return reported(decision);
  };

  it('a partition of several asks for as many pages as it has URLs once none is left, for at most 64', () => {
    assert.deepEqual(asks({ queued: 1 }), [[0, 'quotaReport', 2, 1, 0]]);
    assert.deepEqual(asks({ queued: 60, retrying: 3 }), [[0, 'quotaReport', 2, 63, 0]]);
    assert.deepEqual(asks({ queued: 60, retrying: 4 }), [[0, 'quotaReport', 2, 64, 0]]);
    assert.deepEqual(asks({ queued: 60, retrying: 5 }), [[0, 'quotaReport', 2, 64, 0]]);
    assert.deepEqual(asks({ queued: 5, quotaGranted: 7, quotaSpent: 7 }), [[0, 'quotaReport', 2, 5, 0]]);
  });

  it('a partition of several does not ask while it has quota, has nothing to fetch, has asked, or there is no quota', () => {
    assert.deepEqual(asks({ queued: 5, quotaGranted: 7, quotaSpent: 6 }), []);
    assert.deepEqual(asks({}), []);
    assert.deepEqual(asks({ queued: 5 }, null), []);
    const decision = decisionOf({ queued: 5 });
    decideQuota(decision, 100);
    decideQuota(decision, 100);
    assert.equal(decision.controls.length, 1);
  });

  it('a partition of several returns unused quota once nothing waits and nothing is out', () => {
    const spare = { quotaGranted: 10, quotaSpent: 7, quotaReturned: 1 };
    assert.deepEqual(asks(spare), [[0, 'quotaReport', 2, 0, 3]]);
    assert.deepEqual(asks({ ...spare, leased: 1 }), []);
    assert.deepEqual(asks({ ...spare, queued: 1 }), []);
    assert.deepEqual(asks({ ...spare, retrying: 1 }), []);
    assert.deepEqual(asks({ ...spare, quotaSpent: 9 }), []);
  });

  it('a partition of several takes a grant as a growing total, and then asks again', () => {
    const decision = decisionOf({ queued: 5, quotaReturned: 2 });
    decideQuota(decision, 100);
    for (const [amount, granted] of [
      [6, 6],
      [6, 6],
      [4, 6],
      [7, 7],
    ] as const) {
      decideQuotaGrant(decision, { ...blankControl, kind: 'quota', amount });
      assert.equal(decision.state.counters.quotaGranted, granted);
    }
    assert.equal(decision.state.quota.wanted, 0);
    assert.equal(decision.state.counters.quotaReturned, 2);
  });
});

it('a single partition has the whole quota, and follows its changes', () => {
  const decision = decisionOf({ queued: 5 }, 0, 1);
  for (const quota of [50, 50, 20, 70]) {
    decideQuota(decision, quota);
    assert.equal(decision.state.counters.quotaGranted, quota);
  }
  decideQuota(decision, null);
  assert.equal(decision.state.counters.quotaGranted, 70);
  assert.deepEqual(decision.controls, []);
});

describe('the quota book', () => {
  const report = (partition: number, wanted: number, amount = 0, version = 1) =>
    ({ ...blankControl, kind: 'quotaReport', partition, wanted, amount, version }) as const;
  /** What each partition has been granted in all, after these reports. */
  const shares = (quota: number | null, partitions: number, reports: readonly ReturnType<typeof report>[], at = 0) => {
    const decision = decisionOf({}, at, partitions);
    for (const one of reports) decideQuotaReport(decision, one);
    decideQuotaShares(decision, quota);
    return decision.controls.map(({ partition, record }) => [partition, record.kind, record.amount, record.version]);
  };

  it('the quota book gives each partition what it asks, up to its part of half of the rest, in partition order', () => {
    assert.deepEqual(shares(1_000, 4, [report(3, 64), report(1, 7)]), [
      [1, 'quota', 7, 7],
      [3, 'quota', 64, 64],
    ]);
    // 80 / 8 = 10, then 70 / 8 = 8.
    assert.deepEqual(shares(80, 4, [report(3, 64), report(1, 64)]), [
      [1, 'quota', 10, 10],
      [3, 'quota', 8, 8],
    ]);
  });

  it('the quota book gives single pages at the end, and no more than there are', () => {
    assert.deepEqual(shares(2, 4, [report(1, 9), report(2, 9), report(3, 9)]), [
      [1, 'quota', 1, 1],
      [2, 'quota', 1, 1],
    ]);
    assert.deepEqual(shares(0, 4, [report(1, 9)]), []);
  });

  it('the quota book counts returned pages as left, once', () => {
    const decision = decisionOf({}, 0, 2);
    decideQuotaReport(decision, report(1, 4));
    decideQuotaShares(decision, 4);
    decideQuotaReport(decision, report(1, 4, 0, 2));
    decideQuotaShares(decision, 4);
    assert.deepEqual(decision.state.quota.book.get(1)?.granted, 2);
    decideQuotaReport(decision, report(1, 0, 2, 3));
    decideQuotaReport(decision, report(1, 0, 1, 4));
    assert.equal(decision.state.quota.book.get(1)?.returned, 2, 'a total only grows');
    decideQuotaReport(decision, report(0, 64, 0, 1));
    decideQuotaShares(decision, 4);
    assert.equal(decision.state.quota.book.get(0)?.granted, 1);
    assert.equal(decision.state.quota.book.get(0)?.wanted, 0);
  });

  it('the quota book gives a partition’s total, including what it had before', () => {
    const decision = decisionOf({}, 0, 2);
    for (const version of [1, 2, 3]) {
      decideQuotaReport(decision, report(1, 5, 0, version));
      decideQuotaShares(decision, 1_000);
    }
    assert.deepEqual(
      decision.controls.map(({ record }) => record.amount),
      [5, 10, 15],
    );
  });

  it('the quota book is kept by partition 0 of several, under a quota', () => {
    assert.deepEqual(shares(100, 4, [report(1, 5)], 1), []);
    assert.deepEqual(shares(100, 1, [report(0, 5)]), []);
    assert.deepEqual(shares(null, 4, [report(1, 5)]), []);
  });
});
