import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPartition } from '../../../services/frontier/open/open-partition.ts';
import { createFaultStore } from '../../../services/runtime/store/fault-store.ts';
import { createMemoryStore } from '../../../services/runtime/store/memory-store.ts';
import type { CrawlstreamError } from '../../../topology/errors.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';
import { defaultSeen, type SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { manifestKey } from '../../../topology/frontier/seen/seen-rows.ts';
import { type Harness, identity, key, startHarness, until } from './owner-harness.ts';

const limit = { timeout: 30_000 };
/** 640 fingerprints in memory, then runs of 256; 16 questions at a time, or what an idle input gives. */
const seen: SeenConfig = { ...defaultSeen, memoryBytes: 32 * 1024 };

/** So many URLs on 40 hosts, each found twice: at once, and again when most are on disk. */
async function discoverTwice(harness: Harness, urls: number): Promise<void> {
  const all = Array.from({ length: urls }, (_, n) => `http://h${n % 40}.test/${n}`);
  for (let from = 0; from < urls; from += 100) await harness.discoverUrls(all.slice(from, from + 100));
  for (let from = 0; from < urls; from += 10) await harness.discoverUrls(all.slice(from, from + 10));
}

test('a partition with most fingerprints on disk admits each URL once', limit, async () => {
  const harness = await startHarness();
  const store = createMemoryStore();
  let reads = 0;
  const counting = {
    ...store,
    getMany: (keys: readonly Uint8Array[]) => {
      if (keys[0]?.[0] === manifestKey[0]) reads += 1;
      return store.getMany(keys);
    },
  };
  const owner = harness.owner({ seen, store: counting });
  const run = owner.run();
  await discoverTwice(harness, 3_000);
  await until(() => owner.committed?.counters.discovered === 6_000);
  owner.stop();
  await run;
  const { counters } = owner.committed!;
  assert.equal(counters.admitted, 3_000);
  assert.equal(counters.duplicates, 3_000);
  assert.ok(reads < 1_500, `${reads} reads: links share their lookups, of some reads each`);
  const { state } = await openPartition({
    ...harness,
    store,
    identity,
    key,
    seen,
    clock: { nowMs: () => 0 },
    endsLeases: false,
  });
  assert.ok(state.seen.runs.length > 0, 'the table was written as a run');
  assert.equal(digest(state), digest((await harness.replayed()).state));
});

test('a kill at any write of the state leaves fingerprints and position in agreement', limit, async () => {
  const harness = await startHarness();
  await discoverTwice(harness, 2_000);
  const store = createMemoryStore();
  let kills = 0;
  for (let round = 0; ; round++) {
    const when = round % 2 === 0 ? 'before' : 'after';
    const plan = { crashAt: 1 + (round >> 1), when, loseUnsynced: round % 3 } as const;
    const owner = harness.owner({ seen, store: createFaultStore(store, plan) });
    let ended = false;
    const run = owner.run().then(
      () => false,
      (error: CrawlstreamError) => {
        ended = true;
        assert.equal(error.code, 'STORE_FAILED');
        return true;
      },
    );
    await until(() => ended || owner.committed?.counters.discovered === 4_000);
    owner.stop();
    const killed = await run;
    const { state } = await openPartition({
      ...harness,
      store,
      identity,
      key,
      seen,
      clock: { nowMs: () => 0 },
      endsLeases: false,
    });
    assert.equal(digest(state), digest((await harness.replayed()).state), `round ${round}`);
    if (killed) kills += 1;
    else {
      assert.equal(state.counters.admitted, 2_000);
      break;
    }
  }
  assert.ok(kills >= 3, `${kills}`);
});
