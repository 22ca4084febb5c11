import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../../lab/model/hand.ts';
import { controlOf } from '../../../../../lab/model/model-script.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';

const all: Partial<PolicyConfig> = { scope: { kind: 'all', names: [] }, delayMs: 1_000, urlsPerLeaseMax: 1 };

/** Asks for a lease a second, reports it at once; how often each host had one. */
function walk(hand: Hand, steps: number, before: (step: number) => void = () => {}): Record<string, number> {
  const leases: Record<string, number> = {};
  for (let step = 0; step < steps; step++) {
    before(step);
    for (const task of hand.grant(1_000, 1)) {
      leases[task.hostKey] = (leases[task.hostKey] ?? 0) + 1;
      hand.report(task);
    }
  }
  return leases;
}

describe('a ready host', () => {
  it('a ready host is granted before hosts found later, however many there are', () => {
    const hand = new Hand(all);
    hand.links('old.test', 500, { depth: 1 });
    let waits = 0;
    let longest = 0;
    for (let step = 0; step < 400; step++) {
      hand.links(`n${step}.test`, 1, { depth: 1 });
      waits += 1;
      for (const task of hand.grant(1_000, 1)) {
        if (task.hostKey === 'old.test') {
          longest = Math.max(longest, waits);
          waits = 0;
        }
        hand.report(task);
      }
    }
    // As many others at most as were ready when it became so.
    assert.ok(longest <= hand.rig.core.state.clock.ready + 1, `${longest}`);
    assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
  });

  it('a ready host has its URL of the last front queue fetched while the first is refilled', () => {
    const hand = new Hand(all);
    hand.links('a.test', 1, { priority: 7 });
    hand.links('a.test', 50, { from: 1_000, priority: 0 });
    let at = -1;
    for (let step = 0; step < 1_000 && at < 0; step++) {
      hand.links('a.test', 1, { from: 5_000 + step, priority: 0 });
      for (const task of hand.grant(1_000, 1)) {
        if (task.urls[0]!.url === 'https://a.test/0') at = step;
        hand.report(task);
      }
    }
    assert.ok(at >= 0 && at <= 512, `${at}`);
  });
});

describe('a host with several slots', () => {
  for (const delayMs of [0, 1_000, 8_000])
    it(`a host with several slots has no second lease before each host that waits has had one (delay ${delayMs} ms)`, () => {
      const hand = new Hand({ ...all, delayMs, parallel: [{ hosts: ['a.test'], leases: 8 }] });
      hand.links('a.test', 100);
      walk(hand, 12);
      hand.grant(30_000, 0);
      for (const host of ['b', 'c', 'd']) hand.links(`${host}.test`, 100);
      const order: string[] = [];
      for (let step = 0; step < 4; step++) {
        const [task] = hand.grant(1, 1);
        order.push(task!.hostKey);
        hand.report(task!);
      }
      assert.deepEqual(order, ['a.test', 'b.test', 'c.test', 'd.test']);
    });
});

it('a host that waits for its crawl window is granted at once when a policy moves or removes the window', () => {
  for (const later of [{}, { windows: [{ hosts: ['a.test'], fromHour: 11, toHour: 13, utcOffsetMinutes: 0 }] }]) {
    const hand = new Hand({ ...all, windows: [{ hosts: ['a.test'], fromHour: 2, toHour: 3, utcOffsetMinutes: 0 }] });
    hand.nowMs = Date.UTC(2026, 0, 1, 12);
    hand.links('a.test', 3);
    assert.deepEqual(hand.grant(), []);
    hand.policy({ ...all, ...later });
    hand.lease(1);
  }
});

it('a host that waits for the window of an overlay is granted at once when the overlay is removed', () => {
  const window = { fromHour: 2, toHour: 3, utcOffsetMinutes: 0 };
  const hand = new Hand({ ...all, overlays: [{ name: 'nights', match: { hosts: ['a.test'] }, set: { window } }] });
  hand.nowMs = Date.UTC(2026, 0, 1, 12);
  hand.links('a.test', 3);
  assert.deepEqual(hand.grant(), []);
  hand.policy(all);
  hand.lease(1);
});

describe('hosts of a domain with a shared delay', () => {
  const domain: Partial<PolicyConfig> = { ...all, politenessKey: 'domain' };

  it('hosts of a domain with a shared delay have leases in turn, the longest unserved first', () => {
    const hand = new Hand(domain);
    for (const host of ['a', 'b', 'c']) hand.links(`${host}.site.test`, 100);
    const leases = Object.values(walk(hand, 90));
    assert.equal(leases.length, 3);
    assert.ok(Math.max(...leases) - Math.min(...leases) <= 2, `${leases}`);
  });

  it('hosts of a domain with a shared delay have leases in turn, though an operator gives one of them several slots', () => {
    const hand = new Hand(domain);
    for (const host of ['a', 'b', 'c']) hand.links(`${host}.site.test`, 100);
    hand.event('hostLeases', 'b.site.test', 4);
    const leases = Object.values(walk(hand, 90));
    assert.equal(leases.length, 3);
    assert.ok(Math.max(...leases) - Math.min(...leases) <= 2, `${leases}`);
  });

  it('hosts of a domain with a shared delay have leases in turn, though links to one of them arrive all the time', () => {
    const hand = new Hand(domain);
    for (const host of ['a', 'b', 'c']) hand.links(`${host}.site.test`, 100);
    const leases = walk(hand, 90, (step) => {
      // The others are looked at in between, while their domain waits.
      hand.links('b.site.test', 1, { from: 1_000 + step });
      hand.grant(0, 3);
    });
    assert.equal(Object.keys(leases).length, 3);
    const counts = Object.values(leases);
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 2, JSON.stringify(leases));
  });

  it('hosts of a domain with a shared delay go on when the next one has been blocked', () => {
    const hand = new Hand(domain);
    for (const host of ['a', 'b', 'c']) hand.links(`${host}.site.test`, 50);
    walk(hand, 3);
    hand.event('blockHost', 'a.site.test');
    const { 'a.site.test': a = 0, 'b.site.test': b = 0, 'c.site.test': c = 0 } = walk(hand, 60);
    assert.ok(a <= 1 && b >= 25 && c >= 25, `${a} ${b} ${c}`);
  });

  it('hosts of a domain have their own clocks again under a policy by hosts', () => {
    const hand = new Hand(domain);
    for (let n = 0; n < 20; n++) hand.links(`h${n}.site.test`, 2);
    walk(hand, 2);
    hand.policy(all);
    hand.nowMs += 1_000;
    assert.ok(hand.grant(1_000, 20).length >= 18);
  });

  it('hosts of a domain with a shared delay are checked in bounded numbers per step, and another domain has its lease meanwhile', () => {
    const hand = new Hand(domain);
    const hosts = 5_000;
    const groups = Array.from(
      { length: hosts },
      (_, n) => hand.linksRecord([`https://h${n}.site.test/`], 3).groups[0]!,
    );
    hand.rig.send('discovered', { groups });
    while (hand.counters.admitted < hosts) hand.rig.step(hand.nowMs, 0);
    hand.links('a.other.test', 1);
    const leased = new Set<string>();
    for (let step = 0; step < 12; step++) for (const task of hand.grant(10, 4)) leased.add(task.hostKey);
    assert.equal(leased.size, 2);
    assert.ok(leased.has('a.other.test'));
    assert.equal(hand.rig.core.state.clock.ready, 0, 'no later step looks at them');
  });
});

describe('a budget of a domain', () => {
  const budget = { key: 'domain', base: 6, perSource: 2, max: 20, refillMs: 60_000 } as const;
  for (const why of ['block', 'limit', 'window'] as const)
    it(`a budget of a domain goes to its other hosts while one may have no lease (${why})`, () => {
      const windows = [{ hosts: ['a.s.test'], fromHour: 2, toHour: 3, utcOffsetMinutes: 0 }];
      const hand = new Hand({ ...all, urlsPerLeaseMax: 8, budget, ...(why === 'window' && { windows }) });
      hand.nowMs = Date.UTC(2026, 0, 1, 12);
      for (const host of ['a', 'b']) hand.links(`${host}.s.test`, 60, { sourceUrl: 'https://seed.one/' });
      if (why === 'block') hand.event('blockHost', 'a.s.test');
      if (why === 'limit') {
        hand.rig.send('control', controlOf({ kind: 'hostLimit', hostKey: 'a.s.test', amount: 0 }));
        hand.rig.step(hand.nowMs, 0);
      }
      const { counters } = hand;
      const before = counters.deferred;
      walk(hand, 300);
      assert.ok(before - counters.deferred >= 30, `${before - counters.deferred} of ${before} in five periods`);
    });

  it('a budget of a domain goes to its other hosts while one has a budget of its own that is spent', () => {
    const hand = new Hand({ ...all, urlsPerLeaseMax: 8, budget });
    hand.rig.send('control', controlOf({ kind: 'budget', hostKey: 'a.s.test', amount: 0 }));
    for (const host of ['a', 'b']) hand.links(`${host}.s.test`, 60, { sourceUrl: 'https://seed.one/' });
    const leases = walk(hand, 300);
    assert.deepEqual(Object.keys(leases), ['b.s.test']);
    assert.ok(leases['b.s.test']! >= 5, JSON.stringify(leases));
  });

  it('a budget opens the queue of a host that was dead once the verdict has run out, and the host is tried', () => {
    const day = 24 * 3_600_000;
    const hand = new Hand({ ...all, urlsPerLeaseMax: 64, retriesMs: [], budget: { ...budget, refillMs: day } });
    hand.links('a.s.test', 20, { sourceUrl: 'https://h9.s.test/' });
    hand.report(hand.lease(), { kind: 'tlsFailed' });
    assert.deepEqual([hand.counters.dead, hand.counters.deferred], [0, 14]);
    hand.grant(1_000, 0);
    assert.equal(hand.counters.dead, 6);
    assert.equal(hand.lease(3 * day).urls.length, 6);
    assert.equal(hand.counters.dead, 6);
  });

  it('a budget of a domain that grows with the links of one record is used at once', () => {
    const hand = new Hand({ ...all, urlsPerLeaseMax: 8, budget: { ...budget, base: 0 } });
    const groups = ['https://b.s.test/', 'https://seed.one/', 'https://seed.two/'].map(
      (sourceUrl, n) =>
        hand.linksRecord([`https://b.s.test/${2 * n}`, `https://b.s.test/${2 * n + 1}`], 3, { sourceUrl }).groups[0]!,
    );
    hand.rig.send('discovered', { groups });
    hand.rig.step(hand.nowMs, 0);
    assert.equal(hand.lease().urls.length, 4, 'two for each domain that links here');
  });

  it('a budget of a domain is not exceeded, though links to its hosts arrive by turns', () => {
    const hand = new Hand({ ...all, urlsPerLeaseMax: 64, budget });
    const groups = Array.from(
      { length: 20 },
      (_, n) => hand.linksRecord([`https://h${n % 4}.s.test/${n}`], 3, { sourceUrl: 'https://h9.s.test/' }).groups[0]!,
    );
    hand.rig.send('discovered', { groups });
    const urls = hand.grant(0, 20).flatMap((task) => task.urls);
    assert.equal(urls.length, budget.base);
  });
});
