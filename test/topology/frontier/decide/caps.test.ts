import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { newHostFacts } from '../../../../topology/frontier/changes/changes.ts';
import { readHostFacts, writeHostFacts } from '../../../../topology/frontier/changes/host-facts-bytes.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { ByteReader, ByteWriter } from '../../../../topology/frontier/storage/bytes.ts';

const policy = { delayMs: 0, urlsPerLeaseMax: 4 } as const;
const pagesOf = (hand: Hand, host: string) => hand.rig.core.state.hosts.get(host)!.facts.pages;
const holdOf = (hand: Hand, host: string) => hand.rig.core.state.hosts.get(host)!.facts.hold;

/** Fetches whatever is granted until nothing is; the most URLs that were out at once. */
function fetchAll(hand: Hand, demand = 3): number {
  let most = 0;
  for (let idle = 0; idle < 3; ) {
    const tasks = hand.grant(1_000, demand);
    idle = tasks.length === 0 ? idle + 1 : 0;
    most = Math.max(most, tasks.flatMap(({ urls }) => urls).length);
    for (const task of tasks) hand.report(task);
  }
  return most;
}

describe('a cap on pages', () => {
  it('a cap on pages holds a host that has given as many, and no other; its queue is deferred', () => {
    const hand = new Hand({ ...policy, pagesPerHostMax: 6 });
    hand.links('a.test', 20);
    hand.links('b.test', 5);
    fetchAll(hand);
    assert.deepEqual([pagesOf(hand, 'a.test'), holdOf(hand, 'a.test')], [6, 'limit']);
    assert.deepEqual([pagesOf(hand, 'b.test'), holdOf(hand, 'b.test')], [5, '']);
    assert.deepEqual([hand.counters.deferred, hand.counters.queued, hand.counters.capped], [14, 0, 1]);
  });

  it('a cap on pages from an overlay applies to its hosts, and they go on when a policy raises it', () => {
    const overlays = [{ name: 'more', match: { hosts: ['a.test'] }, set: { pagesPerHostMax: 8 } }];
    const hand = new Hand({ ...policy, pagesPerHostMax: 2, overlays });
    hand.links('a.test', 20);
    hand.links('b.test', 20);
    fetchAll(hand);
    assert.deepEqual([pagesOf(hand, 'a.test'), pagesOf(hand, 'b.test')], [8, 2]);
    hand.policy({ ...policy, pagesPerHostMax: 9 });
    fetchAll(hand);
    assert.deepEqual([pagesOf(hand, 'a.test'), pagesOf(hand, 'b.test')], [9, 9]);
    hand.policy(policy);
    fetchAll(hand);
    assert.deepEqual([pagesOf(hand, 'a.test'), pagesOf(hand, 'b.test'), hand.counters.deferred], [20, 20, 0]);
  });

  it('a cap on pages that comes later holds hosts beyond it when they would next be leased', () => {
    const hand = new Hand(policy);
    hand.links('a.test', 20);
    hand.report(hand.lease());
    const before = pagesOf(hand, 'a.test');
    hand.policy({ ...policy, pagesPerHostMax: 1 });
    assert.equal(holdOf(hand, 'a.test'), '');
    fetchAll(hand);
    assert.deepEqual([pagesOf(hand, 'a.test'), holdOf(hand, 'a.test')], [before, 'limit']);
  });

  it('a cap on pages holds if several leases of a host are out at once', () => {
    const hand = new Hand({ ...policy, pagesPerHostMax: 10, parallel: [{ hosts: ['a.test'], leases: 3 }] });
    hand.links('a.test', 40);
    fetchAll(hand);
    assert.equal(pagesOf(hand, 'a.test'), 10);
  });

  it('a cap on pages of a domain covers all its hosts together, and is not exceeded by concurrent leases', () => {
    const hand = new Hand({ ...policy, pagesPerDomainMax: 10 });
    const hosts = ['a.one.test', 'b.one.test', 'c.one.test'];
    for (const host of hosts) hand.links(host, 20);
    hand.links('a.two.test', 9);
    // What is out at once is less than the cap, whatever came of it.
    const out = hand.grant(0, 4);
    const ofOne = out.filter(({ hostKey }) => hostKey !== 'a.two.test').flatMap(({ urls }) => urls);
    assert.ok(ofOne.length > 0 && ofOne.length <= 10);
    for (const task of out) hand.report(task);
    fetchAll(hand, 4);
    assert.equal(
      hosts.reduce((sum, host) => sum + pagesOf(hand, host), 0),
      10,
    );
    assert.deepEqual([pagesOf(hand, 'a.two.test'), holdOf(hand, 'a.two.test')], [9, '']);
    assert.deepEqual(
      hosts.map((host) => holdOf(hand, host)),
      ['limit', 'limit', 'limit'],
    );
    hand.policy({ ...policy, pagesPerDomainMax: 12 });
    fetchAll(hand, 4);
    assert.equal(
      hosts.reduce((sum, host) => sum + pagesOf(hand, host), 0),
      12,
    );
  });

  it('a cap on pages of a domain is kept by the next owner, from checkpoint and changelog', () => {
    const hand = new Hand({ ...policy, pagesPerDomainMax: 5 });
    hand.links('a.one.test', 20);
    hand.links('b.one.test', 20);
    hand.report(hand.lease());
    hand.rig.save();
    for (let n = 0; n < 50; n++) hand.links('z.test', 1, { from: n });
    hand.rig.reopen(hand.nowMs, true);
    fetchAll(hand);
    assert.equal(pagesOf(hand, 'a.one.test') + pagesOf(hand, 'b.one.test'), 5);
  });
});

describe('a cap on bytes', () => {
  it('a cap on bytes holds a host that has sent as many; they count from when a policy caps them', () => {
    const hand = new Hand(policy);
    hand.links('a.test', 40);
    hand.report(hand.lease());
    const before = pagesOf(hand, 'a.test');
    // Each request brings ten.
    hand.policy({ ...policy, bytesPerHostMax: 75 });
    fetchAll(hand);
    const { bytes, hold } = hand.rig.core.state.hosts.get('a.test')!.facts;
    assert.deepEqual([bytes, hold, pagesOf(hand, 'a.test') - before], [80, 'limit', 8]);
    assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
    hand.policy({ ...policy, bytesPerHostMax: 100 });
    fetchAll(hand);
    assert.equal(hand.rig.core.state.hosts.get('a.test')!.facts.bytes, 120);
  });

  it('a cap on bytes does not change how facts without bytes are written', () => {
    const written = (bytes: number) => {
      const writer = new ByteWriter(64);
      writeHostFacts(writer, { ...newHostFacts, hold: 'limit', deferredOpen: true, bytes });
      return writer.take();
    };
    assert.equal(written(0).length + 2, written(300).length);
    for (const bytes of [0, 300, 2 ** 40]) {
      const reader = new ByteReader(written(bytes));
      assert.deepEqual(readHostFacts(reader), { ...newHostFacts, hold: 'limit', deferredOpen: true, bytes });
      assert.ok(reader.done);
    }
  });
});
