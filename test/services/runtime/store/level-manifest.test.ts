/** The tables that a manifest of LevelDB names, in files that the test writes by its format. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tablesOf } from '../../../../services/runtime/store/level-manifest.ts';

const blockBytes = 32 * 1024;
const headBytes = 7;
const types = { full: 1, first: 2, middle: 3, last: 4 } as const;

function fragment(type: number, bytes: Buffer): Buffer {
  const head = Buffer.alloc(headBytes, 0xee);
  head.writeUInt16LE(bytes.length, 4);
  head[6] = type;
  return Buffer.concat([head, bytes]);
}

/** A base-128 number, the lowest bits first. */
function number(value: number): Buffer {
  const bytes: number[] = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return Buffer.from([...bytes, value]);
}

const text = (bytes: number) => Buffer.concat([number(bytes), Buffer.alloc(bytes, 0x78)]);
const added = (table: number, keyBytes = 3) =>
  Buffer.concat([number(7), number(1), number(table), number(4_096), text(keyBytes), text(keyBytes + 1)]);
const deleted = (table: number) => Buffer.concat([number(6), number(2), number(table)]);
/** A field that names no table, about half as long as a block. */
const filler = Buffer.concat([number(1), text(16_384)]);
const numbered = Buffer.concat([2, 3, 4, 9].map((field) => Buffer.concat([number(field), number(300)])));
const pointer = Buffer.concat([number(5), number(1), text(200)]);

const named = (...parts: readonly Buffer[]) => [...tablesOf(Buffer.concat(parts))];
const full = (...fields: readonly Buffer[]) => fragment(types.full, Buffer.concat(fields));

test('tables that were added and not deleted again are in use, whatever other fields stand between', () => {
  assert.deepEqual(named(), []);
  assert.deepEqual(named(full(added(5), pointer, added(300), numbered, deleted(5), added(7))), [300, 7]);
  assert.deepEqual(named(full(added(5)), full(deleted(5)), full(added(6, 200)), full(deleted(9))), [6]);
  assert.deepEqual(named(full(deleted(5), added(5))), [5]);
  // A number above 32 bits.
  assert.deepEqual(named(full(added(2 ** 40 + 1))), [2 ** 40 + 1]);
});

test('a record over several blocks is read as one, and the end of a block that fits no head is skipped', () => {
  const edit = Buffer.concat([added(1), filler, added(2), filler, added(3)]);
  const first = full(added(9), numbered);
  const room = blockBytes - first.length - headBytes;
  const [head, tail] = [edit.subarray(0, room - 5), edit.subarray(room - 5)];
  // Five bytes are left of the block.
  const block = Buffer.concat([first, fragment(types.first, head), Buffer.alloc(5)]);
  assert.equal(block.length, blockBytes);
  const middle = fragment(types.middle, tail.subarray(0, 100));
  const last = fragment(types.last, tail.subarray(100));
  assert.deepEqual(named(block, middle, last), [9, 1, 2, 3]);
  assert.deepEqual(named(block, middle), [9], 'without its end it was not finished');
  assert.deepEqual(named(block, middle, full(added(4))), [9, 4], 'another begins instead');
});

test('a head that just fits into a block has its bytes in the next one', () => {
  const block = Buffer.concat([full(filler), full(added(300, 8_174)), fragment(types.first, Buffer.alloc(0))]);
  assert.equal(block.length, blockBytes);
  assert.deepEqual(named(block, fragment(types.last, added(4))), [300, 4]);
});

test('a manifest that ends within a record, or in room for more, has the whole ones before', () => {
  const [one, two] = [full(added(1)), full(added(2))];
  for (let cut = 0; cut < two.length; cut++) assert.deepEqual(named(one, two.subarray(0, cut)), [1], `${cut}`);
  assert.deepEqual(named(one, two), [1, 2]);
  assert.deepEqual(named(one, Buffer.alloc(100), two), [1], 'zeros are allocated ahead');
});

test('a field that LevelDB does not have, and a number without its end, are errors', () => {
  assert.throws(() => named(full(number(8))), { message: 'a manifest record has a field of unknown kind 8' });
  assert.throws(() => named(full(number(10), number(1))), /unknown kind 10/);
  for (const fields of [Buffer.from([0x87]), added(5).subarray(0, 2), deleted(300).subarray(0, 3)])
    assert.throws(() => named(full(fields)), { message: 'a manifest record ends within a number' });
});
