/** Leases whose deadline has passed without a word: when their host goes on, and how much of it travels together then. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../../lab/model/hand.ts';
import type { Task } from '../../../../../schemas/types.ts';
import { decodeChangelog } from '../../../../../topology/frontier/changes/changelog.ts';
import { frontierLimits } from '../../../../../topology/frontier/frontier-limits.ts';

const host = 'a.test';
const delayMs = 60_000;
const factsOf = ({ rig }: Hand) => rig.core.state.hosts.get(host)!.facts;

/** On to where the lease counts as expired. */
function expire(hand: Hand, { deadlineMs }: Task): void {
  hand.grant(deadlineMs + frontierLimits.clockSkewMs - 1 - hand.nowMs, 0);
  const { untaken, leases } = hand.counters;
  hand.grant(1, 0);
  assert.deepEqual([hand.counters.untaken, hand.counters.leases], [untaken, leases - 1], 'one lease has expired');
}

/** Two leases of a host that may be on two, half a delay apart. */
function twoOut(): { readonly hand: Hand; readonly late: Task; readonly heard: Task } {
  const hand = new Hand({ delayMs, parallel: [{ hosts: [host], leases: 2 }], urlsPerLeaseMax: 1 });
  hand.links(host, 9);
  hand.report(hand.lease());
  const late = hand.lease(delayMs);
  return { hand, late, heard: hand.lease(delayMs / 2) };
}

describe('an expired lease', () => {
  it('an expired lease delays its host from the deadline: until then a fetcher may have contacted it', () => {
    const hand = new Hand({ delayMs });
    hand.links(host, 3);
    const task = hand.lease();
    expire(hand, task);
    assert.equal(factsOf(hand).readyAtMs, task.deadlineMs + delayMs);
    hand.leaseExactlyAfter(task.deadlineMs + delayMs - hand.nowMs);
  });

  it('an expired lease keeps a longer delay that its host has asked for', () => {
    const { hand, late, heard } = twoOut();
    hand.report(heard, { kind: 'throttled', retryAfterMs: 3_600_000 });
    const { readyAtMs } = factsOf(hand);
    assert.equal(readyAtMs, hand.nowMs + 3_600_000);
    expire(hand, late);
    assert.equal(factsOf(hand).readyAtMs, readyAtMs);
  });

  it('an expired lease delays only its own slot of a host with several', () => {
    const { hand, late, heard } = twoOut();
    hand.report(heard);
    expire(hand, late);
    hand.lease();
    hand.leaseExactlyAfter(late.deadlineMs + delayMs - hand.nowMs);
  });

  it('an expired lease returns in quarters, down to single URLs, even if no more was queued', () => {
    const hand = new Hand({ delayMs: 1_000 });
    hand.links(host, 40);
    const first = hand.lease();
    assert.equal(first.urls.length, 8);
    expire(hand, first);
    const second = hand.lease(delayMs);
    assert.equal(second.urls.length, 2);
    expire(hand, second);
    const third = hand.lease(delayMs);
    assert.equal(third.urls.length, 1);
    expire(hand, third);
    assert.equal(factsOf(hand).leaseMax, 1);
    const single = new Hand({ delayMs: 1_000 });
    single.links(host, 1);
    const before = factsOf(single).leaseMax;
    expire(single, single.lease());
    assert.deepEqual([before === 1, factsOf(single).leaseMax], [false, 1]);
  });

  it('an expired lease is recorded as expired in the changelog', () => {
    const hand = new Hand();
    hand.links(host, 1);
    const reported = hand.lease();
    hand.report(reported);
    hand.links(host, 1, { from: 1 });
    const task = hand.lease(delayMs);
    expire(hand, task);
    const ended = hand.rig.changelog.flatMap((bytes) => {
      const record = decodeChangelog(bytes);
      return record.kind === 'commit' ? [...record.changes].filter(({ kind }) => kind === 'release') : [];
    });
    assert.deepEqual(ended, [
      { kind: 'release', leaseId: reported.leaseId, expired: false },
      { kind: 'release', leaseId: task.leaseId, expired: true },
    ]);
  });
});
