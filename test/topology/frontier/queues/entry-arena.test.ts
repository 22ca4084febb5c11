import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Entry } from '../../../../topology/frontier/changes/entry.ts';
import { EntryArena } from '../../../../topology/frontier/queues/entry-arena.ts';
import { readArena } from '../../../../topology/frontier/queues/queue-row.ts';

const entry = (n: number): Entry => ({
  url: `https://h.test/${n}/${'x'.repeat((n * 7919) % 2_000)}`,
  depth: n % 300,
  ...{ hop: n % 3, attempts: n % 2, expiries: 0, frontQueue: 2 },
});

test('a frontier of a few URLs uses 8 kB of memory for them, and one of many grows by a megabyte at a time', () => {
  const arena = new EntryArena();
  const first = arena.add(0, 1, 'h.test', entry(1));
  assert.equal(arena.buffer(first).buffer.byteLength, 8_192);
  let last = first;
  for (let n = 2; n < 3_000; n++) last = arena.add(last, 1, 'h.test', entry(n));
  assert.ok(arena.pages > 2);
  assert.equal(arena.buffer(first).buffer.byteLength, 2 ** 20);
});

test('entries return as they were put, in order, however a page has grown meanwhile', () => {
  const arena = new EntryArena();
  let last = 0;
  for (let n = 0; n < 3_000; n++) last = arena.add(last, 1, 'h.test', entry(n));
  for (let n = 0; n < 3_000; n++) {
    const { url, depth, attempts } = readArena(arena, arena.next(last), 'h.test', 2);
    assert.deepEqual([url, depth, attempts], [entry(n).url, entry(n).depth, entry(n).attempts]);
    last = arena.dropFirst(last);
  }
  assert.equal(last, 0);
});
