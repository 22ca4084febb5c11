/** Blocks of arrays and maps, as other writers may send them (Avro 1.12, "Arrays"). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typeOf } from '../../../../services/runtime/avro/avro-types.ts';

const list = typeOf({ type: 'array', items: 'long' });
const map = typeOf({ type: 'map', values: 'long' });
const [one, two] = [2, 4];
const entry = (letter: string, value: number) => [2, letter.charCodeAt(0), value];

test('items are read from any number of blocks, with their bytes before them or not', () => {
  for (const bytes of [
    [4, one, two, 0],
    [2, one, 2, two, 0],
    // A negative count is followed by the bytes of the block.
    [3, 4, one, two, 0],
    [2, one, 1, 2, two, 0],
  ])
    assert.deepEqual([...(list.fromBuffer(Buffer.from(bytes)) as number[])], [1, 2], `${bytes}`);
  const pairs = [...entry('a', one), ...entry('b', two)];
  for (const bytes of [
    [4, ...pairs, 0],
    [3, 12, ...pairs, 0],
  ])
    assert.deepEqual({ ...(map.fromBuffer(Buffer.from(bytes)) as object) }, { a: 1, b: 2 }, `${bytes}`);
});

test('a block of more items than there are bytes is refused', () => {
  for (const type of [list, map])
    assert.throws(() => type.fromBuffer(Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x0f, one])), {
      message: 'a block of 2147483647 items in 1 bytes',
    });
});
