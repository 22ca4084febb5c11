/** A policy with another `recrawl`: pages that wait keep their due times (docs/policy.md, "When a change applies"). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import type { PolicyConfig } from '../../../../topology/policy/policy.ts';
import { defaultRecrawl, type RecrawlConfig } from '../../../../topology/policy/recrawl/recrawl-config.ts';

const [hour, day] = [3_600_000, 86_400_000];
const fixed = (intervalMs: number, more: Partial<RecrawlConfig> = {}): Partial<PolicyConfig> => ({
  recrawl: { ...defaultRecrawl, schedule: 'fixed', intervalMs, ...more },
});
const never = fixed(hour, { rules: [{ url: '/0$', intervalMs: null }] });

/** A page that was fetched now. */
function fetched(policy: Partial<PolicyConfig>): Hand {
  const hand = new Hand(policy);
  hand.links('a.test', 1);
  hand.report(hand.lease());
  return hand;
}

describe('a policy with another recrawl', () => {
  for (const [words, next] of [
    ['a shorter', hour],
    ['a longer', 9 * day],
  ] as const) {
    it(`a page that waits keeps its due time under ${words} interval, and its next visit counts by it`, () => {
      const hand = fetched(fixed(2 * day));
      hand.policy(fixed(next));
      hand.report(hand.leaseExactlyAfter(2 * day));
      hand.leaseExactlyAfter(next);
    });
  }

  for (const [words, last] of [
    ['recrawl was switched off', {}],
    ['a rule ends its visits', never],
  ] as const) {
    it(`a page that waits is visited once more after ${words}`, () => {
      const hand = fetched(fixed(hour));
      hand.policy(last);
      hand.report(hand.leaseExactlyAfter(hour));
      assert.deepEqual(hand.grant(400 * day), []);
      assert.equal(hand.counters.scheduled, 0);
    });
  }

  for (const [words, first] of [
    ['before recrawl was switched on', {}],
    ['under a rule that ended its visits', never],
  ] as const) {
    it(`a page that was fetched ${words} is not visited again`, () => {
      const hand = fetched(first);
      hand.policy(fixed(hour));
      assert.deepEqual(hand.grant(400 * day), []);
    });
  }
});
