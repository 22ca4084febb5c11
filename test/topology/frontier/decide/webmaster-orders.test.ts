/** Orders of webmasters beside those of operators. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { controlOf } from '../../../../lab/model/model-script.ts';
import type { Control } from '../../../../schemas/types.ts';
import { Purges } from '../../../../services/runtime/crawl/purges.ts';
import { leastDelay, ofWebmaster, takenBackDelay } from '../../../../topology/frontier/decide/control-payloads.ts';

const hostKey = 'a.test';
const factsOf = (hand: Hand) => hand.rig.core.state.hosts.get(hostKey)!.facts;

describe('orders of webmasters beside those of operators', () => {
  const handWith = (
    ...events: readonly (readonly ['blockHost' | 'releaseHost' | 'hostDelay', number?, (string | undefined)?])[]
  ) => {
    const hand = new Hand();
    for (const [kind, amount, payload] of events) hand.event(kind, hostKey, amount, payload);
    return factsOf(hand);
  };

  it('an operator’s block is neither ended nor replaced by a webmaster, who pauses and resumes only their own', () => {
    const [block, release] = [['blockHost'], ['releaseHost']] as const;
    const [pause, resume] = [
      ['blockHost', 0, ofWebmaster],
      ['releaseHost', 0, ofWebmaster],
    ] as const;
    assert.equal(handWith(pause).hold, 'paused');
    assert.equal(handWith(pause, resume).hold, '');
    // The desk saw a pause; the operator's block came before its order to go on.
    assert.equal(handWith(pause, block, resume).hold, 'blocked');
    assert.equal(handWith(block, pause).hold, 'blocked');
    assert.equal(handWith(block, pause, resume).hold, 'blocked');
    assert.equal(handWith(pause, release).hold, '');
  });

  it('an operator’s delay is neither shortened nor removed by a webmaster’s earlier order', () => {
    const delays = (...events: readonly (readonly [number, string?])[]) =>
      handWith(...events.map(([amount, payload]) => ['hostDelay', amount, payload] as const)).ownDelayMs;
    assert.equal(delays([20_000], [5_000, leastDelay]), 20_000);
    assert.equal(delays([2_000], [5_000, leastDelay]), 5_000);
    assert.equal(delays([2_000], [5_000, leastDelay], [-1, takenBackDelay(2_000)]), 2_000);
    assert.equal(delays([5_000, leastDelay], [20_000], [-1, takenBackDelay(-1)]), 20_000);
    assert.equal(delays([5_000, leastDelay], [-1], [-1, takenBackDelay(2_000)]), -1);
    assert.equal(delays([5_000, leastDelay], [3_000, leastDelay]), 3_000);
  });

  it('a webmaster’s order does not restore what was purged', () => {
    const purges = new Purges();
    const take = (event: Partial<Control>) => purges.take(controlOf({ hostKey, atMs: 5, ...event }));
    take({ kind: 'purge' });
    take({ kind: 'releaseHost', atMs: 6, payload: ofWebmaster });
    assert.ok(purges.refuses('https://a.test/', 7));
    take({ kind: 'releaseHost', atMs: 8 });
    assert.ok(!purges.refuses('https://a.test/', 9));
  });
});
