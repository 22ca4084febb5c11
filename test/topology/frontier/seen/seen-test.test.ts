import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bloomBytes } from '../../../../topology/frontier/seen/blocked-bloom.ts';
import { runsPerTier } from '../../../../topology/frontier/seen/compact.ts';
import { defaultSeen, type SeenConfig } from '../../../../topology/frontier/seen/seen-config.ts';
import { saveSeen } from '../../../../topology/frontier/seen/seen-rows.ts';
import { SeenTest, seenVerdicts } from '../../../../topology/frontier/seen/seen-test.ts';
import { fingerprintOf } from './fingerprints.ts';
import { RowsStore } from './rows-store.ts';

/** A table of 1,280 fingerprints, then runs of 512. */
const tiny: SeenConfig = { ...defaultSeen, memoryBytes: 64 * 1024 };

/** Uniform whole numbers below `n`, the same for the same seed. */
function randoms(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return (((state ^ (state >>> 12)) >>> 0) % 1_000_003) % n;
  };
}

/** Verdicts on links in their order; those that are new are admitted. Questions of the later ones share a lookup. */
function decide(seen: SeenTest, store: RowsStore, links: readonly number[]): number[] {
  return links.map((n, index) => {
    if (seen.stalled) store.work(seen);
    for (;;) {
      const verdict = seen.test(...fingerprintOf(n));
      if (verdict === seenVerdicts.new) seen.add(...fingerprintOf(n));
      if (verdict !== seenVerdicts.unknown) return verdict;
      for (const later of links.slice(index)) {
        if (seen.test(...fingerprintOf(later)) === seenVerdicts.unknown) seen.ask(...fingerprintOf(later));
      }
      store.work(seen);
    }
  });
}

/** What one exact set says, and learns. */
function expected(known: Set<number>, links: readonly number[]): number[] {
  return links.map((n) => {
    const verdict = known.has(n) ? seenVerdicts.seen : seenVerdicts.new;
    known.add(n);
    return verdict;
  });
}

describe('the seen test', () => {
  it('the seen test agrees with an exact set, through tables, runs and merges of runs', () => {
    for (let seed = 1; seed <= 4; seed++) {
      const random = randoms(seed);
      const [store, known] = [new RowsStore(), new Set<number>()];
      const seen = new SeenTest(tiny);
      for (let round = 0; round < 300; round++) {
        const links = Array.from({ length: 40 }, () => random(9_000));
        assert.deepEqual(decide(seen, store, links), expected(known, links), `seed ${seed}, round ${round}`);
        if (random(2) === 0) store.work(seen);
      }
      assert.ok(seen.runs.length > 0 && seen.runs.length <= 2 * runsPerTier);
      assert.equal(seen.size, known.size);
    }
  });

  it('the seen test forgets and invents nothing when it is killed in the middle of a lookup, a spill or a merge', () => {
    for (let seed = 1; seed <= 6; seed++) {
      const random = randoms(seed + 100);
      const [store, known] = [new RowsStore(), new Set<number>()];
      let seen = new SeenTest(tiny);
      /** How many of the known, in their order, are saved: a replay gives the rest again. */
      let saved = 0;
      for (let round = 0; round < 200; round++) {
        const links = Array.from({ length: 40 }, () => random(7_000));
        assert.deepEqual(decide(seen, store, links), expected(known, links), `seed ${seed}, round ${round}`);
        const event = random(12);
        if (event === 0) {
          const job = seen.work(true);
          if (job !== null) store.run(job, random(4));
          seen = store.open(tiny);
          assert.equal(seen.size, saved);
          for (const n of [...known].slice(saved)) {
            if (seen.stalled) store.work(seen);
            seen.add(...fingerprintOf(n));
          }
        } else if (event < 5) {
          store.save(seen);
          saved = known.size;
        }
      }
      store.work(seen);
      store.save(seen);
      const reopened = store.open(tiny);
      assert.deepEqual([...reopened.sum.words], [...seen.sum.words]);
      assert.ok(decide(reopened, store, [...known]).every((verdict) => verdict === seenVerdicts.seen));
      // Nothing is left of what was abandoned; lists that end in the middle of a block cost nothing either.
      store.save(reopened);
      assert.ok(store.bytes < 8 * known.size + 1_000, `${store.bytes} bytes for ${known.size}`);
    }
  });

  it('the seen test forgets that a URL was new once it was admitted and is part of a run', () => {
    const store = new RowsStore();
    const seen = new SeenTest(tiny);
    let next = 0;
    const fill = () => {
      while (seen.sealed === null) seen.add(...fingerprintOf(next++));
    };
    // As full as the filter gets wrong about something.
    while (next < 60_000) {
      fill();
      store.work(seen);
    }
    const runs = seen.runs.length;
    // URLs that the filter cannot tell from known ones: asked, and answered as new.
    const doubtful: number[] = [];
    for (let n = 1_000_000; doubtful.length < 3 && n < 5_000_000; n++) {
      if (seen.test(...fingerprintOf(n)) === seenVerdicts.unknown) doubtful.push(n);
    }
    assert.equal(doubtful.length, 3, 'the filter is wrong now and then');
    for (const n of doubtful) seen.ask(...fingerprintOf(n));
    store.run(seen.work(true)!);
    for (const n of doubtful) {
      assert.equal(seen.test(...fingerprintOf(n)), seenVerdicts.new);
      seen.add(...fingerprintOf(n));
    }
    fill();
    // What was answered before the spill is no answer after it.
    store.run(seen.work(false)!);
    assert.equal(seen.sealed, null);
    assert.ok(runs > 0);
    for (const n of doubtful) assert.notEqual(seen.test(...fingerprintOf(n)), seenVerdicts.new, `${n}`);
  });

  it('the seen test keeps admitted URLs after its very first save was cut short before the manifest', () => {
    const store = new RowsStore();
    const first = new SeenTest(tiny);
    first.add(...fingerprintOf(1));
    store.write(saveSeen(first).slice(0, -1));
    const second = store.open(tiny);
    assert.equal(second.size, 0);
    for (const n of [1, 2]) second.add(...fingerprintOf(n));
    store.save(second);
    const third = store.open(tiny);
    assert.deepEqual([third.size, ...[1, 2, 3].map((n) => third.test(...fingerprintOf(n)))], [2, 1, 1, 0]);
  });

  it('the seen test answers many questions in one pass, reading no block that cannot hold one', () => {
    const store = new RowsStore();
    const seen = new SeenTest({ ...defaultSeen, memoryBytes: 8 << 20 });
    for (let n = 0; n < seen.counts.tableMax; n++) seen.add(...fingerprintOf(n));
    store.work(seen);
    assert.equal(seen.runs.length, 1);
    store.requests = 0;
    for (let n = 0; n < 4_000; n++) {
      const [hi, lo] = fingerprintOf(n);
      if (seen.test(hi, lo) === seenVerdicts.unknown) seen.ask(hi, lo);
    }
    assert.equal(seen.questions, 4_000);
    store.work(seen);
    assert.equal(store.requests, 2, '20 blocks, 16 at a time');
    for (let n = 0; n < 4_000; n++) assert.equal(seen.test(...fingerprintOf(n)), seenVerdicts.seen);
    store.requests = 0;
    seen.ask(...fingerprintOf(160_001));
    store.work(seen);
    assert.equal(store.requests, 1);
  });

  it('the seen test keeps to its memory, every part counted', () => {
    const store = new RowsStore();
    const memoryBytes = 8 << 20;
    const seen = new SeenTest({ ...defaultSeen, memoryBytes });
    let worst = 0;
    for (let n = 0; n < 600_000; n++) {
      if (seen.stalled) store.work(seen);
      seen.add(...fingerprintOf(n));
      if (n % 1_000 === 0) worst = Math.max(worst, seen.bytes);
    }
    assert.ok(worst <= memoryBytes, `${worst}`);
    assert.ok(seen.runs.length > 2);
  });

  it('the seen test may get more or less memory, or a Bloom filter, at any restart', () => {
    const store = new RowsStore();
    const configs: SeenConfig[] = [
      tiny,
      { ...tiny, memoryBytes: 1 << 20 },
      { ...tiny, kind: 'bloom', bloomUrls: 10_000, bloomErrors: 0.000_01 },
      { ...tiny, memoryBytes: 32 * 1024 },
      tiny,
    ];
    const known = new Set<number>();
    for (const config of configs) {
      const seen = store.open(config);
      const more = Array.from({ length: 2_000 }, (_, n) => known.size + n);
      const links = [...known, ...more];
      assert.deepEqual(decide(seen, store, links), expected(known, links));
      store.work(seen);
      store.save(seen);
      assert.equal(seen.size, known.size);
    }
  });

  it('the seen test names missing rows', () => {
    const store = new RowsStore();
    const seen = new SeenTest(tiny);
    for (let n = 0; n < 100; n++) seen.add(...fingerprintOf(n));
    store.save(seen);
    for (const key of store.rows.keys()) if (key.length > 2) store.rows.delete(key);
    assert.throws(() => store.open(tiny), { code: 'INVALID_RECORD', message: /lacks 1 blocks of fingerprints/ });
  });
});

describe('the Bloom filter alone', () => {
  const urls = 200_000;

  for (const errors of [0.1, 0.01, 0.001]) {
    it(`the Bloom filter alone takes at most ${errors} of new URLs for seen at its planned size, and measures it`, () => {
      const seen = new SeenTest({ ...defaultSeen, kind: 'bloom', bloomUrls: urls, bloomErrors: errors });
      for (let n = 0; n < urls; n++) seen.add(...fingerprintOf(n));
      for (let n = 0; n < urls; n += 7) assert.equal(seen.test(...fingerprintOf(n)), seenVerdicts.seen);
      let wrong = 0;
      for (let n = 1_000_000; n < 1_300_000; n++) if (seen.test(...fingerprintOf(n)) === seenVerdicts.seen) wrong += 1;
      const rate = wrong / 300_000;
      assert.ok(rate <= errors && rate > errors / 3, `${rate}`);
      seen.takeErrors();
      for (let n = 2_000_000; n < 2_016_000; n++) seen.add(...fingerprintOf(n));
      const measured = seen.takeErrors() / 16_000;
      assert.ok(Math.abs(measured - rate) < 5 * Math.sqrt(rate / 1_000) + 0.005, `${measured} for ${rate}`);
    });
  }

  for (const times of [2, 5, 10]) {
    it(`the Bloom filter alone reports how many of ${times} times the URLs that it was made for are lost, to a tenth`, () => {
      const seen = new SeenTest({ ...defaultSeen, kind: 'bloom', bloomUrls: urls / 10, bloomErrors: 0.01 });
      let [lost, reported] = [0, 0];
      for (let n = 0; n < (times * urls) / 10; n++) {
        if (seen.test(...fingerprintOf(n)) === seenVerdicts.seen) lost += 1;
        else seen.add(...fingerprintOf(n));
        reported += seen.takeErrors();
      }
      assert.ok(Math.abs(reported - lost) < 0.1 * lost + 500, `${reported} reported, ${lost} lost`);
    });
  }

  it('the Bloom filter alone takes 1.5 bytes a URL at one error in a hundred', () => {
    assert.ok(bloomBytes(1_000_000, 0.01) / 1_000_000 <= 1.5);
  });

  it('the Bloom filter alone is the same after a restart', () => {
    const config: SeenConfig = { ...defaultSeen, kind: 'bloom', bloomUrls: 20_000, bloomErrors: 0.05 };
    const store = new RowsStore();
    const seen = store.open(config);
    for (let n = 0; n < 20_000; n++) seen.add(...fingerprintOf(n));
    store.save(seen);
    const reopened = store.open(config);
    for (let n = 0; n < 60_000; n++) assert.equal(reopened.test(...fingerprintOf(n)), seen.test(...fingerprintOf(n)));
  });
});
