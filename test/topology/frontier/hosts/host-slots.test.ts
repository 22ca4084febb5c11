import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HostFacts, newHostFacts } from '../../../../topology/frontier/changes/changes.ts';
import { HostSlots, type SlotsOfHost } from '../../../../topology/frontier/hosts/host-slots.ts';
import { parallelLimits } from '../../../../topology/policy/limits.ts';

const none: SlotsOfHost = { own: -1, most: 1, nextAtMs: 0, freeAtMs: [], troubledFrom: 0 };
const fetched: HostFacts = { ...newHostFacts, fetchMs: 100 };

/** Slots of one host, number 4, that was fetched from before. */
function slotsOf(one: Partial<SlotsOfHost>, facts: Partial<HostFacts> = {}): HostSlots {
  const slots = new HostSlots({ get: () => ({ ...fetched, ...facts }) });
  slots.put(4, { ...none, ...one });
  return slots;
}

test('a host has one slot, free at once, and no other', () => {
  const slots = slotsOf({});
  assert.equal(slots.entries.size, 0);
  assert.deepEqual(slots.of(4), none);
  assert.deepEqual([slots.inForce(4), slots.readyAtMs(4, 0), slots.readyAtMs(4, 1)], [1, 0, Infinity]);
});

test('slots are kept while they differ from those of an ordinary host', () => {
  const kept: readonly (readonly [Partial<SlotsOfHost>, number])[] = [
    [{}, 0],
    [{ nextAtMs: 5, troubledFrom: 3 }, 0],
    [{ own: 0 }, 1],
    [{ own: 1 }, 1],
    [{ most: 2 }, 1],
    [{ freeAtMs: [1] }, 1],
  ];
  for (const [one, size] of kept) {
    const slots = slotsOf({ own: 3 });
    slots.put(4, { ...none, ...one });
    assert.equal(slots.entries.size, size, JSON.stringify(one));
  }
});

test('a host has one slot while it is in trouble, asks for a Crawl-delay, or is new', () => {
  const facts: readonly (readonly [Partial<HostFacts>, number])[] = [
    [{}, 3],
    [{ failures: 1 }, 1],
    [{ throttles: 1 }, 1],
    [{ crawlDelayMs: 1 }, 1],
    [{ crawlDelayMs: 0 }, 3],
    [{ fetchMs: 0 }, 1],
    [{ fetchMs: 1 }, 3],
  ];
  for (const [some, inForce] of facts) {
    assert.equal(slotsOf({ most: 3 }, some).inForce(4), inForce, JSON.stringify(some));
    assert.equal(slotsOf({ most: 3 }).inForce(4, { ...fetched, ...some }), inForce, JSON.stringify(some));
  }
  assert.equal(slotsOf({ own: 2 }).inForce(4), 1);
  assert.equal(slotsOf({ most: 3 }).inForce(5), 1);
});

test('a slot waits for its time, and for the share of the delay after the last lease', () => {
  const slots = slotsOf({ most: 3, nextAtMs: 50, freeAtMs: [10, 70] });
  // All three free: one was never used. With one out, the two that were given back may be all there is.
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((out) => slots.readyAtMs(4, out)),
    [50, 50, 70, Infinity, Infinity],
  );
  assert.equal(slotsOf({ most: 2, nextAtMs: 5, freeAtMs: [10, 70] }).readyAtMs(4, 0), 10);
  assert.equal(slotsOf({ most: 2, nextAtMs: 50, freeAtMs: [10, 60, 70] }).readyAtMs(4, 0), 60);
  assert.equal(slotsOf({ most: 2, nextAtMs: 90, freeAtMs: [70] }).readyAtMs(4, 1), 90);
});

test('a lease that takes a slot delays the next one by its share of the delay', () => {
  const slots = slotsOf({ most: 3, freeAtMs: [99, 100, 101] });
  slots.take(4, 100, 1_000);
  assert.deepEqual(slots.of(4), { ...none, most: 3, nextAtMs: 434, freeAtMs: [101] });
  const one = slotsOf({ own: 1 });
  one.take(4, 100, 1_000);
  assert.deepEqual(one.of(4), { ...none, own: 1, nextAtMs: 100 });
  one.take(5, 100, 1_000);
  assert.equal(one.entries.size, 1);
});

test('trouble is new except in leases that were out when it was found', () => {
  const slots = slotsOf({ most: 2 });
  const troubled = { ...fetched, failures: 1 };
  slots.learn(4, fetched, 20);
  assert.equal(slots.of(4).troubledFrom, 0);
  slots.learn(4, troubled, 20);
  assert.equal(slots.of(4).troubledFrom, 20);
  assert.deepEqual(
    [19, 20, 21].map((lease) => slots.isNews(4, troubled, lease)),
    [false, true, true],
  );
  assert.equal(slots.isNews(4, { ...fetched, throttles: 1 }, 19), false);
  assert.equal(slots.isNews(4, fetched, 19), true);
  assert.equal(slots.isNews(5, troubled, 0), true);
  slots.learn(5, troubled, 20);
  assert.equal(slots.entries.size, 1);
  // A host that is in trouble already: the leases it is on now began in it.
  const before = slotsOf({ most: 2, troubledFrom: 7 }, { throttles: 1 });
  before.learn(4, troubled, 20);
  assert.equal(before.of(4).troubledFrom, 7);
  const ordinary = slotsOf({ own: 1, troubledFrom: 20 });
  assert.equal(ordinary.isNews(4, troubled, 3), true);
});

test('freed slots are kept in order of their time, no more than a host may have', () => {
  const slots = slotsOf({ most: 2 });
  for (const atMs of [30, 9, 100, 20]) slots.giveBack(4, atMs);
  assert.deepEqual(slots.of(4).freeAtMs, [9, 20, 30, 100]);
  for (let atMs = 200; atMs < 200 + parallelLimits.leasesMax - 2; atMs++) slots.giveBack(4, atMs);
  const { freeAtMs } = slots.of(4);
  assert.deepEqual([freeAtMs.length, freeAtMs[0], freeAtMs[1]], [parallelLimits.leasesMax, 30, 100]);
  slots.giveBack(5, 3);
  assert.deepEqual(slots.of(5), { ...none, freeAtMs: [3] });
});
