import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { blockFingerprints, blockKey } from '../../../../topology/frontier/seen/runs.ts';
import { defaultSeen, type SeenConfig } from '../../../../topology/frontier/seen/seen-config.ts';
import { manifestKey, SeenLoader, saveSeen } from '../../../../topology/frontier/seen/seen-rows.ts';
import { SeenTest, seenVerdicts } from '../../../../topology/frontier/seen/seen-test.ts';
import { fingerprintOf } from './fingerprints.ts';
import { RowsStore } from './rows-store.ts';

/** A table of 1,280 fingerprints, then runs of 512. */
const tiny: SeenConfig = { ...defaultSeen, memoryBytes: 64 * 1024 };
const bloom: SeenConfig = { ...defaultSeen, kind: 'bloom', memoryBytes: 64 * 1024 };

function add(seen: SeenTest, from: number, to: number, store?: RowsStore): void {
  for (let n = from; n < to; n++) {
    if (seen.stalled) store!.work(seen);
    seen.add(...fingerprintOf(n));
  }
}

function verdicts(seen: SeenTest, store: RowsStore, from: number, to: number): Set<number> {
  const all = new Set<number>();
  for (let n = from; n < to; n++) {
    seen.ask(...fingerprintOf(n));
  }
  store.work(seen);
  for (let n = from; n < to; n++) all.add(seen.test(...fingerprintOf(n)));
  return all;
}

const keysOf = (store: RowsStore) => [...store.rows.keys()].sort();
const hex = (...blocks: readonly (readonly [list: number, block: number])[]) =>
  [manifestKey.toString('hex'), ...blocks.map((block) => blockKey(...block).toString('hex'))].sort();

test('no rows exist before the first admission, then a manifest and the growing block', () => {
  const [store, seen] = [new RowsStore(), new SeenTest()];
  assert.deepEqual(saveSeen(seen), []);
  add(seen, 0, 3);
  store.save(seen);
  assert.deepEqual(keysOf(store), hex([1, 0]));
  // Nothing was added: the block stays, the manifest is said again.
  assert.deepEqual(
    saveSeen(seen).map(({ key }) => key),
    [manifestKey],
  );
  const again = store.open(defaultSeen);
  assert.deepEqual([again.size, again.nextId, again.sum.words], [3, 2, seen.sum.words]);
  assert.deepEqual(verdicts(again, store, 0, 3), new Set([seenVerdicts.seen]));
  assert.deepEqual(verdicts(again, store, 3, 100), new Set([seenVerdicts.new]));
});

for (const count of [1, blockFingerprints - 1, blockFingerprints, blockFingerprints + 1, 2 * blockFingerprints]) {
  test(`a log of ${count} fingerprints continues after a restart`, () => {
    const [store, seen] = [new RowsStore(), new SeenTest()];
    add(seen, 0, count);
    store.save(seen);
    const again = store.open(defaultSeen);
    assert.deepEqual(again.log.lists, [{ id: 1, count }]);
    add(again, count, count + 5);
    store.save(again);
    const third = store.open(defaultSeen);
    assert.deepEqual([third.log.lists, third.size], [[{ id: 1, count: count + 5 }], count + 5]);
    assert.deepEqual(verdicts(third, store, 0, count + 5), new Set([seenVerdicts.seen]));
    assert.deepEqual(third.sum.words, again.sum.words);
  });
}

test('fingerprints in a run leave the log, with their rows, and are looked up by the run’s blocks', () => {
  const [store, seen] = [new RowsStore(), new SeenTest(tiny)];
  add(seen, 0, 1_280, store);
  store.save(seen);
  // The list that was cut, and the one that follows, which has nothing yet.
  assert.deepEqual(keysOf(store), hex([1, 0]));
  store.work(seen);
  assert.deepEqual(keysOf(store), hex([1, 0], [seen.runs[0]!.id, 0]));
  store.save(seen);
  assert.deepEqual(keysOf(store), hex([seen.runs[0]!.id, 0]));
  const again = store.open(tiny);
  assert.deepEqual([again.runs, again.log.lists, again.nextId], [seen.runs, seen.log.lists, seen.nextId]);
  assert.deepEqual([again.dropped, again.size, again.asks], [[], 1_280, true]);
  assert.deepEqual(verdicts(again, store, 0, 1_280), new Set([seenVerdicts.seen]));
  add(again, 1_280, 1_400, store);
  store.save(again);
  assert.deepEqual(verdicts(store.open(tiny), store, 0, 1_400), new Set([seenVerdicts.seen]));
});

test('with a Bloom filter the log refills the filter', () => {
  const [store, seen] = [new RowsStore(), new SeenTest(bloom)];
  add(seen, 0, 2_000);
  store.save(seen);
  const again = store.open(bloom);
  assert.deepEqual([again.size, again.runs], [2_000, []]);
  assert.deepEqual(verdicts(again, store, 0, 2_000), new Set([seenVerdicts.seen]));
  add(again, 2_000, 2_010);
  store.save(again);
  assert.deepEqual(store.open(bloom).log.lists, [{ id: 1, count: 2_010 }]);
});

test('rows that the manifest does not name count as absent, and go with the next save', () => {
  const [store, seen] = [new RowsStore(), new SeenTest(tiny)];
  add(seen, 0, 1_280, store);
  store.save(seen);
  // A run that a crash cut short.
  store.write([
    { key: blockKey(40, 0), value: Buffer.alloc(8 * blockFingerprints) },
    { key: blockKey(40, 1), value: Buffer.alloc(16) },
  ]);
  const again = store.open(tiny);
  assert.deepEqual([again.nextId, again.runs, again.size], [41, [], 1_280]);
  assert.deepEqual(again.dropped, [{ id: 40, count: 2 * blockFingerprints }]);
  assert.equal(again.test(0, 0), seenVerdicts.new);
  store.save(again);
  assert.deepEqual(keysOf(store), hex([1, 0]));
  assert.equal(store.open(tiny).dropped.length, 0);
});

test('blocks of the log ahead of its manifest do not count', () => {
  const [store, seen] = [new RowsStore(), new SeenTest()];
  add(seen, 0, blockFingerprints - 2);
  store.save(seen);
  const manifest = store.rows.get(manifestKey.toString('hex'))!;
  add(seen, blockFingerprints - 2, blockFingerprints + 3);
  store.save(seen);
  store.rows.set(manifestKey.toString('hex'), manifest);
  const again = store.open(defaultSeen);
  assert.deepEqual([again.size, again.log.lists], [blockFingerprints - 2, [{ id: 1, count: blockFingerprints - 2 }]]);
  assert.equal(again.test(...fingerprintOf(blockFingerprints - 3)), seenVerdicts.seen);
  assert.equal(again.test(...fingerprintOf(blockFingerprints - 2)), seenVerdicts.new);
  assert.equal(again.test(...fingerprintOf(blockFingerprints + 2)), seenVerdicts.new);
  assert.deepEqual(again.dropped, []);
});

test('rows of an interrupted first save are dropped, and the log begins elsewhere', () => {
  const [store, seen] = [new RowsStore(), new SeenTest()];
  add(seen, 0, 3);
  store.save(seen);
  store.rows.delete(manifestKey.toString('hex'));
  const again = store.open(defaultSeen);
  assert.deepEqual([again.size, again.log.lists, again.nextId], [0, [{ id: 2, count: 0 }], 3]);
  assert.equal(again.test(...fingerprintOf(0)), seenVerdicts.new);
  add(again, 10, 12);
  store.save(again);
  assert.deepEqual(keysOf(store), hex([2, 0]));
});

test('missing or torn blocks are reported, with the remedy', () => {
  const [store, seen] = [new RowsStore(), new SeenTest()];
  add(seen, 0, 2 * blockFingerprints + 1);
  store.save(seen);
  const rowOf = (block: number) => blockKey(1, block).toString('hex');
  const without = (...blocks: number[]) => {
    const less = new RowsStore();
    for (const [key, value] of store.rows) if (!blocks.map(rowOf).includes(key)) less.rows.set(key, value);
    return less;
  };
  const lacks = (blocks: number) => (error: unknown) =>
    error instanceof CrawlstreamError &&
    error.code === 'INVALID_RECORD' &&
    error.message.includes(`lacks ${blocks} blocks`) &&
    error.message.includes('delete the folder');
  assert.throws(() => without(0).open(defaultSeen), lacks(1));
  assert.throws(() => without(1, 2).open(defaultSeen), lacks(2));
  const short = without();
  short.rows.set(rowOf(0), short.rows.get(rowOf(0))!.subarray(8));
  assert.throws(() => short.open(defaultSeen), lacks(1));
  const torn = without();
  torn.rows.set(rowOf(0), torn.rows.get(rowOf(0))!.subarray(4));
  assert.throws(() => torn.open(defaultSeen), /lacks fingerprints/);
});

test('a manifest of a newer version is refused', () => {
  const [store, seen] = [new RowsStore(), new SeenTest()];
  add(seen, 0, 3);
  store.save(seen);
  const manifest = Buffer.from(store.rows.get(manifestKey.toString('hex'))!);
  assert.equal(manifest[0], 1);
  manifest[0] = 2;
  const loader = new SeenLoader(new SeenTest());
  assert.throws(
    () => loader.take(manifestKey, manifest),
    (error) => error instanceof CrawlstreamError && error.code === 'UNSUPPORTED',
  );
});
