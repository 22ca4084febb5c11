import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { blankControl } from '../../../../schemas/blank.ts';
import type { Control } from '../../../../schemas/types.ts';
import { ordersInForce, StatedOrders } from '../../../../topology/frontier/ask/orders-in-force.ts';
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

type Order = Partial<Control> & Pick<Control, 'kind'>;

function isStated(order: Order, ...events: readonly Order[]): boolean {
  const stated = new StatedOrders();
  for (const [atMs, event] of events.entries()) stated.take({ ...blankControl, atMs, by: 'somebody', ...event });
  return stated.has({ ...blankControl, atMs: 99, by: 'frontier', ...order });
}

test('an order that is the newest of its kind is stated, whoever sent it and when', () => {
  const [a, b] = [{ hostKey: 'a.test' }, { hostKey: 'b.test' }];
  const trap = (pattern: string) => ({ ...a, payload: JSON.stringify({ pattern }) });
  for (const order of [
    { kind: 'blockHost', ...a },
    { kind: 'blockHost', ...a, payload: '{"webmaster":true}' },
    { kind: 'purge', ...a },
    { kind: 'hostDelay', ...a, amount: 5 },
    { kind: 'hostLimit', ...a, amount: 5 },
    { kind: 'hostLeases', ...a, amount: 5 },
    { kind: 'budget', ...a, amount: 5 },
    { kind: 'trap', ...trap('/x') },
    { kind: 'policy', version: 3, payload: '{}' },
  ] as const) {
    assert.equal(isStated(order), false, order.kind);
    assert.equal(isStated(order, order), true, order.kind);
    assert.equal(isStated(order, { ...order, ...b }), order.kind === 'policy', order.kind);
    const others: Order[] = [
      { kind: 'blockHost', ...b },
      { kind: 'budget', ...a, amount: 6 },
      { kind: 'trap', ...trap('/y') },
      { kind: 'seek' },
      { kind: 'purge', ...a, payload: '{"url":"http://a.test/"}' },
    ];
    const unlike = others.filter(({ kind }) => kind !== order.kind || kind === 'trap');
    assert.equal(isStated(order, order, ...unlike), true, order.kind);
  }
});

test('an order that another one replaced is not stated', () => {
  const a = { hostKey: 'a.test' };
  const block: Order = { kind: 'blockHost', ...a };
  const delay = (amount: number, payload = ''): Order => ({ kind: 'hostDelay', ...a, amount, payload });
  const trap = (kind: 'trap' | 'releaseTrap'): Order => ({ kind, ...a, payload: '{"pattern":"/x"}' });
  for (const [order, ...events] of [
    [block, block, { kind: 'releaseHost', ...a }],
    [block, block, { kind: 'purge', ...a }],
    [block, { ...block, payload: '{"webmaster":true}' }],
    [delay(5), delay(5), delay(6)],
    [delay(5), delay(5, '{"least":true}')],
    [trap('trap'), trap('trap'), trap('releaseTrap')],
  ] as const)
    assert.equal(isStated(order!, ...(events as Order[])), false, JSON.stringify(events));
  assert.equal(isStated(block, block, { kind: 'releaseHost', ...a }, block), true);
});

test('of policies the newest version is stated, and of one version the first', () => {
  const policy = (version: number, payload: string): Order => ({ kind: 'policy', version, payload });
  assert.equal(isStated(policy(3, 'a'), policy(3, 'a'), policy(2, 'b'), policy(3, 'c')), true);
  assert.equal(isStated(policy(3, 'c'), policy(3, 'a'), policy(3, 'c')), false);
  assert.equal(isStated(policy(3, 'a'), policy(3, 'a'), policy(4, 'a')), false);
});
