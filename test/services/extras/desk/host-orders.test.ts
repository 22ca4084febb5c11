/** Orders of webmasters and of operators in any order: the frontier, the desk and the audit agree. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { Chance, controlOf } from '../../../../lab/model/model-script.ts';
import type { Control } from '../../../../schemas/types.ts';
import { hostOrders } from '../../../../services/extras/desk/host-orders.ts';
import { createOrders } from '../../../../topology/extras/audit/orders.ts';
import { leastDelay, ofWebmaster, takenBackDelay } from '../../../../topology/frontier/decide/control-payloads.ts';

const hostKey = 'a.test';

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
    const { hold, ownDelayMs, ownDelayIsLeast } = hand.rig.core.state.hosts.get(hostKey)!.facts;
    const shown = hostOrders(events, hostKey, 1_000);
    const paused = hold === 'blocked' ? 'byOperator' : hold === 'paused' ? 'here' : 'no';
    assert.deepEqual([shown.paused, shown.delayMs ?? -1], [paused, ownDelayMs], `seed ${seed}`);
    assert.equal(orders.blockedSince(hostKey, 1_000) !== null, hold !== '', `seed ${seed}`);
    const paceMs = ownDelayMs < 0 ? 1_000 : ownDelayIsLeast ? Math.max(ownDelayMs, 1_000) : ownDelayMs;
    assert.equal(orders.paceOf(hostKey, 1_000, 1).delayMs, paceMs, `seed ${seed}`);
  }
});
