import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Entry } from '../../../../topology/frontier/changes/entry.ts';
import { EntryArena } from '../../../../topology/frontier/queues/entry-arena.ts';
import {
  countOf,
  readArena,
  readRow,
  rowBytesSoft,
  rowEntriesMax,
  rowKey,
  writeRow,
} from '../../../../topology/frontier/queues/queue-row.ts';
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

test('a row holds a bounded number of entries, and as many as requested', () => {
  assert.equal(firstRow(5).count, rowEntriesMax);
  assert.equal(firstRow(5, 7).count, 7);
});

test('a row of long URLs ends with the entry that fills it', () => {
  const { count, bytes } = firstRow(1_000);
  assert.ok(bytes >= rowBytesSoft - 100 && bytes < rowBytesSoft + 1_100, `${bytes} bytes`);
  assert.ok(count === 16 || count === 17, `${count} entries`);
  assert.equal(firstRow(20_000).count, 1);
});

const host = 'h.test';
const plain = { depth: 1, hop: 0, attempts: 0, expiries: 0, frontQueue: 2 };
const all: readonly Entry[] = [
  { ...plain, url: 'https://h.test/a/b/1' },
  { ...plain, url: 'https://h.test/a/b/2' },
  { ...plain, url: 'https://h.test/a/b/2', depth: 300 },
  { ...plain, url: 'http://h.test/a/c', depth: 300, hop: 3 },
  { ...plain, url: 'http://h.test/', attempts: 2 },
  { ...plain, url: 'https://h.test/ü', expiries: 1, isForeign: true },
  { ...plain, url: 'https://other.test/ü?x', depth: 0 },
  { ...plain, url: 'https://h.tes', depth: 0, tags: 700 },
  { ...plain, url: 'https://h.test/a', depth: 0, payload: Buffer.from([1, 2]), spelling: '/%61', hop: 2 },
  { ...plain, url: 'https://h.test/a', depth: 128, payload: Buffer.alloc(200, 7) },
  { ...plain, url: 'ftp://h.test/a', depth: 128, payload: Buffer.alloc(0) },
  { ...plain, url: 'https://h.test/a/b', attempts: 200, expiries: 129, spelling: 'ü'.repeat(100) },
  { ...plain, url: 'https://h.test/' },
];

function row(entries: readonly Entry[], asked = entries.length, from = 0) {
  const arena = new EntryArena();
  let last = 0;
  for (const entry of entries) last = arena.add(last, 1, host, entry);
  let pointer = arena.next(last);
  for (let left = from; left > 0; left--) pointer = arena.next(pointer);
  const writer = new ByteWriter(1024);
  const written = writeRow(writer, arena, pointer, asked);
  return { value: Buffer.from(writer.take()), arena, ...written, first: arena.next(last) };
}

function read(value: Buffer, count: number): Entry[] {
  const entries: Entry[] = [];
  readRow(value, host, 2, count, (index, entry) => {
    assert.equal(index, entries.length);
    entries.push(entry());
  });
  return entries;
}

test('entries are read from their row as they were written, whatever is beside them', () => {
  const { value, count } = row(all);
  assert.deepEqual([count, countOf(value)], [all.length, all.length]);
  assert.deepEqual(read(value, 99), all);
  assert.deepEqual(read(value, 3), all.slice(0, 3));
  assert.deepEqual(read(value, 0), []);
  for (const one of all) assert.deepEqual(read(row([one]).value, 1), [one], one.url);
});

test('entries are read from memory as they were put', () => {
  const { arena, first } = row(all);
  let pointer = first;
  for (const one of all) {
    assert.deepEqual(readArena(arena, pointer, host, 2), one);
    pointer = arena.next(pointer);
  }
  assert.equal(pointer, first, 'the last one knows the first');
});

test('a row of a few entries ends with the last of them', () => {
  const { value, last, count, arena, first } = row(all, 3, 1);
  assert.deepEqual([count, read(value, 9)], [3, all.slice(1, 4)]);
  assert.deepEqual(readArena(arena, last, host, 2), all[3]);
  assert.notEqual(last, first);
});

test('an unwanted entry is skipped', () => {
  const urls: string[] = [];
  readRow(row(all).value, host, 2, 99, (index, entry) => {
    if (index % 2 === 1) urls.push(entry().url);
  });
  assert.deepEqual(
    urls,
    all.filter((_, index) => index % 2 === 1).map(({ url }) => url),
  );
});

test('parts that neighbours share are written once', () => {
  const bytes = (...urls: string[]) => row(urls.map((url) => ({ ...plain, url }))).value.length;
  const path = `/${'x'.repeat(60)}`;
  // Count; then flags and depth of the first alone, two lengths, and the rest of the URL behind its origin.
  assert.equal(bytes(`https://h.test${path}1`), 1 + 4 + 62);
  assert.equal(bytes(`https://h.test${path}1`, `https://h.test${path}2`), 1 + 4 + 62 + 3 + 1);
  assert.equal(bytes(`https://h.test${path}`, `https://h.test${path}2`), 1 + 4 + 61 + 3 + 1);
  assert.equal(bytes(`https://h.test${path}2`, `https://h.test${path}`), 1 + 4 + 62 + 3);
  assert.equal(
    row([
      { ...plain, url: 'https://h.test/' },
      { ...plain, url: 'https://h.test/', depth: 2 },
    ]).value.length,
    10,
  );
});

test('a row is named by its host, its front queue and its first place', () => {
  assert.equal(rowKey(0x01020304, 5, 0x06070809).toString('hex'), '71010203040506070809');
});

test('a missing row is reported, with the remedy', () => {
  for (const none of [null, undefined])
    assert.throws(() => countOf(none), /state folder lacks a row of a queue: delete the folder/);
});
