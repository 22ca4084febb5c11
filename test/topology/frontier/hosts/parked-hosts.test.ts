import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { ParkedHosts } from '../../../../topology/frontier/hosts/parked-hosts.ts';
import { MinHeap } from '../../../../topology/frontier/storage/min-heap.ts';

const first = () => 0;

it('a parked host that goes back on the clock and is parked again stands by its later time', () => {
  const parked = new ParkedHosts();
  parked.park('a.test', 1, 3, 100);
  parked.park('a.test', 2, 3, 200);
  parked.leave(1);
  parked.park('a.test', 1, 3, 300);
  assert.deepEqual(
    [1, 2, 3].map(() => parked.takeHost('a.test', first)),
    [2, 1, undefined],
  );
  assert.ok(parked.isEmpty);
});

it('a parked host that is parked once more has one place, in the new front queue', () => {
  const parked = new ParkedHosts();
  parked.park('a.test', 1, 0, 100);
  parked.park('a.test', 1, 7, 100);
  parked.park('a.test', 2, 5, 900);
  assert.deepEqual(
    [1, 2, 3].map(() => parked.takeHost('a.test', first)),
    [2, 1, undefined],
  );
});

it('parked hosts come in the order of their times, however often others leave and are parked again', () => {
  const parked = new ParkedHosts();
  for (let id = 0; id < 40; id++) parked.park('a.test', id, 2, id);
  for (let round = 0; round < 1_000; round++) {
    const id = (round * 7) % 20;
    parked.leave(id);
    parked.park('a.test', id, 2, 1_000 + round);
  }
  const order = Array.from({ length: 40 }, () => parked.takeHost('a.test', first)!);
  assert.deepEqual(
    order.slice(0, 20),
    [...order.slice(0, 20)].sort((a, b) => a - b),
  );
  assert.ok(order.slice(0, 20).every((id) => id >= 20));
  assert.deepEqual([...new Set(order)].length, 40);
  assert.ok(parked.isEmpty);
});

/** Wakes that are kept: each is added to a heap, and taken from it. */
function countWakes() {
  let kept = 0;
  const isWake = (item: object | undefined) => item !== undefined && Object.hasOwn(item, 'atMs');
  const { add, take } = MinHeap.prototype;
  const adding = mock.method(MinHeap.prototype, 'add', function (this: MinHeap<object>, item: object) {
    if (isWake(item)) kept += 1;
    add.call(this, item);
  });
  const taking = mock.method(MinHeap.prototype, 'take', function (this: MinHeap<object>) {
    const item = take.call(this) as object | undefined;
    if (isWake(item)) kept -= 1;
    return item;
  });
  return {
    kept: () => kept,
    restore() {
      adding.mock.restore();
      taking.mock.restore();
    },
  };
}

it('a domain with one parked host that leaves and is parked again, however often, keeps one wake', (t) => {
  const wakes = countWakes();
  t.after(wakes.restore);
  const parked = new ParkedHosts();
  parked.park('early.test', 7, 0, 0);
  parked.wake('early.test', 10);
  for (let round = 0; round < 100; round++) {
    parked.park('a.test', 1, 3, round);
    parked.wake('a.test', 5_000 + round);
    assert.equal(parked.nextAtMs, 10);
    if (round % 2 === 0) parked.leave(1);
    else assert.equal(parked.takeHost('a.test', first), 1);
  }
  assert.equal(wakes.kept(), 2);
  assert.equal(parked.takeDue(10), 'early.test');
  assert.deepEqual([parked.nextAtMs, wakes.kept()], [undefined, 0], 'nobody is parked any more');
});

it('a domain is due once it has parked hosts and its time has come, also if it had none meanwhile', () => {
  const parked = new ParkedHosts();
  parked.park('a.test', 1, 3, 0);
  parked.wake('a.test', 5_000);
  parked.leave(1);
  assert.deepEqual([parked.nextAtMs, parked.takeDue(5_000)], [undefined, undefined], 'an empty domain is never due');
  parked.park('a.test', 1, 3, 0);
  assert.equal(parked.nextAtMs, undefined, 'not before it is woken');
  parked.wake('a.test', 6_000);
  parked.park('b.test', 2, 3, 0);
  parked.wake('b.test', 4_000);
  parked.leave(1);
  parked.park('a.test', 1, 4, 0);
  parked.wake('a.test', 6_000);
  assert.deepEqual(
    [4_000, 5_999, 6_000, 9_000].map((nowMs) => parked.takeDue(nowMs)),
    ['b.test', undefined, 'a.test', undefined],
  );
  parked.wake('a.test', 7_000);
  assert.equal(parked.nextAtMs, 7_000);
});
