/** What a link comes to as it arrives, counted. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../../lab/model/hand.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';

const host = 'a.test';
const page = (n: number) => `https://${host}/${n}`;
const reported = ({ counters }: Hand) => {
  const { discovered, duplicates, admitted, queued } = counters;
  return { discovered, duplicates, admitted, queued };
};

/** All of it in one step. */
function at(hand: Hand, ...messages: (readonly string[])[]): void {
  for (const urls of messages) hand.rig.send('discovered', hand.linksRecord(urls));
  hand.rig.step(hand.nowMs, 0);
  assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
}

describe('a URL', () => {
  for (const [name, policy] of [
    ['as queues are', {}],
    ['where the lowest are dropped when they are full', { queuedMax: 100, whenFull: 'dropLowest' }],
  ] as const satisfies readonly (readonly [string, Partial<PolicyConfig>])[]) {
    it(`a URL that is linked twice is admitted once, in one message, one step, or later: ${name}`, () => {
      const hand = new Hand(policy);
      at(hand, [page(1), page(2), page(1)]);
      assert.deepEqual(reported(hand), { discovered: 3, duplicates: 1, admitted: 2, queued: 2 });
      at(hand, [page(3), page(2)], [page(3), page(4)], [`${page(4)}#part`]);
      assert.deepEqual(reported(hand), { discovered: 8, duplicates: 4, admitted: 4, queued: 4 });
    });
  }

  it('a URL that was fetched is a duplicate as well, and a refused one is not', () => {
    const hand = new Hand();
    at(hand, [page(1)]);
    hand.report(hand.lease());
    at(hand, [page(1), 'ftp://a.test/', page(2)]);
    assert.deepEqual(reported(hand), { discovered: 4, duplicates: 1, admitted: 2, queued: 1 });
  });

  it('a URL that an operator forces is admitted again', () => {
    const hand = new Hand();
    at(hand, [page(1)]);
    hand.linksTo([page(1), page(1)], -1, { intent: 'force' });
    assert.deepEqual(reported(hand), { discovered: 3, duplicates: 0, admitted: 3, queued: 3 });
  });
});
