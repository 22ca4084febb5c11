/** Rows of the embedded log, byte for byte: folders of earlier releases hold them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogRecord } from '../../../../services/runtime/log/log.ts';
import * as rows from '../../../../services/runtime/log/rows.ts';

const number = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(value));
  return buffer.subarray(8 - bytes);
};
const row = (...parts: readonly (string | Buffer)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
const [u16, u32, u48] = [2, 4, 6].map((bytes) => (value: number) => number(value, bytes)) as [
  (value: number) => Buffer,
  (value: number) => Buffer,
  (value: number) => Buffer,
];
const most = 2 ** 48 - 1;
const record = (more: Partial<LogRecord>): LogRecord => ({
  ...{ topic: 't', partition: 258, offset: 2 ** 40 + 3, timestampMs: 1_700_000_000_123, key: null },
  ...{ value: Buffer.from('value'), headers: {}, ...more },
});

test('a record is in its row as the layout says, and is read back from it', () => {
  const head = (key: Buffer | null) =>
    row(
      'Lr',
      u32(70_000),
      u16(515),
      u16(258),
      u48(2 ** 40 + 3),
      u48(1_700_000_000_123),
      u16(key === null ? 0 : key.length + 1),
    );
  const headers = { größe: '', b: 'c' };
  const stored = row(u16(7), 'größe', u16(0), u16(1), 'b', u16(1), 'c');
  for (const key of [null, Buffer.alloc(0), Buffer.from('key'), Buffer.alloc(65_534, 'k')])
    for (const given of [{}, headers]) {
      const one = record({ key, headers: given });
      const bytes = rows.recordKey(70_000, 515, one);
      assert.deepEqual(bytes, row(head(key), key ?? '', given === headers ? stored : ''));
      assert.deepEqual(rows.recordOf('t', bytes, one.value), one);
      assert.equal(rows.offsetOfKey(bytes), one.offset);
    }
  assert.deepEqual([rows.headerLength({}), rows.headerLength(headers)], [0, stored.length]);
  for (const edge of [0, 2 ** 32 - 1, 2 ** 32, most]) {
    const one = record({ partition: 0, offset: edge, timestampMs: edge });
    assert.deepEqual(rows.recordOf('t', rows.recordKey(2 ** 32 - 1, 65_535, one), one.value), one);
  }
});

test('a range of records has those from its first offset to before its last, of one partition', () => {
  const { gte, lt } = rows.recordRange(1, 2, 3, 5, 8);
  const isIn = (segment: number, topic: number, one: Partial<LogRecord>) => {
    const key = rows.recordKey(segment, topic, record({ partition: 3, ...one }));
    return Buffer.compare(key, gte) >= 0 && Buffer.compare(key, lt) < 0;
  };
  assert.deepEqual(
    [4, 5, 7, 8].map((offset) => isIn(1, 2, { offset })),
    [false, true, true, false],
  );
  for (const other of [isIn(2, 2, { offset: 5 }), isIn(1, 3, { offset: 5 }), isIn(1, 2, { offset: 5, partition: 4 })])
    assert.equal(other, false);
});

test('an appended record keeps its bytes, and has no headers if none are given', () => {
  const value = Buffer.from('xvaluex').subarray(1, 6);
  const given = { topic: 't', partition: 1, key: new Uint8Array([1, 2, 3]).subarray(1), value };
  const made = rows.newRecord(given, 7, 8);
  assert.deepEqual(made, { ...given, key: Buffer.from([2, 3]), offset: 7, timestampMs: 8, headers: {} });
  assert.equal(made.value, value);
  assert.deepEqual(rows.newRecord({ ...given, key: null, headers: { a: 'b' } }, 7, 8).headers, { a: 'b' });
});

test('rows of topics, trims, segments and positions of groups are as the layout says', () => {
  assert.deepEqual(rows.topicKey('größe'), row('Lmt', 'größe'));
  assert.equal(rows.topicOfKey(rows.topicKey('größe')), 'größe');
  assert.deepEqual(rows.trimKey(258, 772), row('Lmo', u16(258), u16(772)));
  assert.deepEqual(rows.segmentKey(2 ** 31 + 1), row('Lms', u32(2 ** 31 + 1)));
  const commit = rows.commitKey('c.index', 'c.pages', 258);
  assert.deepEqual(commit, row('Lmg', 'c.index', '\0', 'c.pages', '\0', u16(258)));
  assert.equal(rows.groupOfKey(commit), 'c.index');
  for (const [range, letter] of [
    [rows.topicRows, 't'],
    [rows.trimRows, 'o'],
    [rows.segmentRows, 's'],
  ] as const)
    assert.deepEqual([range.gte, range.lt], [row('Lm', letter), row('Lm', Buffer.from([letter.charCodeAt(0) + 1]))]);
  const { gte, lt } = rows.commitRange('c.');
  const isIn = (group: string) => {
    const key = rows.commitKey(group, 't', 0);
    return Buffer.compare(key, gte) >= 0 && Buffer.compare(key, lt) < 0;
  };
  assert.deepEqual(['c.index', 'c.\u{10ffff}', 'c', 'd.index', 'cc.x'].map(isIn), [true, true, false, false, false]);
});

test('values of segments, trims and positions are read back as they were written', () => {
  const firsts = [
    { topicId: 258, partition: 772, offset: most },
    { topicId: 0, partition: 65_535, offset: 2 ** 32 },
  ];
  const value = rows.segmentValue(1_700_000_000_123, firsts);
  const stored = firsts.map(({ topicId, partition, offset }) => row(u16(topicId), u16(partition), u48(offset)));
  assert.deepEqual(value, row(u48(1_700_000_000_123), ...stored));
  assert.deepEqual(rows.readSegmentValue(value), { startMs: 1_700_000_000_123, firsts });
  assert.deepEqual(rows.readSegmentValue(rows.segmentValue(5, [])), { startMs: 5, firsts: [] });
  const offsets = rows.offsetsValue(2 ** 40 + 1, 7);
  assert.deepEqual(offsets, row(u48(2 ** 40 + 1), u48(7)));
  assert.deepEqual([rows.readOffset(offsets), rows.readOffset(offsets, 1)], [2 ** 40 + 1, 7]);
});
