import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankControl } from '../../../../schemas/blank.ts';
import type { Control } from '../../../../schemas/types.ts';
import { createOrders, type Orders } from '../../../../topology/extras/audit/orders.ts';
import { leastDelay } from '../../../../topology/frontier/decide/control-payloads.ts';

const noticeMs = 1_000;
const policy = (version: number, atMs: number, payload: unknown): Partial<Control> => ({
  kind: 'policy',
  version,
  atMs,
  payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
});
const first = policy(1, 0, { delayMs: 500, delayFactor: 3, delayFactorCapMs: 9_000 });

function ordersOf(...events: Partial<Control>[]): Orders {
  const orders = createOrders(noticeMs);
  for (const event of events) orders.note({ ...blankControl, ...event });
  return orders;
}

const delay = (atMs: number, amount: number, hostKey = 'a.test') =>
  ({ kind: 'hostDelay', hostKey, atMs, amount }) as const;
const leases = (atMs: number, amount: number) => ({ kind: 'hostLeases', hostKey: 'a.test', atMs, amount }) as const;

describe('an order of a policy', () => {
  it('an order of a policy applies to leases of its version, each field by its own name', () => {
    const orders = ordersOf(first, policy(2, 50, { delayMs: 700, delayFactor: 4, delayFactorCapMs: 8_000 }));
    assert.deepEqual(orders.paceOf('a.test', 60, 1), {
      delayMs: 500,
      factor: 3,
      factorCapMs: 9_000,
      hostSlots: 1,
      source: 'policy 1',
    });
    assert.deepEqual(orders.paceOf('a.test', 60, 2), {
      delayMs: 700,
      factor: 4,
      factorCapMs: 8_000,
      hostSlots: 1,
      source: 'policy 2',
    });
  });

  it('an order of a policy counts by the first of two events of one version', () => {
    const orders = ordersOf(first, policy(1, 10, { delayMs: 9 }));
    assert.equal(orders.paceOf('a.test', 5_000, 1).delayMs, 500);
  });

  it('an order of an unrecorded version is that of the newest version known then, or of the first', () => {
    // Told of out of order, as partitions of `control` are read.
    const orders = ordersOf(
      policy(3, 9_000, { delayMs: 3 }),
      policy(1, 100, { delayMs: 1 }),
      policy(2, 5_000, { delayMs: 2 }),
    );
    const at = (ms: number) => orders.paceOf('a.test', ms, 0).delayMs;
    assert.deepEqual([0, 1_100, 5_999, 6_000, 9_999, 10_000].map(at), [1, 1, 1, 2, 2, 3]);
    assert.equal(orders.paceOf('a.test', 6_000, 0).source, 'policy 2');
  });

  it('an order of a policy is empty if it was not recorded, or is unreadable', () => {
    const nothing = { delayMs: 0, factor: 0, factorCapMs: 0, hostSlots: 1 };
    assert.deepEqual(ordersOf().paceOf('a.test', 0, 0), { ...nothing, source: 'policy 0' });
    assert.deepEqual(ordersOf(first).paceOf('a.test', 0, 7), { ...nothing, source: 'policy 7' });
    assert.deepEqual(ordersOf(policy(1, 0, '{')).paceOf('a.test', 0, 1), { ...nothing, source: 'policy 1' });
    assert.deepEqual(ordersOf(policy(1, 0, { delayMs: '5' })).paceOf('a.test', 0, 1), {
      ...nothing,
      source: 'policy 1',
    });
  });

  it('an order of a policy gives slots by the first rule for the host, a domain above it, or all', () => {
    const parallel = [
      { hosts: ['b.test', 'www.c.test'], leases: 3 },
      { hosts: ['c.test'], leases: 4 },
      { hosts: ['*'], leases: 2 },
    ];
    const orders = ordersOf(policy(1, 0, { parallel }));
    const hostSlots = (host: string) => orders.paceOf(host, 0, 1).hostSlots;
    assert.deepEqual(
      ['b.test', 'b.test:8080', 'x.b.test', 'ab.test', 'www.c.test', 'c.test', 'test'].map(hostSlots),
      [3, 3, 3, 2, 3, 4, 2],
    );
    assert.equal(ordersOf(policy(1, 0, { parallel: parallel.slice(0, 2) })).paceOf('d.test', 0, 1).hostSlots, 1);
  });
});

describe('an operator’s order', () => {
  it('an operator’s order applies a while after it; until then the milder of the old and the new', () => {
    const orders = ordersOf(first, delay(10_000, 4_000));
    const at = (ms: number) => orders.paceOf('a.test', ms, 1).delayMs;
    assert.deepEqual([9_999, 10_000, 10_999, 11_000].map(at), [500, 500, 500, 4_000]);
    const milder = ordersOf(first, delay(10_000, 20));
    assert.equal(milder.paceOf('a.test', 9_999, 1).delayMs, 500);
    assert.equal(milder.paceOf('a.test', 10_000, 1).delayMs, 20);
  });

  it('of several recent operators’ orders the mildest counts, in any order of their reports', () => {
    const orders = ordersOf(
      first,
      delay(10_300, 9_000),
      delay(10_000, 4_000),
      delay(10_200, 100),
      delay(10_100, 6_000),
    );
    assert.equal(orders.paceOf('a.test', 10_400, 1).delayMs, 100);
    assert.equal(orders.paceOf('a.test', 11_150, 1).delayMs, 100);
    assert.equal(orders.paceOf('a.test', 11_300, 1).delayMs, 9_000);
  });

  it('an operator’s order is withdrawn by -1, and a delay of zero is an order as well', () => {
    const orders = ordersOf(first, delay(0, 0), delay(10_000, -1));
    assert.equal(orders.paceOf('a.test', 5_000, 1).delayMs, 0);
    assert.equal(orders.paceOf('a.test', 5_000, 1).source, 'the delay that an operator set for the host');
    assert.deepEqual(orders.paceOf('a.test', 11_000, 1), {
      delayMs: 500,
      factor: 3,
      factorCapMs: 9_000,
      hostSlots: 1,
      source: 'policy 1',
    });
  });

  it('a webmaster’s order is no less than the policy’s, or an operator’s', () => {
    const asks = (atMs: number, amount: number, more: object = {}) => ({
      ...delay(atMs, amount),
      payload: JSON.stringify({ least: true, ...more }),
    });
    const at = (...events: Partial<Control>[]) => ordersOf(first, ...events).paceOf('a.test', 50_000, 1);
    assert.deepEqual([at(asks(0, 499)).delayMs, at(asks(0, 499)).source], [500, 'policy 1']);
    assert.deepEqual(
      [at(asks(0, 501)).delayMs, at(asks(0, 501)).source],
      [501, 'the delay that an operator set for the host'],
    );
    assert.equal(at(delay(0, 900), asks(10, 800)).delayMs, 900);
    assert.equal(at(delay(0, 900), asks(10, 900)).delayMs, 900);
    assert.equal(at(delay(0, 900), asks(10, 901)).delayMs, 901);
    assert.equal(at(asks(0, 900), asks(10, 700)).delayMs, 700, 'their own they may lower');
    assert.equal(at(asks(0, 900), asks(10, -1)).delayMs, 500, 'and take back');
    assert.equal(at(delay(0, 600), asks(10, 900), asks(20, -1, { instead: 600 })).delayMs, 600);
    assert.equal(at(delay(0, 600), asks(10, -1)).delayMs, 600, 'and nobody else’s');
  });

  it('an operator’s order concerns one host', () => {
    const orders = ordersOf(first, delay(0, 4_000));
    assert.equal(orders.paceOf('b.test', 5_000, 1).delayMs, 500);
  });

  it('an operator’s order on every partition is one order', () => {
    const orders = ordersOf(
      first,
      delay(0, 4_000),
      delay(3_000, 100),
      delay(3_000, 100),
      delay(3_000, 8_000),
      delay(3_000, 100),
    );
    assert.equal(orders.paceOf('a.test', 2_000, 1).delayMs, 4_000);
    assert.equal(orders.paceOf('a.test', 3_500, 1).delayMs, 100);
  });

  it('an operator’s order of slots gives the most that may be in force, at least one', () => {
    const orders = ordersOf(
      policy(1, 0, { parallel: [{ hosts: ['*'], leases: 2 }] }),
      leases(10_000, 5),
      leases(20_000, 0),
    );
    const at = (ms: number) => orders.paceOf('a.test', ms, 1).hostSlots;
    assert.deepEqual([9_999, 10_000, 11_000, 20_999, 21_000].map(at), [2, 5, 5, 5, 1]);
    assert.equal(ordersOf(first, leases(0, 3), leases(5_000, -1)).paceOf('a.test', 6_000, 1).hostSlots, 1);
  });

  it('an operator’s block stands until it is released', () => {
    const block = (kind: 'blockHost' | 'releaseHost', atMs: number) => ({ kind, hostKey: 'a.test', atMs });
    const orders = ordersOf(
      block('releaseHost', 300),
      block('blockHost', 100),
      block('blockHost', 500),
      block('blockHost', 500),
    );
    const at = (ms: number) => orders.blockedSince('a.test', ms);
    assert.deepEqual([99, 100, 299, 300, 499, 500, 9_000].map(at), [null, 100, 100, null, null, 500, 500]);
    assert.equal(orders.blockedSince('b.test', 9_000), null);
    // Of two of one moment the later on the log counts.
    const both = ordersOf(block('blockHost', 100), block('releaseHost', 100));
    assert.equal(both.blockedSince('a.test', 100), null);
    assert.equal(ordersOf(block('releaseHost', 100), block('blockHost', 100)).blockedSince('a.test', 100), 100);
  });
});

it('a webmaster’s delay is checked by the audit, as the policy’s is if that is longer', () => {
  const orders = ordersOf(
    policy(1, 0, { delayMs: 1_000 }),
    policy(2, 0, { delayMs: 9_000 }),
    { ...delay(1_000, 5_000), payload: leastDelay },
    { ...delay(1_000, 5_000, 'b.test'), payload: '{' },
  );
  assert.equal(orders.paceOf('a.test', 60_000, 1).delayMs, 5_000);
  assert.equal(orders.paceOf('a.test', 60_000, 2).delayMs, 9_000);
  assert.equal(orders.paceOf('b.test', 60_000, 2).delayMs, 5_000);
});
