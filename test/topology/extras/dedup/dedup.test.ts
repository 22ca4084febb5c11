import assert from 'node:assert/strict';
import { it } from 'node:test';
import { editedText, proseOf } from '../../../../lab/pages/prose.ts';
import { numbers } from '../../../../lab/web/random.ts';
import { hamming, ones } from '../../../../topology/content/simhash.ts';
import { Clusters } from '../../../../topology/extras/dedup/clusters.ts';
import { ExactTable } from '../../../../topology/extras/dedup/exact-table.ts';
import { minhash, resemblance } from '../../../../topology/extras/dedup/minhash.ts';
import { MinhashIndex } from '../../../../topology/extras/dedup/minhash-index.ts';
import { SimhashIndex } from '../../../../topology/extras/dedup/simhash-index.ts';

it('the block-permuted index finds exactly what lies within three bits, each once', () => {
  const next = numbers(6);
  const index = new SimhashIndex();
  const signatures: { hi: number; lo: number }[] = [];
  for (let n = 0; n < 3_000; n++) {
    const from = signatures[next() % Math.max(1, signatures.length)];
    const fresh = { hi: next() >>> 0, lo: next() >>> 0 };
    const made = from === undefined || n % 3 === 0 ? fresh : { ...from };
    for (let flips = next() % 6; flips > 0; flips--) {
      const bit = next() % 64;
      if (bit < 32) made.lo = (made.lo ^ (1 << bit)) >>> 0;
      else made.hi = (made.hi ^ (1 << (bit - 32))) >>> 0;
    }
    const found: number[] = [];
    index.near(made, (id, distance) => {
      assert.equal(distance, hamming(made, signatures[id]!));
      found.push(id);
    });
    const expected = signatures.flatMap((one, id) => (hamming(one, made) <= 3 ? [id] : []));
    assert.deepEqual(
      found.toSorted((a, b) => a - b),
      expected,
    );
    index.add(made, signatures.length);
    signatures.push(made);
  }
  assert.equal(index.size, 3_000);
});

it('MinHash estimates the similarity of two texts, and its index finds those above the threshold', () => {
  const next = numbers(8);
  const index = new MinhashIndex();
  const count = 600;
  for (let n = 0; n < count; n++) index.add(minhash(proseOf(n, 200), 7)!, n);
  let found = 0;
  let wrong = 0;
  for (let n = 0; n < count; n += 5) {
    const copy = minhash(editedText(proseOf(n, 200), 0.02, next), 7)!;
    assert.ok(resemblance(copy, 0, minhash(proseOf(n, 200), 7)!, 0) > 0.7);
    index.near(copy, (id) => (id === n ? (found += 1) : (wrong += 1)));
  }
  assert.ok(found >= 0.97 * (count / 5), `${found}`);
  assert.equal(wrong, 0);
  assert.equal(minhash('too little to tell', 7), null);
});

it('clusters are those of the joined pairs, in any order', () => {
  const next = numbers(12);
  const pairs = Array.from({ length: 900 }, () => [next() % 2_000, next() % 2_000] as const);
  const clustersOf = (some: readonly (readonly [number, number])[]) => {
    const clusters = new Clusters();
    for (let node = 0; node < 2_000; node++) clusters.add();
    for (const [a, b] of some) clusters.join(a, b);
    return Array.from({ length: 2_000 }, (_, node) => Math.min(...clusters.of(node)));
  };
  const expected = clustersOf(pairs);
  assert.deepEqual(clustersOf(pairs.toReversed()), expected);
  assert.ok(new Set(expected).size < 1_200);
});

it('the table of contents keeps every entry as it grows', () => {
  const table = new ExactTable();
  const next = numbers(2);
  const entries = Array.from({ length: 5_000 }, (_, node) => [next() >>> 0, next() % 97, node] as const);
  for (const [hi, lo, node] of entries) table.set(hi, lo, node);
  for (const [hi, lo, node] of entries) assert.equal(table.get(hi, lo), node);
  assert.equal(table.get(1, 98), undefined);
});

it('set bits are counted', () => {
  for (const bits of [0, 1, -1, 0x80000001, 0x55555555]) {
    assert.equal(ones(bits), (bits >>> 0).toString(2).replaceAll('0', '').length);
  }
});
