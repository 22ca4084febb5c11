/** Rows by which a client's word about a URL is remembered. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  entryOfRow,
  KnownRows,
  knownKey,
  knownRange,
  readKnown,
} from '../../../../topology/frontier/pull/known-rows.ts';

const url = 'http://a.test/ü';
const payload = Buffer.from([7, 8]);
const waits = { depth: 1, hop: 2, attempts: 300, expiries: 4, frontQueue: 5, dueAtMs: 1_800_000_000_000, seq: 6 };

it('a row is read as it was written, with any fields of the URL', () => {
  const rows = new KnownRows();
  for (const known of [
    { what: 'forgotten', url, payload: Buffer.alloc(0) },
    { what: 'done', url, payload },
    { what: 'waits', url, payload, waits },
  ] as const)
    assert.deepEqual(readKnown(rows.set(knownKey(1, 2, 3, 4), known)), known);
});

it('a waiting URL is queued again with all its counts', () => {
  const row = new KnownRows().set(knownKey(1, 2, 3, 4), { what: 'waits', url, payload, waits });
  const { dueAtMs, seq, ...counted } = waits;
  assert.deepEqual(entryOfRow(row), { url, payload, ...counted });
});

it('a URL with a row of an earlier version counts from zero', () => {
  const row = new KnownRows().set(knownKey(1, 2, 3, 4), { what: 'waits', url, payload });
  assert.deepEqual(readKnown(row), { what: 'waits', url, payload });
  const counted = { depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue: 0 };
  assert.deepEqual(entryOfRow(row), { url, payload, ...counted });
});

it('the rows of a queue’s generation are adjacent, without those of another', () => {
  const { gte, lt } = knownRange(7, 1);
  const isIn = (key: Buffer) => Buffer.compare(gte, key) <= 0 && Buffer.compare(key, lt) < 0;
  const last = 2 ** 32 - 1;
  for (const [hi, lo] of [
    [0, 0],
    [last, last],
  ] as const)
    assert.deepEqual(
      [knownKey(7, 1, hi, lo), knownKey(7, 0, hi, lo), knownKey(7, 2, hi, lo), knownKey(6, 1, hi, lo)].map(isIn),
      [true, false, false, false],
    );
});
