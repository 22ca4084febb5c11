/** When a host may be leased next, and with whom it waits for its lease. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { refreshHosts } from '../../../../topology/frontier/hosts/clock.ts';
import { clockQueueOf } from '../../../../topology/frontier/state/settle-host.ts';
import type { PolicyConfig } from '../../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../../topology/policy/recrawl/recrawl-config.ts';

const a = 'a.test';
const hour = 3_600_000;

const hourly = { ...defaultRecrawl, schedule: 'fixed' as const, intervalMs: hour };

function hostOf({ rig }: Hand) {
  const { state } = rig.core;
  const host = state.hosts.get(a)!;
  return { readyAtMs: state.clock.readyAtMs(host.id), frontQueue: clockQueueOf(state, host), facts: host.facts };
}

/** A page that is due in an hour, and a URL of the same host whose retry is due in so long. */
function retrying(retryMs: number, policy: Partial<PolicyConfig> = {}): Hand {
  const hand = new Hand({ delayMs: 1_000, recrawl: hourly, retriesMs: [retryMs], ...policy });
  hand.links(a, 2, { priority: 5 });
  hand.report(hand.lease(), { kind: ['fetched', 'serverError'] });
  assert.deepEqual([hand.counters.scheduled, hand.counters.retrying], [1, 1]);
  return hand;
}

describe('a waiting host', () => {
  it('a waiting host is sorted by its best front queue while some of its URLs are new', () => {
    const hand = new Hand({ recrawl: hourly });
    hand.links(a, 1, { priority: 5 });
    assert.equal(hostOf(hand).frontQueue, 5);
    hand.links(a, 1, { priority: 2, from: 1 });
    assert.equal(hostOf(hand).frontQueue, 2);
  });

  it('a waiting host is sorted with revisits if it has only those, or they come first', () => {
    const hand = new Hand({ recrawl: hourly });
    hand.links(a, 1);
    hand.report(hand.lease());
    assert.equal(hostOf(hand).frontQueue, refreshHosts);
    assert.equal(hostOf(retrying(hour + 1_000)).frontQueue, refreshHosts);
    for (const retryMs of [hour - 1_000, hour])
      assert.notEqual(hostOf(retrying(retryMs)).frontQueue, refreshHosts, `a retry after ${retryMs} ms`);
  });
});

describe('a leasable host', () => {
  it('a host may be leased as soon as the earlier of a visit and a retry is due', () => {
    for (const [retryMs, afterMs] of [
      [hour + 1_000, hour],
      [hour - 1_000, hour - 1_000],
    ] as const) {
      const hand = retrying(retryMs);
      assert.equal(hostOf(hand).readyAtMs, hand.nowMs + afterMs);
    }
  });

  it('a host may not be leased before its delay is over, even if a visit is due', () => {
    const hand = retrying(hour, { delayMs: 3 * hour, leadTimeMs: 24 * hour });
    assert.equal(hostOf(hand).readyAtMs, hand.nowMs + 3 * hour);
  });

  it('a host may not be leased while it is empty, held, or at its number of slots', () => {
    const hand = new Hand({ delayMs: 1_000 });
    hand.links(a, 1);
    assert.notEqual(hostOf(hand).readyAtMs, undefined);
    hand.event('blockHost', a);
    assert.equal(hostOf(hand).readyAtMs, undefined, 'held');
    hand.event('releaseHost', a);
    assert.notEqual(hostOf(hand).readyAtMs, undefined);
    const task = hand.lease();
    hand.links(a, 1, { from: 1 });
    assert.equal(hostOf(hand).readyAtMs, undefined, 'on lease');
    hand.report(task);
    assert.equal(hostOf(hand).readyAtMs, hand.nowMs + 1_000);
    hand.report(hand.lease(1_000));
    assert.equal(hostOf(hand).readyAtMs, undefined, 'nothing is left');
  });

  it('an unreachable host may be leased for its visits only: when they are due, and the verdict has expired', () => {
    const hand = retrying(1_000, { recrawl: { ...hourly, intervalMs: 400 * hour } });
    const { abandoning } = hand.rig.core.state;
    while (abandoning.size === 0) hand.report(hand.lease(hour), { kind: 'robotsUnreachable' });
    assert.equal(hostOf(hand).readyAtMs, undefined, 'its queue is given up on first');
    while (abandoning.size > 0) hand.rig.step(hand.nowMs, 0);
    const dueAtMs = 1_000_000 + 400 * hour;
    const { readyAtMs, facts } = hostOf(hand);
    assert.ok(facts.deadUntilMs > hand.nowMs && facts.deadUntilMs < dueAtMs);
    assert.equal(readyAtMs, dueAtMs);
    const soon = retrying(1_000);
    while (soon.rig.core.state.abandoning.size === 0) soon.report(soon.lease(hour), { kind: 'robotsUnreachable' });
    while (soon.rig.core.state.abandoning.size > 0) soon.rig.step(soon.nowMs, 0);
    assert.equal(hostOf(soon).readyAtMs, hostOf(soon).facts.deadUntilMs);
  });

  it('a host that was given up is leased with one failure less, so that one more gives it up again', () => {
    for (const retriesMs of [[], [1_000]]) {
      const hand = new Hand({ delayMs: 1_000, recrawl: hourly, retriesMs });
      hand.links(a, 1);
      hand.report(hand.lease());
      hand.links(a, 1, { from: 1 });
      const { abandoning } = hand.rig.core.state;
      while (abandoning.size === 0) hand.report(hand.lease(hour / 2), { kind: 'robotsUnreachable' });
      while (abandoning.size > 0) hand.rig.step(hand.nowMs, 0);
      const { failures, deadUntilMs } = hostOf(hand).facts;
      assert.equal(failures, retriesMs.length + 1);
      hand.leaseExactlyAfter(deadUntilMs - hand.nowMs);
      assert.deepEqual([hostOf(hand).facts.failures, hostOf(hand).facts.deadUntilMs], [failures - 1, 0]);
    }
  });
});
