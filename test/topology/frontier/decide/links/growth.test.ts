import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../../lab/model/hand.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import { Growth } from '../../../../../topology/frontier/decide/links/growth.ts';
import { frontierLimits } from '../../../../../topology/frontier/frontier-limits.ts';
import { defaultBudget } from '../../../../../topology/policy/budget.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { defaultScore } from '../../../../../topology/policy/score/score-config.ts';

const host = 'a.test';
const page = (n: number) => `https://${host}/${n}`;
const { factors, scales } = defaultScore;

/** By in-links alone, of which thirty are many. */
const byInLinks = {
  ...defaultScore,
  factors: { ...factors, cash: 0, depth: 0, type: 0, source: 0, quality: 0, authority: 0 },
  scales: { ...scales, inLinksMost: 30 },
};

/** Two hundred URLs of one host, scored as they arrive. */
function filled(policy: Partial<PolicyConfig>): Hand {
  const hand = new Hand({ urlsPerLeaseMax: 5, ...policy });
  hand.links(host, 200, { priority: -1, sourceUrl: `https://${host}/` });
  return hand;
}

/** Links to one page, from as many others. */
function link(hand: Hand, n: number, count: number): void {
  for (let i = 0; i < count; i++)
    hand.linksTo([page(n)], -1, { sourceUrl: `https://b${i}.test/`, sourceKey: `b${i}.test` });
}

describe('a queued URL', () => {
  for (const where of ['in memory', 'on disk'] as const) {
    it(`a queued URL that many pages link to goes before its neighbours, from a queue ${where}`, () => {
      const hand = filled({ score: byInLinks });
      if (where === 'on disk') {
        hand.rig.save();
        for (let i = 0; i < 60; i++) hand.event('hostDelay', 'other.test', i);
        hand.rig.reopen(hand.nowMs, true);
      }
      for (const n of [120, 121, 122, 123]) link(hand, n, 30);
      hand.event('hostDelay', 'other.test', 1);
      assert.deepEqual(
        hand.lease().urls.map(({ url }) => url),
        [120, 121, 122, 123, 0].map(page),
      );
      assert.equal(hand.counters.queued + hand.counters.leased, 200);
      assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
    });
  }

  it('a queued URL stays where it is while a policy does not score', () => {
    const hand = filled({});
    for (const n of [120, 121, 122, 123]) link(hand, n, 30);
    hand.event('hostDelay', 'other.test', 1);
    assert.deepEqual(
      hand.lease().urls.map(({ url }) => url),
      [0, 1, 2, 3, 4].map(page),
    );
  });

  it('a queued URL goes earlier when other domains begin to link to its host', () => {
    const byAuthority = {
      ...defaultScore,
      page: 0,
      factors: { ...factors, quality: 0 },
      scales: { ...scales, linkingDomainsMost: 30 },
    };
    const hand = new Hand({ score: byAuthority, budget: { ...defaultBudget, base: 1_000 } });
    hand.links(host, 20, { priority: -1, sourceUrl: `https://${host}/` });
    const frontQueueOf = () => hand.rig.core.state.hosts.get(host)!.queue.bestFrontQueue;
    const before = frontQueueOf();
    link(hand, 7, 30);
    hand.event('hostDelay', 'other.test', 1);
    assert.ok(frontQueueOf() < before - 3, `from ${before} to ${frontQueueOf()}`);
    assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
  });
});

describe('hosts with reread queues', () => {
  const { growthUrlsEach: each, growthUrlsPerStep: most } = frontierLimits;
  /** Hosts with so many URLs in their queues, in a real state, of which this is noted. */
  const grown = (sizes: Readonly<Record<string, number>>) => {
    const hand = new Hand();
    for (const [key, size] of Object.entries(sizes)) hand.links(key, size);
    const { state } = hand.rig.core;
    const growth = new Growth();
    return {
      hand,
      note: (key: string, by?: number) => growth.note(state.hosts.get(key)!, by),
      taken: () => growth.take(state).map((one) => `${one.host.key} ${one.count}`),
    };
  };

  it('hosts with reread queues are those where the grown URLs justify the reading, each once', () => {
    const { note, taken } = grown({ [host]: 2 * each, 'b.test': 2 * each + 1 });
    for (const key of [host, 'b.test']) note(key);
    assert.deepEqual(taken(), []);
    for (const key of [host, 'b.test']) note(key);
    assert.deepEqual(taken(), [`${host} ${2 * each}`]);
    assert.deepEqual(taken(), []);
    note('b.test');
    assert.deepEqual(taken(), [`b.test ${2 * each + 1}`]);
  });

  it('hosts with reread queues wait for the next step once this one has read its share', () => {
    const { note, taken } = grown({ [host]: most, 'b.test': 1 });
    note(host, most);
    note('b.test');
    assert.deepEqual(taken(), [`${host} ${most}`]);
    assert.deepEqual(taken(), ['b.test 1']);
  });

  it('hosts with reread queues are read even if a step has only one URL left to read', () => {
    const { note, taken } = grown({ [host]: most - 1, 'b.test': 1 });
    note(host, most);
    note('b.test');
    assert.deepEqual(taken(), [`${host} ${most - 1}`, 'b.test 1']);
  });

  it('hosts with reread queues have queued URLs, and are not given up', () => {
    const { hand, note, taken } = grown({ [host]: 1, 'b.test': 1 });
    note(host);
    note('b.test');
    hand.report(hand.lease());
    hand.rig.core.state.abandoning.add(hand.rig.core.state.hosts.get('b.test')!.id);
    const empty = [host, 'b.test'].filter((key) => hand.rig.core.state.hosts.get(key)!.queue.size === 0);
    assert.equal(empty.length, 1);
    assert.deepEqual(taken(), []);
  });
});
