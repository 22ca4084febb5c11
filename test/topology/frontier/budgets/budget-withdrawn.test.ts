import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { defaultBudget } from '../../../../topology/policy/budget.ts';

const budget = { ...defaultBudget, base: 2, perSource: 0, max: 2, refillMs: 3_600_000 };

/**
 * A blocked host with six URLs of which a budget of two an hour has deferred four; then the policy has no budget any more.
 */
function withdrawn(queueShareMax: number): Hand {
  const hand = new Hand({ budget, queueShareMax });
  hand.linksTo(
    Array.from({ length: 6 }, (_, n) => `https://a.test/${n}`),
    -1,
    { sourceUrl: 'https://b.test/', sourceKey: 'b.test', depth: 1 },
  );
  assert.equal(hand.counters.deferred, 4);
  hand.event('blockHost', 'a.test');
  hand.policy({ queueShareMax });
  return hand;
}

/** URLs that are fetched within a minute. */
function fetched(hand: Hand): number {
  hand.event('releaseHost', 'a.test');
  for (let second = 0; second < 60; second++) for (const task of hand.grant(1_000)) hand.report(task);
  return hand.counters.page;
}

for (const queueShareMax of [0.1, 1]) {
  test(`URLs that a budget deferred are fetched once the policy has none, queue share ${queueShareMax}`, () => {
    assert.equal(fetched(withdrawn(queueShareMax)), 6);
  });

  test(`the same after a restart of the frontier, queue share ${queueShareMax}`, () => {
    const hand = withdrawn(queueShareMax);
    hand.rig.save();
    for (let steps = 0; steps < 50 && hand.rig.isSaving; steps++) hand.event('hostDelay', 'c.test', steps);
    hand.rig.reopen(hand.nowMs, true);
    assert.equal(fetched(hand), 6);
  });
}
