import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EntryArena } from '../../../../topology/frontier/queues/entry-arena.ts';
import { rowBytesSoft, rowEntriesMax, writeRow } from '../../../../topology/frontier/queues/queue-row.ts';
import { ByteWriter } from '../../../../topology/frontier/storage/bytes.ts';

/** How many of 300 entries with URLs of such a length the first row takes, and its bytes. */
function firstRow(chars: number, asked = 300) {
  const arena = new EntryArena();
  let last = 0;
  const url = (n: number) => `https://h.test/${String(1_000 - n).padEnd(chars, 'x')}`;
  for (let n = 0; n < 300; n++)
    last = arena.add(last, 1, 'h.test', { url: url(n), depth: 1, hop: 0, attempts: 0, expiries: 0, frontQueue: 2 });
  const writer = new ByteWriter(1024);
  const { count } = writeRow(writer, arena, arena.next(last), asked);
  return { count, bytes: writer.length };
}

test('a row holds so many entries at most, and as many as are asked for', () => {
  assert.equal(firstRow(5).count, rowEntriesMax);
  assert.equal(firstRow(5, 7).count, 7);
});

test('a row of long URLs ends with the entry that fills it', () => {
  const { count, bytes } = firstRow(1_000);
  assert.ok(bytes >= rowBytesSoft - 100 && bytes < rowBytesSoft + 1_100, `${bytes} bytes`);
  assert.ok(count === 16 || count === 17, `${count} entries`);
  assert.equal(firstRow(20_000).count, 1);
});
