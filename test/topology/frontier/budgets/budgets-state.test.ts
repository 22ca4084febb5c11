import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BudgetsState } from '../../../../topology/frontier/budgets/budgets-state.ts';
import { budgetQueue } from '../../../../topology/frontier/queues/held-queues.ts';

const waiter = (id: number, key: string, waits: boolean) => ({
  ...{ id, key },
  queue: { sizeOf: (frontQueue: number) => (frontQueue === budgetQueue && waits ? 2 : 0) },
});

function stateOf(keyMode: BudgetsState['keyMode']): BudgetsState {
  const budgets = new BudgetsState();
  budgets.setKeyMode(keyMode, []);
  return budgets;
}

/** Keys that wait, with their hosts. */
const waitingIn = ({ waiting }: BudgetsState) => [...waiting].map(([key, hosts]) => [key, ...hosts]);

test('a budget belongs to a host, or to its registrable domain', () => {
  const hosts = ['a.shop.co.uk', 'b.shop.co.uk', 'b.shop.co.uk', 'example.org'];
  assert.deepEqual(
    hosts.map((key) => stateOf('host').keyOf(key)),
    hosts,
  );
  assert.deepEqual(
    hosts.map((key) => new BudgetsState().keyOf(key)),
    hosts,
  );
  const domains = stateOf('domain');
  assert.deepEqual(
    hosts.map((key) => domains.keyOf(key)),
    ['shop.co.uk', 'shop.co.uk', 'shop.co.uk', 'example.org'],
  );
});

test('an account keeps its spending and its referrers, and its row returns both', () => {
  const budgets = new BudgetsState();
  budgets.apply({ kind: 'spend', key: 'a.test', period: 3, used: 9 });
  budgets.apply({ kind: 'countReferrer', key: 'a.test', fingerprint: 0x1234_5678 });
  budgets.apply({ kind: 'countReferrer', key: 'b.test', fingerprint: 0x9234_5678 });
  assert.deepEqual([...budgets.unsaved], ['a.test', 'b.test']);
  const of = (from: BudgetsState, key: string) => {
    const { period, used, sources } = from.accounts.get(key)!;
    return { period, used, sources: sources.save() };
  };
  assert.deepEqual([of(budgets, 'a.test').period, of(budgets, 'a.test').used], [3, 9]);
  assert.notDeepEqual(of(budgets, 'a.test').sources, of(budgets, 'b.test').sources);
  budgets.apply({ kind: 'spend', key: 'a.test', period: 4, used: 1 });
  const loaded = new BudgetsState();
  for (const key of budgets.unsaved) loaded.load(key, budgets.save(key));
  for (const key of budgets.unsaved) assert.deepEqual(of(loaded, key), of(budgets, key));
  assert.deepEqual([of(loaded, 'a.test').period, of(loaded, 'a.test').used], [4, 1]);
  assert.deepEqual([...loaded.unsaved], []);
});

test('joined accounts keep the newest period, and of one period the larger number', () => {
  const cases = [
    // Ours, theirs, joined: [period, used].
    [
      [3, 9],
      [3, 4],
      [3, 9],
    ],
    [
      [3, 4],
      [3, 9],
      [3, 9],
    ],
    [
      [3, 9],
      [4, 1],
      [4, 1],
    ],
    [
      [4, 1],
      [3, 9],
      [4, 1],
    ],
    [
      [4, 0],
      [3, 9],
      [4, 0],
    ],
  ] as const;
  for (const [[period, used], theirs, joined] of cases) {
    const budgets = new BudgetsState();
    budgets.apply({ kind: 'spend', key: 'a.test', period, used });
    budgets.unsaved.clear();
    budgets.join('a.test', theirs[0], theirs[1], []);
    const account = budgets.accounts.get('a.test')!;
    assert.deepEqual([account.period, account.used], joined);
    assert.deepEqual([...budgets.unsaved], ['a.test']);
  }
  const [one, other] = [new BudgetsState(), new BudgetsState()];
  one.apply({ kind: 'countReferrer', key: 'a.test', fingerprint: 1 << 20 });
  other.apply({ kind: 'countReferrer', key: 'a.test', fingerprint: 1 << 28 });
  const sources = (budgets: BudgetsState) => budgets.accounts.get('a.test')!.sources;
  const theirs = sources(other).save();
  other.apply({ kind: 'countReferrer', key: 'a.test', fingerprint: 1 << 20 });
  one.join('a.test', 0, 0, theirs);
  assert.deepEqual(sources(one).save(), sources(other).save());
});

test('hosts with deferred URLs wait by their key, in the order they came', () => {
  const budgets = stateOf('domain');
  budgets.settle(waiter(5, 'a.one.org', true));
  budgets.settle(waiter(2, 'b.one.org', true));
  budgets.settle(waiter(2, 'b.one.org', true));
  budgets.settle(waiter(3, 'two.org', true));
  budgets.settle(waiter(4, 'three.org', false));
  assert.deepEqual(waitingIn(budgets), [
    ['one.org', 5, 2],
    ['two.org', 3],
  ]);
  budgets.settle(waiter(5, 'a.one.org', false));
  budgets.settle(waiter(3, 'two.org', false));
  assert.deepEqual(waitingIn(budgets), [['one.org', 2]]);
  budgets.settle(waiter(3, 'two.org', true));
  assert.deepEqual(waitingIn(budgets), [
    ['one.org', 2],
    ['two.org', 3],
  ]);
});

test('without budgets nobody waits for one, whoever waited before', () => {
  const budgets = stateOf(null);
  budgets.settle(waiter(1, 'a.test', true));
  assert.deepEqual(waitingIn(budgets), []);
  const before = stateOf('host');
  before.settle(waiter(1, 'a.test', true));
  before.setKeyMode(null, []);
  assert.deepEqual(waitingIn(before), []);
});

test('another kind of key regroups the hosts, the same one does not', () => {
  const hosts = [waiter(1, 'a.one.org', true), waiter(2, 'b.one.org', true), waiter(3, 'two.org', false)];
  const budgets = stateOf('host');
  budgets.settle(waiter(9, 'x.one.org', true));
  budgets.setKeyMode('host', hosts);
  assert.deepEqual(waitingIn(budgets), [['x.one.org', 9]]);
  budgets.setKeyMode(null, hosts);
  budgets.settle(waiter(4, 'c.one.org', true));
  budgets.setKeyMode('host', [...hosts, waiter(4, 'c.one.org', true)]);
  assert.deepEqual(waitingIn(budgets), [
    ['a.one.org', 1],
    ['b.one.org', 2],
    ['c.one.org', 4],
  ]);
  budgets.setKeyMode('domain', hosts);
  assert.deepEqual(waitingIn(budgets), [['one.org', 1, 2]]);
  assert.equal(budgets.keyOf('x.one.org'), 'one.org');
  budgets.setKeyMode('host', hosts);
  assert.deepEqual(waitingIn(budgets), [
    ['a.one.org', 1],
    ['b.one.org', 2],
  ]);
});

test('keys are checked once: reported ones, and all waiting ones when a period begins or a policy comes', () => {
  const budgets = stateOf('host');
  for (const [id, key] of ['a.test', 'b.test', 'c.test'].entries()) budgets.settle(waiter(id, key, true));
  assert.equal(budgets.looks, false);
  assert.deepEqual(budgets.keysToLookAt(0, 2), ['a.test', 'b.test']);
  assert.equal(budgets.looks, true);
  assert.deepEqual(budgets.keysToLookAt(0, 2), ['c.test']);
  assert.equal(budgets.looks, false);
  assert.deepEqual(budgets.keysToLookAt(0, 2), []);
  budgets.lookAt('b.test');
  budgets.lookAt('stranger.test');
  assert.deepEqual(budgets.keysToLookAt(0, 9), ['b.test']);
  assert.deepEqual(budgets.keysToLookAt(1, 9), ['a.test', 'b.test', 'c.test']);
  budgets.setKeyMode('host', []);
  assert.deepEqual(budgets.keysToLookAt(1, 9), ['a.test', 'b.test', 'c.test']);
  assert.deepEqual(budgets.keysToLookAt(1, 9), []);
});
