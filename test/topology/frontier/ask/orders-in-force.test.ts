import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { ordersInForce } from '../../../../topology/frontier/ask/orders-in-force.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';

test('orders in force are the current ones, behind the policy; hosts without orders have none', () => {
  const hand = new Hand({ delayMs: 1_000 });
  for (const host of ['a.test', 'b.test', 'c.test']) hand.links(host, 2);
  hand.event('blockHost', 'a.test');
  hand.event('hostDelay', 'b.test', 5_000);
  hand.event('hostDelay', 'b.test', 7_000);
  hand.event('blockHost', 'c.test');
  hand.event('releaseHost', 'c.test');
  const said = ordersInForce(hand.rig.core.state, 3, 'test');
  assert.deepEqual(
    said.map(({ partition, record: { kind, hostKey, amount } }) => [partition, kind, hostKey, amount]),
    [
      [3, 'policy', '', 0],
      [3, 'blockHost', 'a.test', 0],
      [3, 'hostDelay', 'b.test', 7_000],
    ],
  );
});

test('an empty state has no orders to repeat', () => {
  assert.deepEqual(ordersInForce(new FrontierState({ hi: 1, lo: 2 }), 0, 'test'), []);
});
