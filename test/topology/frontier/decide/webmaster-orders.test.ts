/** Orders of webmasters and of operators in any order: the frontier, the desk and the audit come to the same. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { Chance, controlOf } from '../../../../lab/model/model-script.ts';
import type { Control } from '../../../../schemas/types.ts';
import { hostOrders } from '../../../../services/extras/desk/host-orders.ts';
import { Purges } from '../../../../services/runtime/crawl/purges.ts';
import { createOrders } from '../../../../topology/extras/audit/orders.ts';
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

  it('the desk and the audit agree with the frontier’s decisions, for any sequence', () => {
    for (let seed = 0; seed < 80; seed++) {
      const chance = new Chance(seed);
      const hand = new Hand({ delayMs: 1_000 });
      const orders = createOrders(0);
      orders.note(controlOf({ kind: 'policy', version: 1, payload: JSON.stringify({ delayMs: 1_000 }) }));
      const events: Control[] = [];
      for (let at = 1; at <= 8; at++) {
        const kind = chance.of(['blockHost', 'releaseHost', 'hostDelay'] as const);
        const [amount, payload] =
          kind === 'hostDelay'
            ? chance.of([[-1], [2_000], [9_000], [4_000, leastDelay], [500, leastDelay], [-1, takenBackDelay(2_000)]])
            : ([0, chance.of(['', ofWebmaster])] as const);
        const event = controlOf({ kind, hostKey, amount: Number(amount), payload: `${payload ?? ''}`, atMs: at });
        events.push(event);
        orders.note(event);
        hand.event(kind, hostKey, event.amount, event.payload);
      }
      const { hold, ownDelayMs, ownDelayIsLeast } = factsOf(hand);
      const shown = hostOrders(events, hostKey, 1_000);
      const paused = hold === 'blocked' ? 'byOperator' : hold === 'paused' ? 'here' : 'no';
      assert.deepEqual([shown.paused, shown.delayMs ?? -1], [paused, ownDelayMs], `seed ${seed}`);
      assert.equal(orders.blockedSince(hostKey, 1_000) !== null, hold !== '', `seed ${seed}`);
      const paceMs = ownDelayMs < 0 ? 1_000 : ownDelayIsLeast ? Math.max(ownDelayMs, 1_000) : ownDelayMs;
      assert.equal(orders.paceOf(hostKey, 1_000, 1).delayMs, paceMs, `seed ${seed}`);
    }
  });
});
