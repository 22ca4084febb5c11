import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { runInTurn } from './in-turn.ts';

/** What runs, by number; each ends when it is told to. */
function tasks() {
  const running = new Map<number, () => void>();
  return {
    running,
    run: (one: number) => new Promise<void>((resolve) => running.set(one, resolve)),
    end: async (one: number) => {
      running.get(one)!();
      running.delete(one);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    },
  };
}

test('one more task starts while processors are idle, up to a bound; otherwise a fixed number at once', async () => {
  mock.timers.enable({ apis: ['setInterval'] });
  try {
    const { running, run, end } = tasks();
    let idle = 0;
    const ended = runInTurn([1, 2, 3, 4, 5, 6], { atOnce: 2, atMost: 4, idle: () => idle, everyMs: 1_000 }, run);
    assert.deepEqual([...running.keys()], [1, 2]);
    mock.timers.tick(3_000);
    assert.deepEqual([...running.keys()], [1, 2], 'the processors are busy');
    idle = 0.5;
    mock.timers.tick(1_000);
    assert.deepEqual([...running.keys()], [1, 2, 3]);
    mock.timers.tick(5_000);
    assert.deepEqual([...running.keys()], [1, 2, 3, 4], 'no more than four');
    idle = 0;
    await end(1);
    await end(2);
    assert.deepEqual([...running.keys()], [3, 4], 'the processors are busy again');
    await end(3);
    assert.deepEqual([...running.keys()], [4, 5]);
    for (const one of [4, 5, 6]) await end(one);
    await ended;
  } finally {
    mock.timers.reset();
  }
});

test('a failure is reported, and nothing starts after it', async () => {
  const turns = { atOnce: 1, atMost: 1, idle: () => 0, everyMs: 1_000 };
  await assert.rejects(
    runInTurn([1, 2], turns, async (one) => {
      throw new Error(`${one} failed`);
    }),
    /1 failed/,
  );
});
