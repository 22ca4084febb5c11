import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainPace } from '../../../../topology/frontier/hosts/domain-pace.ts';

const [a, b, other] = [
  { id: 0, key: 'a.example.org' },
  { id: 7, key: 'b.example.org' },
  { id: 1, key: 'other.org' },
];

test('a domain waits for all leases of its hosts, and for their longest delay', () => {
  const pace = new DomainPace();
  assert.deepEqual([pace.on, pace.readyAtMs(a.key)], [false, 0]);
  pace.settle(a, 1, 0, 100);
  assert.deepEqual(
    [a, b, other].map(({ key }) => pace.readyAtMs(key)),
    [Infinity, Infinity, 0],
  );
  pace.settle(b, 2, 0, 100);
  pace.settle(a, 0, 500, 100);
  assert.equal(pace.readyAtMs(a.key), Infinity);
  pace.settle(b, 1, 300, 100);
  assert.equal(pace.readyAtMs(a.key), Infinity);
  pace.settle(b, 0, 300, 100);
  assert.deepEqual(
    [a, b, other].map(({ key }) => pace.readyAtMs(key)),
    [500, 500, 0],
  );
  // A wait that is over changes nothing, one that is longer does.
  pace.settle(b, 0, 300, 300);
  assert.equal(pace.readyAtMs(b.key), 500);
  pace.settle(b, 0, 501, 500);
  assert.equal(pace.readyAtMs(a.key), 501);
});

test('hosts are re-sorted by each policy that first shares delays by domain, or has other delays', () => {
  const pace = new DomainPace();
  assert.deepEqual([pace.turn(false, true), pace.turn(true, true), pace.on], [false, true, true]);
  pace.settle(a, 1, 0, 100);
  assert.deepEqual([pace.turn(true, false), pace.readyAtMs(a.key)], [false, Infinity]);
  assert.deepEqual([pace.turn(true, true), pace.readyAtMs(a.key)], [true, 0]);
  assert.deepEqual([pace.turn(false, false), pace.on, pace.readyAtMs(a.key)], [false, false, 0]);
  assert.equal(pace.turn(true, false), true);
  pace.settle(a, 1, 0, 100);
  assert.equal(pace.readyAtMs(a.key), Infinity);
  pace.settle(a, 0, 0, 100);
  assert.equal(pace.readyAtMs(a.key), 0);
});

test('domains whose delay is over are forgotten once there are thousands, and no other', () => {
  const pace = new DomainPace();
  const hostOf = (id: number) => ({ id, key: `${id}.org` });
  // One on a lease, one that waits longer; the wait of the rest is over at 200.
  pace.settle(hostOf(0), 1, 0, 100);
  pace.settle(hostOf(1), 0, 201, 100);
  for (let id = 2; id < 4_096; id++) pace.settle(hostOf(id), 0, 200, 100);
  const known = () => [0, 1, 2, 4_095].map((id) => pace.readyAtMs(`${id}.org`));
  assert.deepEqual(known(), [Infinity, 201, 200, 200]);
  pace.settle(hostOf(5_000), 0, 300, 200);
  assert.deepEqual(known(), [Infinity, 201, 0, 0]);
  assert.equal(pace.readyAtMs('5000.org'), 300);
});
