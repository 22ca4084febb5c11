import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadQueue } from '../../../../services/frontier/restore/read-queue.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';

test('short reads share a round of their owner, and a long one is the last of its round', async () => {
  let nowMs = 0;
  const queue = new ReadQueue<string>(() => nowMs);
  const read: string[] = [];
  const ask = (name: string, takesMs: number) =>
    queue.ask(function* (target: string) {
      yield { read: [] };
      read.push(`${name} of ${target}`);
      nowMs += takesMs;
    });
  const all = [ask('first', 0.4), ask('second', 0.4), ask('long', 7), ask('after', 0.4)];
  await queue.answerSome('a', createMemoryStore());
  assert.deepEqual(read, ['first of a', 'second of a', 'long of a']);
  assert.equal(queue.isAsked, true);
  await queue.answerSome('b', createMemoryStore());
  assert.deepEqual(read.slice(3), ['after of b']);
  await Promise.all(all);
  await queue.answerSome('nobody asks', createMemoryStore());
});

test('a failed read is an error only for its caller', async () => {
  const queue = new ReadQueue<string>(() => 0);
  const failing = queue.ask(() => {
    throw new Error('no such row');
  });
  const other = queue.ask(function* () {
    yield { read: [] };
    return 1;
  });
  const refused = assert.rejects(failing, /no such row/);
  await queue.answerSome('a', createMemoryStore());
  await refused;
  assert.equal(await other, 1);
});
