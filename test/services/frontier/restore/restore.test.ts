import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPartition } from '../../../../services/frontier/open/open-partition.ts';
import { clearCheckpoint, loadCheckpoint } from '../../../../services/frontier/restore/load-checkpoint.ts';
import { type RestoreProgress, restore } from '../../../../services/frontier/restore/restore.ts';
import { restoreText } from '../../../../services/hosting/progress/restore-text.ts';
import { createFaultStore } from '../../../../services/runtime/store/fault-store.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { metaKey } from '../../../../topology/frontier/checkpoint/checkpoint.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { changelog, clock, type Harness, identity, key, startHarness, until } from '../owner-harness.ts';

const limit = { timeout: 30_000 };

/** A crawl with more changelog than a restore saves at once; gives the digest of its state. */
async function longChangelog(): Promise<{ readonly harness: Harness; readonly live: string; readonly end: number }> {
  const harness = await startHarness();
  const owner = harness.owner({ leasesMax: 0 });
  const run = owner.run();
  for (let round = 1; round <= 10; round++) await harness.discover(3_000, 600);
  await until(() => owner.committed?.counters.admitted === 30_000);
  owner.stop();
  await run;
  const { state } = await harness.replayed();
  return { harness, live: digest(state), end: (await harness.log.offsets(changelog, 0)).end };
}

/** Once for the tests that only read it. */
const shared = longChangelog();

test('a restore killed in the middle continues from its checkpoint to the same state', limit, async () => {
  const { harness, live, end } = await shared;
  const store = createMemoryStore();
  // A slice of the second checkpoint meets a full disk.
  const failing = createFaultStore(store, { failAt: 60, failCode: 'DISK_FULL' });
  const state = new FrontierState(key);
  await assert.rejects(
    restore({ log: harness.log, identity, state, store: failing, clock, to: end, saveBytes: 8 << 20 }),
    {
      code: 'DISK_FULL',
    },
  );
  const again = await loadCheckpoint(store, key);
  assert.ok(again !== undefined && again.changelog.offset > 0 && again.changelog.offset < end);
  assert.equal(await restore({ log: harness.log, identity, state: again, store, clock, to: end }), true);
  assert.equal(digest(again), live);
});

test('a long restore reports its progress and yields to other work', limit, async () => {
  const { harness, live, end } = await shared;
  const reported: RestoreProgress[] = [];
  // A clock on which each look takes a second, so that every slice is worth telling.
  let nowMs = 0;
  const slow = { nowMs: () => (nowMs += 1_000) };
  let turns = 0;
  const others = setInterval(() => (turns += 1), 1);
  const state = new FrontierState(key);
  const onProgress = (progress: RestoreProgress) => reported.push(progress);
  await restore({ log: harness.log, identity, state, store: createMemoryStore(), clock: slow, to: end, onProgress });
  clearInterval(others);
  assert.equal(digest(state), live);
  assert.ok(reported.length > 10, `${reported.length}`);
  assert.ok(
    reported.every(({ records }, n) => n === 0 || records > reported[n - 1]!.records || n === reported.length - 1),
  );
  assert.deepEqual([reported.at(-1)!.records, reported.at(-1)!.leftMs, reported.at(-1)!.urls], [end, 0, 30_000]);
  assert.ok(turns > 10, `others had ${turns} turns`);
  assert.match(
    restoreText(reported[3]!),
    /^restoring partition 0: \d+ %, [\d,]+ of [\d,]+ records, [\d,]+ URLs, about \d/,
  );
  assert.match(restoreText(reported.at(-1)!), /^partition 0 restored in \d/);
});

test('a restore stops when its partition is released', limit, async () => {
  const { harness, end } = await shared;
  const letGo = new AbortController();
  const state = new FrontierState(key);
  const options = { log: harness.log, identity, state, store: createMemoryStore(), clock, to: end };
  const restoring = restore({ ...options, signal: letGo.signal });
  setImmediate(() => letGo.abort());
  assert.equal(await restoring, false);
  assert.ok(state.changelog.offset < end);
});

test('a kill during the removal of an old checkpoint leaves nothing that looks like one', limit, async () => {
  const { harness, live, end } = await shared;
  const store = createMemoryStore();
  const state = new FrontierState(key);
  await restore({ log: harness.log, identity, state, store, clock, to: end, saveBytes: 8 << 20 });
  assert.ok((await store.get(metaKey)) !== undefined);
  await assert.rejects(clearCheckpoint(createFaultStore(store, { failAt: 2, failCode: 'STORE_FAILED' })));
  assert.equal(await loadCheckpoint(store, key), undefined);
  const opened = await openPartition({ log: harness.log, store, identity, key, clock, endsLeases: false });
  assert.equal(digest(opened.state), live);
});
