import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../lab/model/hand.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';

const beyondMs = 30 * 60_000;
const hosts = ['a.test', 'b.test', 'c.test'];

/** Every host is granted what it may be. */
function grantAll(hand: Hand) {
  return hand.grant(0, hosts.length);
}

function filled(policy = {}): Hand {
  const hand = new Hand(policy);
  for (const host of hosts) hand.links(host, 5);
  return hand;
}

describe('a lease that no fetcher had taken by its deadline', () => {
  it('a lease that no fetcher had taken by its deadline costs no attempt, however often: nothing is given up, and leases keep their size', () => {
    const hand = filled();
    hand.rig.core.offerTaken({ position: 0, leases: [] });
    const sizes: number[] = [];
    for (let round = 0; round < 50; round++) {
      const tasks = grantAll(hand);
      assert.equal(tasks.length, hosts.length);
      sizes.push(...tasks.map(({ urls }) => urls.length));
      hand.grant(beyondMs, 0);
      assert.equal(hand.counters.leases, 0);
    }
    assert.deepEqual([...new Set(sizes)], [5]);
    assert.equal(hand.counters.dead, 0);
    assert.equal(hand.counters.untaken, 50 * hosts.length);
    assert.equal(hand.counters.queued, 15);
    const again = grantAll(hand);
    for (const { urls } of again) for (const { attempt } of urls) assert.equal(attempt, 0);
  });

  it('a lease that no fetcher had taken is distinguished from a taken one, whose URL is isolated as poison', () => {
    const hand = filled({ urlsPerLeaseMax: 1 });
    hand.rig.core.offerTaken({ position: 0, leases: [] });
    for (let round = 0; round < 3; round++) {
      const poison = grantAll(hand).find(({ hostKey }) => hostKey === 'b.test')!;
      hand.rig.core.offerTaken({ position: poison.leaseId, leases: [poison.leaseId] });
      hand.grant(beyondMs, 0);
    }
    assert.equal(hand.counters.dead, 1);
    assert.equal(hand.counters.untaken, 3 * (hosts.length - 1));
  });

  it('a lease that no fetcher had taken costs its host’s sitemap rounds nothing', () => {
    const hand = filled({ sitemaps: { everyMs: 3_600_000, rules: [{ hosts: ['a.test'], urls: ['/sitemap.xml'] }] } });
    hand.event('readSitemaps', 'a.test');
    hand.rig.core.offerTaken({ position: 0, leases: [] });
    const roundOf = () => hand.rig.core.state.recrawl.sitemaps.of(hand.rig.core.state.hosts.get('a.test')!.id);
    const before = roundOf();
    grantAll(hand);
    hand.grant(beyondMs, 0);
    assert.deepEqual(roundOf(), before);
  });

  it('a lease counts as taken if nobody observes, as before', () => {
    const hand = filled({ urlsPerLeaseMax: 1 });
    for (let round = 0; round < 3; round++) {
      grantAll(hand);
      hand.grant(beyondMs, 0);
    }
    assert.equal(hand.counters.dead, 3);
    assert.equal(hand.counters.untaken, 0);
  });

  it('a lease counts as taken if it was granted before anybody observed', () => {
    const hand = filled();
    const [old] = grantAll(hand);
    hand.rig.core.offerTaken({ position: 7, leases: [] });
    hand.grant(beyondMs, 0);
    assert.equal(hand.counters.untaken, 0);
    const [next] = grantAll(hand);
    assert.ok(next!.urls.length < old!.urls.length);
  });
});

describe('the observation of taken leases', () => {
  it('the observation of taken leases is in the commit: a replay, a checkpoint and a second decision reach the same state', () => {
    const hand = filled({ urlsPerLeaseMax: 2 });
    const { rig } = hand;
    rig.core.offerTaken({ position: 3, leases: [] });
    for (let round = 0; round < 6; round++) {
      const tasks = grantAll(hand);
      const some = tasks.filter((_, index) => (index + round) % 2 === 0).map(({ leaseId }) => leaseId);
      rig.core.offerTaken({ position: 10 * round, leases: some });
      hand.grant(1_000, 0);
      rig.save();
      if (round % 2 === 0) hand.grant(beyondMs, 0);
      else for (const task of tasks) hand.report(task);
      assert.equal(digest(rig.replayed()), digest(rig.core.state), 'replayed');
      if (round === 3) rig.reopen(hand.nowMs, false);
    }
    assert.ok(hand.counters.untaken > 0 && rig.core.state.leases.taken.ids.length < 3);
    const open = grantAll(hand);
    rig.core.offerTaken({ position: 99, leases: open.map(({ leaseId }) => leaseId) });
    hand.grant(0, 0);
    const live = digest(rig.core.state);
    rig.save();
    for (let slices = 0; slices < 50; slices++) hand.links('a.test', 1, { from: 1_000 + slices });
    rig.reopen(hand.nowMs, false);
    assert.equal(digest(rig.core.state), digest(rig.replayed()), 'from a checkpoint');
    assert.notEqual(live, '');
    assert.deepEqual(
      rig.core.state.leases.taken.ids,
      open.map(({ leaseId }) => leaseId),
    );
  });
});
