import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compact, runsPerTier, runsToMerge } from '../../../../topology/frontier/seen/compact.ts';
import { blockBytes, blockFingerprints, blockKey, type Run } from '../../../../topology/frontier/seen/runs.ts';
import { SeenTest } from '../../../../topology/frontier/seen/seen-test.ts';
import { RowsStore } from './rows-store.ts';

const recentMax = 100;
const runsOf = (...counts: readonly number[]): Run[] =>
  counts.map((count, at) => ({ id: at + 1, count, firsts: new Uint32Array(0) }));
const merged = (...counts: readonly number[]) => runsToMerge(runsOf(...counts), recentMax).map(({ id }) => id);

test('eight runs of one tier are merged, and no fewer', () => {
  assert.deepEqual(merged(), []);
  assert.deepEqual(merged(...Array<number>(runsPerTier - 1).fill(100)), []);
  assert.deepEqual(merged(...Array<number>(runsPerTier).fill(100)), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(merged(...Array<number>(runsPerTier + 1).fill(100)), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('a tier spans one power of eight of the smallest run, with smaller runs in the first', () => {
  const seven = Array<number>(runsPerTier - 1).fill(100);
  assert.deepEqual(merged(...seven, 799), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(merged(...seven, 800), []);
  assert.deepEqual(merged(...seven, 1), [1, 2, 3, 4, 5, 6, 7, 8]);
  const larger = Array<number>(runsPerTier - 1).fill(800);
  assert.deepEqual(merged(...larger, 799), []);
  assert.deepEqual(merged(...larger, 6_399), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(merged(...larger, 6_400), []);
  // Tiers that are not full are left, whatever the order of the runs.
  assert.deepEqual(merged(6_400, 800, 100, ...larger), [2, 4, 5, 6, 7, 8, 9, 10]);
  assert.deepEqual(merged(...larger, ...Array<number>(runsPerTier).fill(100)), [8, 9, 10, 11, 12, 13, 14, 15]);
});

/** A run of these fingerprints, in rows. */
function stored(store: RowsStore, id: number, pairs: readonly (readonly [hi: number, lo: number])[]): Run {
  const words = Uint32Array.from(pairs.flat());
  const firsts: number[] = [];
  for (let block = 0; block * blockFingerprints < pairs.length; block++) {
    const part = words.slice(2 * block * blockFingerprints, 2 * (block + 1) * blockFingerprints);
    firsts.push(part[0]!, part[1]!);
    store.write([{ key: blockKey(id, block), value: blockBytes(part) }]);
  }
  return { id, count: pairs.length, firsts: Uint32Array.from(firsts) };
}

function wordsOf(store: RowsStore, { id, count }: Run): number[] {
  const words: number[] = [];
  for (let block = 0; block * blockFingerprints < count; block++) {
    const row = store.rows.get(blockKey(id, block).toString('hex'))!;
    for (let at = 0; at < row.length; at += 4) words.push(row.readUInt32LE(at));
  }
  return words;
}

function compacted(runs: readonly (readonly (readonly [hi: number, lo: number])[])[]) {
  const [store, seen] = [new RowsStore(), new SeenTest()];
  seen.nextId = 50;
  const old = runs.map((pairs, at) => stored(store, 10 + at, pairs));
  const other: Run = { id: 40, count: 3, firsts: Uint32Array.of(0, 0) };
  seen.runs = [old[0]!, other, ...old.slice(1)];
  store.run(compact(seen, old));
  assert.equal(seen.nextId, 51);
  assert.equal(seen.runs[0], other);
  assert.deepEqual(seen.dropped, old);
  const [, run] = seen.runs;
  assert.deepEqual([seen.runs.length, run!.id], [2, 50]);
  return { store, run: run! };
}

test('a merged run has the fingerprints of all, ordered by both words', () => {
  const { store, run } = compacted([
    [
      [1, 5],
      [1, 9],
      [3, 0],
    ],
    [
      [0, 0],
      [1, 7],
      [0xffff_ffff, 0xffff_ffff],
    ],
    [
      [1, 6],
      [2, 0xffff_ffff],
    ],
  ]);
  assert.equal(run.count, 8);
  const expected = [0, 0, 1, 5, 1, 6, 1, 7, 1, 9, 2, 0xffff_ffff, 3, 0, 0xffff_ffff, 0xffff_ffff];
  assert.deepEqual(wordsOf(store, run), expected);
  assert.deepEqual([...run.firsts], [0, 0]);
});

for (const count of [blockFingerprints - 1, blockFingerprints, blockFingerprints + 1, 2 * blockFingerprints])
  test(`all blocks but the last are full: ${count} fingerprints and one more`, () => {
    const odd = Array.from({ length: count }, (_, n) => [n >> 4, 2 * n + 1] as const);
    const { store, run } = compacted([odd, [[3, 0]]]);
    assert.equal(run.count, count + 1);
    const all = [...odd, [3, 0] as const].sort(([a, b], [c, d]) => a - c || b - d);
    assert.deepEqual(wordsOf(store, run), all.flat());
    const firsts = all.filter((_, at) => at % blockFingerprints === 0);
    assert.deepEqual([...run.firsts], firsts.flat());
  });
