import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockCells, CashSketch, cellCount } from '../../../../topology/frontier/cash/cash-sketch.ts';

const numbersOf = (sketch: CashSketch) => sketch.takeBlocks().map(({ block }) => block);

test('a URL has the smaller of its two cells, and never less than zero', () => {
  const sketch = new CashSketch();
  assert.equal(sketch.heldBy(1, 2), 0);
  sketch.add(1, 2, 3);
  sketch.add(1, 9, 4);
  assert.deepEqual([sketch.heldBy(1, 2), sketch.heldBy(1, 9), sketch.heldBy(8, 2), sketch.heldBy(1, 8)], [3, 4, 0, 0]);
  // The cell of the first row has both's.
  sketch.add(5, 9, 10);
  assert.equal(sketch.heldBy(1, 9), 7);
  sketch.add(1, 2, -5);
  assert.deepEqual([sketch.heldBy(1, 2), sketch.heldBy(1, 9)], [0, 2]);
  sketch.add(1, 9, -100);
  sketch.add(1, 9, 1);
  assert.equal(sketch.heldBy(1, 9), 1, 'nobody owes anything');
});

test('cells are chosen by the lower bits of a fingerprint', () => {
  const sketch = new CashSketch();
  sketch.add(cellCount + 7, 2 * cellCount + 9, 1);
  assert.deepEqual([sketch.heldBy(7, 9), sketch.heldBy(cellCount - 1, 9)], [1, 0]);
  sketch.add(cellCount - 1, cellCount - 1, 2);
  assert.equal(sketch.heldBy(2 * cellCount - 1, -1), 2);
});

test('changed blocks are written once, those of the second row after the first’s, and are read back', () => {
  const blocks = cellCount / blockCells;
  const sketch = new CashSketch();
  assert.deepEqual(numbersOf(sketch), []);
  sketch.add(blockCells, 0, 1.5);
  sketch.add(blockCells - 1, cellCount - 1, 2.5);
  const taken = sketch.takeBlocks();
  assert.deepEqual(
    taken.map(({ block, value }) => [block, value.length]),
    [0, 1, blocks, 2 * blocks - 1].map((block) => [block, 4 * blockCells]),
  );
  assert.equal(taken[0]!.value.readFloatBE(4 * (blockCells - 1)), 2.5);
  assert.equal(taken[1]!.value.readFloatBE(0), 1.5);
  assert.deepEqual(numbersOf(sketch), []);
  sketch.add(blockCells, 0, 1);
  assert.deepEqual(numbersOf(sketch), [1, blocks]);

  const again = new CashSketch();
  for (const { block, value } of taken) again.load(block, value);
  assert.deepEqual(numbersOf(again), [], 'what was loaded is saved');
  assert.deepEqual([again.heldBy(blockCells, 0), again.heldBy(blockCells - 1, cellCount - 1)], [1.5, 2.5]);
});

test('the checksum depends on the cells only: equal in any order, different for another amount or place', () => {
  const of = (...all: (readonly [hi: number, lo: number, amount: number])[]) => {
    const sketch = new CashSketch();
    for (const [hi, lo, amount] of all) sketch.add(hi, lo, amount);
    return sketch.checksum();
  };
  assert.equal(new CashSketch().checksum(), 0);
  const base = of([1, 2, 3], [5_000, 6_000, 4]);
  assert.equal(of([5_000, 6_000, 4], [1, 2, 3]), base);
  const others = [
    of([1, 2, 3], [5_000, 6_000, 5]),
    of([1, 3, 3], [5_000, 6_000, 4]),
    of([2, 2, 3], [5_000, 6_000, 4]),
    of([1, 2, 3], [5_001, 6_000, 4]),
    of([1, 2, 3], [5_000 + blockCells, 6_000, 4]),
    of([2, 1, 3], [6_000, 5_000, 4]),
    of([1, 2, 3]),
  ];
  assert.equal(new Set([base, ...others]).size, others.length + 1);
  const sketch = new CashSketch();
  sketch.add(1, 2, 3);
  sketch.add(5_000, 6_000, 4);
  const loaded = new CashSketch();
  for (const { block, value } of sketch.takeBlocks()) loaded.load(block, value);
  assert.equal(loaded.checksum(), base);
  sketch.add(1, 2, -3);
  sketch.add(5_000, 6_000, -4);
  assert.equal(sketch.checksum(), 0, 'empty cells count for nothing');
});
