import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Breath } from '../../../../services/runtime/loop/breath.ts';

test('a loop whose awaits are all ready lets timers and sockets have their turn', async () => {
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  }, 5);
  const breath = new Breath();
  let rounds = 0;
  while (!isOver && rounds < 5_000_000) {
    rounds += 1;
    await undefined;
    await breath.take();
  }
  assert.ok(isOver, `${rounds} rounds`);
});
