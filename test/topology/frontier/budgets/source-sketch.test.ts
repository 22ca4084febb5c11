import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SourceSketch } from '../../../../topology/frontier/budgets/source-sketch.ts';

function sketchOf(fingerprints: Iterable<number>): SourceSketch {
  const sketch = new SourceSketch();
  for (const fingerprint of fingerprints) sketch.add(fingerprint);
  return sketch;
}

/** Hashes of numbers, by the last step of MurmurHash3. */
const hashes = (count: number, from = 0) => Array.from({ length: count }, (_, n) => hashOf(n + 1 + from));
const registersOf = (ranks: Readonly<Record<number, number>>) => [
  -1,
  ...Array.from({ length: 64 }, (_, register) => ranks[register] ?? 0),
];

function hashOf(number: number): number {
  let hash = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

test('up to 16 sources are kept as they are, in order, each once', () => {
  const sketch = new SourceSketch();
  assert.equal(sketch.count, 0);
  assert.deepEqual(sketch.save(), []);
  assert.deepEqual(
    [30, 10, 20, 10].map((fingerprint) => [sketch.wouldChange(fingerprint), sketch.add(fingerprint)]),
    [
      [true, true],
      [true, true],
      [true, true],
      [false, false],
    ],
  );
  assert.deepEqual([sketch.count, sketch.save()], [3, [10, 20, 30]]);
  const full = sketchOf([5, 4, 3, 2, 1, 10, 9, 8, 7, 6, 16, 15, 14, 13, 12, 11]);
  assert.deepEqual(full.save(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  assert.equal(full.count, 16);
});

test('beyond them, a source raises one of 64 registers to the place of its first bit', () => {
  // Its last six bits name the register, the place of its first bit among the others is the rank.
  const top = (register: number, zeros: number) => ((0x8000_0000 >>> zeros) | register) >>> 0;
  const sketch = sketchOf(Array.from({ length: 16 }, (_, register) => top(register, 0)));
  assert.equal(sketch.add(top(0, 2)), true);
  const once = Object.fromEntries(Array.from({ length: 16 }, (_, register) => [register, 1]));
  assert.deepEqual(sketch.save(), registersOf({ ...once, 0: 3 }));
  // What is known, or says less, changes nothing.
  for (const known of [top(0, 2), top(0, 1), top(5, 0)])
    assert.deepEqual([sketch.wouldChange(known), sketch.add(known)], [false, false]);
  assert.deepEqual([sketch.add(3), sketch.add(40), sketch.add(top(40, 0))], [true, true, false]);
  // Of 26 bits none is set: the highest rank there is.
  assert.deepEqual(sketch.save(), registersOf({ ...once, 0: 3, 3: 27, 40: 27 }));
});

test('the estimate is within a quarter of the truth at any number, and never falls', () => {
  const sketch = new SourceSketch();
  let [before, added] = [0, 0];
  for (const target of [17, 40, 100, 160, 170, 200, 400, 1_000, 3_000]) {
    for (const fingerprint of hashes(target - added, added)) {
      sketch.add(fingerprint);
      const now = sketch.count;
      assert.ok(now >= before, `${before} fell to ${now}`);
      before = now;
    }
    added = target;
    assert.ok(Math.abs(before - target) <= target / 4, `${before} for ${target}`);
  }
});

test('few sources are counted by empty registers, many by ranks', () => {
  // 32 of 64 registers are empty: 64 ln 2.
  const half = Object.fromEntries(Array.from({ length: 32 }, (_, register) => [register, 1]));
  assert.equal(SourceSketch.load(registersOf(half)).count, 44);
  assert.equal(SourceSketch.load(registersOf({ 0: 1 })).count, 16);
  const all = (rank: number) => registersOf(Object.fromEntries(Array.from({ length: 64 }, (_, at) => [at, rank])));
  // 0.709 · 64² · 2^rank / 64, and no less than what empty registers say at most.
  assert.deepEqual([SourceSketch.load(all(3)).count, SourceSketch.load(all(4)).count], [363, 726]);
  assert.equal(SourceSketch.load(all(1)).count, 266);
  // Four are empty, which would be 177.
  const four = registersOf(Object.fromEntries(Array.from({ length: 60 }, (_, at) => [at, at < 30 ? 2 : 3])));
  assert.equal(SourceSketch.load(four).count, 190);
  // One is empty, and the ranks say more than 160.
  assert.equal(SourceSketch.load(registersOf({ ...all(6).slice(1), 0: 0 })).count, 1_463);
});

test('joined sketches know what either knew, in whatever form they kept it', () => {
  const [few, others, many] = [hashes(3), hashes(3, 1), hashes(100, 50)];
  assert.deepEqual(joined(few, others).save(), sketchOf([...few, ...others]).save());
  for (const [a, b] of [
    [few, many],
    [many, few],
    [many, hashes(100, 90)],
  ] as const)
    assert.deepEqual(joined(a, b).save(), sketchOf([...a, ...b]).save());
});

function joined(a: readonly number[], b: readonly number[]): SourceSketch {
  const sketch = sketchOf(a);
  sketch.join(sketchOf(b).save());
  return sketch;
}

test('a sketch is loaded as it was saved, and continues', () => {
  for (const count of [0, 5, 16, 17, 100]) {
    const [sketch, more] = [sketchOf(hashes(count)), hashes(30, 1_000)];
    const loaded = SourceSketch.load(sketch.save());
    assert.deepEqual([loaded.count, loaded.save()], [sketch.count, sketch.save()]);
    for (const fingerprint of more) assert.equal(loaded.add(fingerprint), sketch.add(fingerprint));
    assert.deepEqual(loaded.save(), sketch.save());
  }
});
