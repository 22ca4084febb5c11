/** A host that waits has the delay in force, from its last contact on, as soon as the delay changes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../../lab/model/hand.ts';
import { controlOf } from '../../../../../lab/model/model-script.ts';
import type { Task } from '../../../../../schemas/types.ts';
import { readChangelog } from '../../../../../topology/frontier/changes/changelog.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import type { Step } from '../../../../../topology/frontier/decide/step.ts';
import { frontierLimits } from '../../../../../topology/frontier/frontier-limits.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';

const a = 'a.test';
const minute = 60_000;
/** One URL on each lease. */
const alone = { urlsPerLeaseMax: 1 };

/** A host with pages to come was contacted now. */
function contacted(policy: Partial<PolicyConfig>, report: Parameters<Hand['report']>[1] = {}): Hand {
  const hand = new Hand({ ...alone, ...policy });
  hand.links(a, 20);
  hand.report(hand.lease(), report);
  return hand;
}

function sameAfterReplay({ rig }: Hand): void {
  assert.equal(digest(rig.replayed()), digest(rig.core.state));
}

describe('a delay that a policy changes', () => {
  it('a shorter delay of a policy ends the wait of a host, counted from the order, for the last contact may be later than it seems', () => {
    const hand = contacted({ delayMs: minute });
    assert.deepEqual(hand.grant(3_000), []);
    hand.policy({ ...alone, delayMs: 5_000 });
    hand.leaseExactlyAfter(5_000);
    sameAfterReplay(hand);
  });

  it('a shorter delay makes no host wait longer', () => {
    const hand = contacted({ delayMs: minute });
    hand.nowMs += 58_000;
    hand.policy({ ...alone, delayMs: 5_000 });
    hand.leaseExactlyAfter(2_000);
  });

  it('a wait that is longer than the former delay is a pause, and a shorter delay leaves it', () => {
    const hand = contacted({ delayMs: 20_000 });
    const { state } = hand.rig.core;
    state.apply({
      kind: 'host',
      hostKey: a,
      facts: { ...state.hosts.get(a)!.facts, readyAtMs: hand.nowMs + 90_000 },
    });
    hand.policy({ ...alone, delayMs: 1_000 });
    hand.leaseExactlyAfter(90_000);
  });

  it('a longer delay of a policy counts from the change, or from the end of a wait that is over', () => {
    for (const [sinceMs, afterMs] of [
      [400, minute],
      [3_000, minute - 2_000],
    ] as const) {
      const hand = contacted({ delayMs: 1_000 });
      hand.nowMs += sinceMs;
      hand.policy({ ...alone, delayMs: minute });
      hand.leaseExactlyAfter(afterMs);
      sameAfterReplay(hand);
    }
  });

  it('a delay that becomes longer twice counts from the last contact, although the first wait is over', () => {
    const hand = contacted({ delayMs: 1_000 });
    hand.nowMs += 10_000;
    hand.policy({ ...alone, delayMs: 5_000 });
    hand.nowMs += 1_000;
    hand.policy({ ...alone, delayMs: minute });
    assert.deepEqual(hand.grant(minute - 11_001), [], 'not within a minute of the contact');
  });

  it('a longer and then a shorter delay leave the wait of a host as it was', () => {
    const hand = contacted({ delayMs: 10_000 });
    hand.policy({ ...alone, delayMs: minute });
    hand.policy({ ...alone, delayMs: 10_000 });
    hand.leaseExactlyAfter(10_000);
  });

  it('a shorter delay never ends a pause that a host asked for', () => {
    const hand = contacted({ delayMs: 20_000 }, { kind: 'throttled', status: 503, retryAfterMs: 30_000 });
    hand.policy({ ...alone, delayMs: 1_000 });
    hand.leaseExactlyAfter(30_000);
    const redirected = contacted({ delayMs: minute }, { kind: 'redirect', retryAfterMs: 90_000 });
    redirected.nowMs += 50_000;
    redirected.policy({ ...alone, delayMs: 1_000 });
    redirected.leaseExactlyAfter(40_000);
    // When the pause of a host ends within its delay is not stored: the whole wait stays.
    const short = contacted({ delayMs: minute }, { kind: 'redirect', retryAfterMs: 5_000 });
    short.policy({ ...alone, delayMs: 1_000 });
    short.leaseExactlyAfter(minute);
  });

  it('a shorter delay never ends the back-off of a host in trouble', () => {
    const retriesMs = [20_000, minute];
    const hand = contacted({ delayMs: 15_000, retriesMs }, { kind: 'connectionFailed', status: 0 });
    hand.policy({ ...alone, delayMs: 1_000, retriesMs });
    hand.leaseExactlyAfter(20_000);
  });

  it('a shorter delay never goes below the Crawl-delay of a host, nor below the multiple of its fetch time', () => {
    const slow = contacted({ delayMs: minute }, { crawlDelayMs: 8_000 });
    slow.policy({ ...alone, delayMs: 1_000 });
    slow.leaseExactlyAfter(8_000);
    const adaptive = contacted({ delayMs: minute, delayFactor: 10 }, { tookMs: 700 });
    adaptive.policy({ ...alone, delayMs: 1_000, delayFactor: 10 });
    adaptive.leaseExactlyAfter(7_000);
  });

  it('a longer delay outlasts a pause that is shorter', () => {
    const hand = contacted({ delayMs: 1_000 }, { kind: 'throttled', status: 503, retryAfterMs: 30_000 });
    hand.policy({ ...alone, delayMs: minute });
    assert.deepEqual(hand.grant(minute - 1), [], 'not before the delay in force');
    hand.lease(1);
  });

  it('a delay that an overlay changes moves only the hosts that the overlay matches', () => {
    const hand = new Hand({ ...alone, delayMs: minute });
    for (const host of [a, 'b.test']) {
      hand.links(host, 2);
      hand.report(hand.lease());
    }
    const overlays = [{ name: 'quick', match: { hosts: [a] }, set: { delayMs: 1_000 } }];
    hand.policy({ ...alone, delayMs: minute, overlays });
    const quick = hand.leaseExactlyAfter(1_000);
    assert.equal(quick.hostKey, a);
    hand.report(quick);
    assert.equal(hand.leaseExactlyAfter(minute - 1_000).hostKey, 'b.test');
  });

  it('a longer delay holds for a host on lease when its fetcher is killed', () => {
    const hand = new Hand({ ...alone, delayMs: 1_000 });
    hand.links(a, 5);
    hand.lease();
    hand.nowMs += 500;
    hand.policy({ ...alone, delayMs: minute });
    hand.rig.reopen(hand.nowMs, true);
    hand.rig.open(hand.nowMs);
    hand.leaseExactlyAfter(minute);
    sameAfterReplay(hand);
  });

  it('a longer delay holds for a host on lease when its fetcher is killed long after the change, whatever is saved', () => {
    for (const saves of [false, true]) {
      const hand = new Hand({ ...alone, delayMs: 1_000 });
      hand.links(a, 5);
      hand.lease();
      hand.policy({ ...alone, delayMs: 8_000 });
      if (saves) hand.rig.save();
      for (let n = 0; n < 20; n++) hand.links('b.test', 1, { from: n });
      assert.ok(!hand.rig.isSaving);
      hand.nowMs += 20_000;
      hand.rig.reopen(hand.nowMs, true);
      hand.rig.open(hand.nowMs);
      hand.event('blockHost', 'b.test');
      hand.leaseExactlyAfter(8_000);
      sameAfterReplay(hand);
    }
  });

  it('a release of a host in trouble leaves its pause to a delay that becomes shorter', () => {
    const hand = contacted({ delayMs: minute }, { kind: 'throttled', status: 503, retryAfterMs: 90_000 });
    hand.event('releaseHost', a);
    hand.nowMs += 40_000;
    hand.policy({ ...alone, delayMs: 1_000 });
    hand.leaseExactlyAfter(50_000);
    sameAfterReplay(hand);
  });

  it('a purge and a release of a host in trouble leave its pause to a delay that becomes shorter', () => {
    const hand = contacted({ delayMs: minute }, { kind: 'throttled', status: 503, retryAfterMs: 90_000 });
    hand.rig.send('control', controlOf({ kind: 'purge', hostKey: a }));
    hand.event('releaseHost', a);
    hand.links(a, 1, { from: 30 });
    hand.nowMs += 40_000;
    hand.policy({ ...alone, delayMs: 1_000 });
    hand.leaseExactlyAfter(50_000);
    sameAfterReplay(hand);
  });

  it('the pause after an unfinished lease outlasts the good end of another lease of the host', () => {
    const parallel = [{ hosts: [a], leases: 2 }];
    const hand = contacted({ delayMs: minute, parallel });
    const [first, second] = [hand.lease(minute), hand.lease(minute / 2)];
    hand.rig.send('results', { ...hand.resultOf(first, () => ({})), outcomes: [], requests: [] });
    hand.report(second);
    hand.policy({ ...alone, delayMs: 100, parallel });
    const { readyAtMs } = hand.rig.core.state.hosts.get(a)!.facts;
    assert.equal(readyAtMs, hand.nowMs + 1_000);
    sameAfterReplay(hand);
  });

  it('an operator who changes the delay of a host moves its wait', () => {
    const hand = contacted({ delayMs: minute });
    hand.event('hostDelay', a, 2_000);
    hand.report(hand.leaseExactlyAfter(2_000));
    hand.event('hostDelay', a, 30_000);
    hand.leaseExactlyAfter(30_000);
    sameAfterReplay(hand);
  });

  it('each slot of a host with several leases waits by the delay in force', () => {
    const parallel = [{ hosts: [a], leases: 2 }];
    const hand = contacted({ delayMs: minute, parallel });
    const two = [hand.lease(minute), hand.lease(minute / 2)];
    for (const task of two) hand.report(task);
    hand.policy({ ...alone, delayMs: 1_000, parallel });
    hand.lease(1_000);
    hand.lease(500);
    sameAfterReplay(hand);
  });

  it('a slot that was free for long waits by a longer delay, counted from the last contact that it may have made', () => {
    const parallel = [{ hosts: [a], leases: 3 }];
    const hand = contacted({ delayMs: 1_000, parallel });
    const two = [hand.lease(1_000), hand.lease(500)];
    for (const task of two) hand.report(task);
    hand.lease(2_000);
    hand.nowMs += 1_000;
    hand.policy({ ...alone, delayMs: minute, parallel });
    assert.deepEqual(hand.grant(minute - 3_001, 3), []);
    sameAfterReplay(hand);
  });

  it('a longer delay outlasts the short wait after a kill, although the multiple of the fetch time was longer', () => {
    const hand = contacted({ delayMs: 1_000, delayFactor: 10 }, { tookMs: 3_000 });
    hand.lease(30_000);
    hand.rig.reopen(hand.nowMs, true);
    hand.rig.open(hand.nowMs);
    hand.nowMs += 100;
    hand.policy({ ...alone, delayMs: minute, delayFactor: 10 });
    assert.deepEqual(hand.grant(minute - 101), [], 'not within a minute of the kill');
    hand.lease(101);
    sameAfterReplay(hand);
  });

  it('a longer delay that replaces a multiple of the fetch time outlasts the wait after a kill', () => {
    const hand = contacted({ delayMs: 1_000, delayFactor: 10 }, { tookMs: 3_000 });
    hand.lease(30_000);
    hand.rig.reopen(hand.nowMs, true);
    hand.rig.open(hand.nowMs);
    hand.nowMs += 100;
    hand.policy({ ...alone, delayMs: 5_000, delayFactor: 0 });
    assert.deepEqual(hand.grant(4_899), [], 'not within five seconds of the kill');
    hand.lease(101);
  });

  const parallel = [{ hosts: [a], leases: 2 }];
  /** A host with two slots, both on lease, the second since now. */
  function onTwo(policy: Partial<PolicyConfig>): [Hand, Task, Task] {
    const hand = contacted({ parallel, ...policy });
    const first = hand.lease(5_000);
    return [hand, first, hand.lease(2_500)];
  }

  it('a longer delay holds in all slots of a host with two leases that a kill ended', () => {
    const [hand] = onTwo({ delayMs: 5_000 });
    hand.nowMs += 58_000;
    hand.rig.reopen(hand.nowMs, true);
    hand.rig.open(hand.nowMs);
    hand.nowMs += 1_000;
    hand.policy({ ...alone, delayMs: minute, parallel });
    assert.deepEqual(hand.grant(minute - 1_001, 2), [], 'not within a minute of the kill');
    sameAfterReplay(hand);
  });

  it('a longer delay holds in all slots of a host with two leases that failed, and that an operator released', () => {
    const [hand, first, second] = onTwo({ delayMs: 5_000, retriesMs: [1_000] });
    hand.nowMs += 50_000;
    hand.report(first, { kind: 'connectionFailed', status: 0 });
    hand.nowMs += 5_000;
    hand.report(second, { kind: 'connectionFailed', status: 0 });
    hand.event('releaseHost', a);
    hand.nowMs += 2_000;
    hand.policy({ ...alone, delayMs: minute, parallel });
    assert.deepEqual(hand.grant(minute - 2_001, 2), [], 'not within a minute of the second');
    sameAfterReplay(hand);
  });

  it('a longer delay holds in all slots of a host after a late result', () => {
    const [hand, first, second] = onTwo({ delayMs: 5_000 });
    hand.nowMs += 200_000;
    hand.grant(0, 0);
    assert.equal(hand.rig.core.state.leases.size, 0);
    for (const task of [first, second]) hand.report(task);
    hand.nowMs += 1_000;
    hand.policy({ ...alone, delayMs: minute, parallel });
    assert.deepEqual(hand.grant(minute - 1_001, 2), [], 'not within a minute of the contact');
  });

  it('a Crawl-delay that a host had stated on a lease holds after a kill', () => {
    const hand = new Hand({ ...alone, delayMs: 1_000 });
    hand.links(a, 5);
    const task = hand.lease();
    const result = hand.resultOf(task, () => ({}), { crawlDelayMs: 9_000 });
    hand.rig.send('results', { ...result, outcomes: [], requests: [], last: false });
    hand.rig.step(hand.nowMs, 0);
    hand.nowMs += 8_900;
    hand.rig.reopen(hand.nowMs, true);
    hand.rig.open(hand.nowMs);
    assert.deepEqual(hand.grant(8_999), []);
    hand.lease(1);
    sameAfterReplay(hand);
  });

  it('all hosts of a domain wait by the delay in force, where the policy shares delays by domain', () => {
    const politenessKey = 'domain';
    const hand = new Hand({ ...alone, delayMs: minute, politenessKey });
    for (const name of ['a', 'b', 'c']) hand.links(`${name}.site.test`, 5);
    hand.report(hand.lease());
    assert.deepEqual(hand.grant(1_500, 3), []);
    hand.policy({ ...alone, delayMs: 2_000, politenessKey });
    hand.report(hand.leaseExactlyAfter(2_000));
    hand.leaseExactlyAfter(2_000);
    sameAfterReplay(hand);
  });
});

describe('a policy for more hosts than one commit has room for', () => {
  const count = 12_000;
  /** All of them were contacted now. */
  function many(): Hand {
    const hand = new Hand({ ...alone, delayMs: minute });
    for (let n = 0; n < count; n++) hand.links(`h${n}.test`, 2);
    const tasks = [];
    while (tasks.length < count) tasks.push(...hand.grant(0, count));
    for (const task of tasks)
      hand.rig.send(
        'results',
        hand.resultOf(task, () => ({})),
      );
    while (hand.rig.core.state.leases.size > 0) hand.rig.step(hand.nowMs, 0);
    return hand;
  }

  it('a policy for many hosts takes several commits, and nothing is granted between them', () => {
    const hand = many();
    const before = hand.rig.changelog.length;
    hand.policy({ ...alone, delayMs: 1_000 });
    assert.ok(hand.rig.core.state.positions.control.slice > 0, 'the first commit is full');
    hand.nowMs += 1_000;
    hand.rig.reopen(hand.nowMs, false);
    hand.rig.open(hand.nowMs);
    let granted = 0;
    while (granted === 0) {
      const wasIn = hand.rig.core.state.positions.control.slice > 0;
      granted = hand.rig.step(hand.nowMs, count)?.tasks.length ?? 0;
      if (wasIn && hand.rig.core.state.positions.control.slice > 0) assert.equal(granted, 0);
    }
    assert.equal(hand.rig.core.policy?.config.delayMs, 1_000);
    hand.nowMs += 1_000;
    while (hand.rig.core.state.leases.size < count) hand.rig.step(hand.nowMs, count - hand.rig.core.state.leases.size);
    const commits = hand.rig.changelog.slice(before);
    assert.ok(commits.every(({ length }) => length < 2 * frontierLimits.commitBytesSoft));
    sameAfterReplay(hand);
  });

  it('a policy that looks at many waiting hosts takes several commits, although it moves only one of them', () => {
    const hand = new Hand({ ...alone, delayMs: minute });
    const { state } = hand.rig.core;
    for (let n = 0; n <= frontierLimits.hostsMovedPerStep; n++) {
      const hostKey = `h${n}.test`;
      const facts = { ...state.hosts.at(state.getOrCreate(hostKey).id).facts, readyAtMs: hand.nowMs + minute };
      state.apply({ kind: 'host', hostKey, facts });
    }
    const last = `h${frontierLimits.hostsMovedPerStep}.test`;
    const overlays = [{ name: 'quick', match: { hosts: [last] }, set: { delayMs: 1_000 } }];
    hand.policy({ ...alone, delayMs: minute, overlays });
    assert.equal(state.positions.control.slice, frontierLimits.hostsMovedPerStep);
    hand.rig.step(hand.nowMs, 0);
    assert.equal(state.positions.control.slice, 0);
    assert.equal(state.hosts.get(last)!.facts.readyAtMs, hand.nowMs + 1_000);
  });

  it('no lease expires at the end of a policy of several commits, since its report may wait in the log', () => {
    const hand = many();
    hand.lease(minute);
    hand.policy({ ...alone, delayMs: 1_000 });
    assert.ok(hand.rig.core.state.positions.control.slice > 0);
    hand.nowMs += 10 * minute;
    while (hand.rig.core.state.positions.control.slice > 0) hand.rig.step(hand.nowMs, 0);
    assert.equal(hand.rig.core.state.leases.size, 1, 'the lease was out');
    hand.nowMs += frontierLimits.expiryHoldMs;
    hand.rig.step(hand.nowMs, 0);
    assert.equal(hand.rig.core.state.leases.size, 0);
    sameAfterReplay(hand);
  });

  it('hosts wait by the delay in force, if the log loses the policy that some of them waited by already', () => {
    const hand = many();
    hand.policy({ ...alone, delayMs: 1_000 });
    const { positions } = hand.rig.core.state;
    assert.ok(positions.control.slice > 0);
    hand.rig.goBack('control', positions.control.offset + 1, hand.nowMs);
    assert.deepEqual(hand.grant(minute - 2, 9), []);
    // Its next owner knows only the log.
    hand.rig.reopen(hand.nowMs, false);
    hand.rig.open(hand.nowMs);
    assert.deepEqual(hand.grant(1, 9), []);
    assert.equal(hand.grant(1, 9).length, 9);
    sameAfterReplay(hand);
  });

  it('an owner that is killed while it returns many hosts to the delay in force does so again', () => {
    const hand = many();
    hand.policy({ ...alone, delayMs: 1_000 });
    while (hand.rig.core.state.positions.control.slice <= frontierLimits.hostsMovedPerStep)
      hand.rig.step(hand.nowMs, 0);
    const { offset, slice } = hand.rig.core.state.positions.control;
    const steps = hand.rig.core.goBack('control', offset + 1, hand.nowMs);
    hand.rig.changelog.push((steps.next().value as Step).commit);
    hand.nowMs += 1_000;
    hand.rig.reopen(hand.nowMs, false);
    assert.deepEqual(hand.rig.core.state.positions.control, { offset, slice });
    hand.rig.goBack('control', offset + 1, hand.nowMs);
    hand.rig.open(hand.nowMs);
    assert.deepEqual(hand.grant(minute - 1_001, 9), []);
    sameAfterReplay(hand);
  });
});

it('pauses of any kind are written as 0.3.0 reads them, while no delay changes', () => {
  const parallel = [{ hosts: [a], leases: 2 }];
  const policy = { ...alone, delayMs: 5_000, parallel };
  const hand = contacted(policy, { kind: 'redirect', retryAfterMs: 20_000 });
  const [first, second] = [hand.lease(20_000), hand.lease(2_500)];
  hand.rig.send('results', { ...hand.resultOf(first, () => ({})), outcomes: [], requests: [] });
  hand.report(second, { retryAfterMs: 9_000 });
  const late = hand.lease(30_000);
  hand.grant(500_000, 0);
  hand.report(late, { kind: 'throttled', status: 503, retryAfterMs: 40_000 });
  hand.event('releaseHost', a);
  hand.policy({ ...policy, retriesMs: [4_000] });
  const kinds = new Set<string>();
  for (const bytes of hand.rig.changelog) {
    const record = readChangelog(bytes);
    if (record.kind === 'commit') for (const { kind } of record.changes) kinds.add(kind);
  }
  for (const kind of ['slotTimes', 'leaseDelay']) assert.ok(!kinds.has(kind), kind);
  assert.ok(hand.rig.core.state.hosts.get(a)!.facts.returns > 0);
});
