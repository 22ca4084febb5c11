import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlots } from '../../../../services/fetcher/pace/slots.ts';

test('slots are taken at once while there are any, and then in the order of asking', async () => {
  const slots = createSlots(2);
  assert.deepEqual([slots.take(), slots.take(), slots.taken, slots.waiting], [undefined, undefined, 2, 0]);
  const order: number[] = [];
  const waiting = [1, 2].map((n) => slots.take()!.then(() => order.push(n)));
  assert.deepEqual([slots.taken, slots.waiting], [2, 2]);
  slots.release();
  await waiting[0];
  assert.deepEqual([order, slots.taken, slots.waiting], [[1], 2, 1]);
  slots.release();
  await waiting[1];
  assert.deepEqual([order, slots.taken, slots.waiting], [[1, 2], 2, 0]);
  slots.release();
  assert.deepEqual([slots.taken, slots.take(), slots.taken], [1, undefined, 2]);
});

test('waiting requests keep their order, however many were served before', async () => {
  const slots = createSlots(1);
  slots.take();
  const order: number[] = [];
  const waiting: Promise<unknown>[] = [];
  const wait = (n: number) => waiting.push(slots.take()!.then(() => order.push(n)));
  for (let n = 0; n < 1_030; n++) wait(n);
  for (let n = 0; n < 1_027; n++) slots.release();
  assert.equal(slots.waiting, 3);
  wait(1_030);
  for (let n = 0; n < 4; n++) slots.release();
  await Promise.all(waiting);
  assert.deepEqual(
    order,
    Array.from({ length: 1_031 }, (_, n) => n),
  );
  assert.deepEqual([slots.taken, slots.waiting], [1, 0]);
});
