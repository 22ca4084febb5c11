import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ParkedHosts } from '../../../../topology/frontier/hosts/parked-hosts.ts';

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
