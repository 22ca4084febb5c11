/** Frames of a journal, by the layout that its file states: what is read back, and what a cut or a bad byte means. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from '@node-rs/crc32';
import {
  beginMark,
  frameOf,
  markFrame,
  readFrames,
  turnMark,
} from '../../../../../services/runtime/store/journal/journal-frames.ts';
import type { StoreOp } from '../../../../../services/runtime/store/store.ts';

const store = (name: string) => Buffer.from(name.padEnd(8));
const group = Buffer.from('0123456789abcdef', 'hex');
const rows: readonly StoreOp[] = [
  { key: Buffer.from('a'), value: Buffer.from('one') },
  { key: Buffer.from(''), value: Buffer.from('') },
  { key: Buffer.from('gone'), value: null },
  { key: Buffer.from([0, 255]), value: Buffer.from([255, 0]) },
];
const frame = (name: string, ops: readonly StoreOp[] = rows) => Buffer.concat(frameOf(store(name), ops));

/** A file with its mark, its group, and these parts. */
const fileOf = (mark: Buffer, ...parts: readonly Buffer[]) =>
  Buffer.concat([markFrame(mark), markFrame(group), ...parts]);

/** The stores of the frames that are read, without marks. */
const storesIn = (file: Buffer) =>
  readFrames(file)
    .frames.map(({ store }) => Buffer.from(store, 'hex').toString().trim())
    .filter((name) => /^[a-z]+$/.test(name));

test('a frame has its length, its checksum, its store and its rows', () => {
  const bytes = frame('s', [
    { key: Buffer.from('k'), value: Buffer.from('vv') },
    { key: Buffer.from('k'), value: null },
    { key: Buffer.from('k'), value: Buffer.from('') },
  ]);
  const body = Buffer.concat([
    store('s'),
    ...[Buffer.from([0, 0, 0, 1, 0, 0, 0, 3]), Buffer.from('kvv')],
    ...[Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]), Buffer.from('k')],
    ...[Buffer.from([0, 0, 0, 1, 0, 0, 0, 1]), Buffer.from('k')],
  ]);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length, 0);
  head.writeUInt32BE(crc32(body), 4);
  assert.deepEqual(bytes, Buffer.concat([head, body]));
});

test('rows are read as they were written: an empty value is no deletion, and rows of other arrays are taken', () => {
  const { frames, isTurned, tornAt, isDamaged } = readFrames(frame('s'));
  assert.deepEqual(frames, [{ store: store('s').toString('hex'), ops: rows }]);
  assert.deepEqual([isTurned, tornAt, isDamaged], [false, undefined, false]);
  const shared = new Uint8Array(Buffer.from('xkeyx')).subarray(1, 4);
  assert.deepEqual(readFrames(frame('s', [{ key: shared, value: shared }])).frames[0]?.ops, [
    { key: Buffer.from('key'), value: Buffer.from('key') },
  ]);
  assert.deepEqual(readFrames(frame('s', [])).frames[0]?.ops, []);
  assert.deepEqual(readFrames(Buffer.alloc(0)), { frames: [], isTurned: false, tornAt: undefined, isDamaged: false });
});

test('an empty key is read back, wherever its no bytes lie', () => {
  const empty = [Buffer.from(''), Buffer.alloc(0), new Uint8Array(0), Buffer.from('abc').subarray(3)];
  // An array that was asked for its buffer has no address of its own any more.
  for (const key of empty) assert.equal(key.buffer.byteLength >= 0, true);
  for (const key of empty)
    assert.deepEqual(readFrames(frame('s', [{ key, value: Buffer.from('v') }])).frames[0]?.ops, [
      { key: Buffer.alloc(0), value: Buffer.from('v') },
    ]);
});

test('a file that is cut anywhere has its whole frames, and is torn where the next one begins', () => {
  const parts = [frame('a'), markFrame(group), frame('b')];
  const file = fileOf(beginMark, ...parts);
  const ends = [0, 16, 32];
  for (const part of parts) ends.push(ends.at(-1)! + part.length);
  for (let cut = 0; cut <= file.length; cut++) {
    const { frames, tornAt, isDamaged } = readFrames(file.subarray(0, cut));
    const whole = ends.findLast((end) => end <= cut)!;
    assert.equal(tornAt, whole === cut ? undefined : whole, `${cut}`);
    assert.equal(frames.length, ends.indexOf(whole), `${cut}`);
    assert.equal(isDamaged, false, `${cut}`);
  }
});

test('a bad byte is damage if a later sync follows, and else the rest of a write that was never acknowledged', () => {
  const file = fileOf(beginMark, frame('a'), markFrame(group), frame('b'));
  const second = file.length - frame('b').length;
  for (const [at, tornAt, isDamaged] of [
    [40, 32, true],
    [second + 2, second, false],
    [file.length - 1, second, false],
    [second - 1, second - 16, false],
  ] as const) {
    const broken = Buffer.from(file);
    broken[at]! ^= 1;
    const read = readFrames(broken);
    assert.deepEqual([read.tornAt, read.isDamaged], [tornAt, isDamaged], `${at}`);
  }
  const broken = Buffer.from(file);
  broken[40]! ^= 1;
  assert.deepEqual(storesIn(broken), []);
});

test('the mark of another file within a value is no sync of this one', () => {
  const other = Buffer.from('fedcba9876543210', 'hex');
  const value = markFrame(other);
  const file = fileOf(beginMark, frame('a'), frame('b', [{ key: Buffer.from('k'), value }]));
  const broken = Buffer.from(file);
  broken[40]! ^= 1;
  assert.equal(readFrames(broken).isDamaged, false);
});

test('a file that follows a synced one says so, and one of 0.3.0 has neither mark nor damage', () => {
  assert.equal(readFrames(fileOf(turnMark, frame('a'))).isTurned, true);
  assert.equal(readFrames(fileOf(beginMark, frame('a'))).isTurned, false);
  const old = Buffer.concat([frame('a'), frame('b'), frame('a')]);
  assert.deepEqual(storesIn(old), ['a', 'b', 'a']);
  const broken = Buffer.from(old);
  broken[frame('a').length + 9]! ^= 1;
  const read = readFrames(broken);
  assert.deepEqual([read.tornAt, read.isDamaged, read.frames.length], [frame('a').length, false, 1]);
});

test('a length that is too small for a store, or larger than the file, ends the file', () => {
  for (const length of [0, 7, 2 ** 32 - 1]) {
    const broken = Buffer.from(frame('a'));
    broken.writeUInt32BE(length, 0);
    assert.deepEqual(readFrames(broken), { frames: [], isTurned: false, tornAt: 0, isDamaged: false });
  }
  const small = Buffer.alloc(16);
  small.writeUInt32BE(7, 0);
  small.writeUInt32BE(crc32(Buffer.alloc(7)), 4);
  assert.equal(readFrames(small).tornAt, 0);
});
