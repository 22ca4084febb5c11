import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runJob } from '../../../../services/frontier/restore/job-runner.ts';
import { loadCheckpoint } from '../../../../services/frontier/restore/load-checkpoint.ts';
import { settledCheckpoint } from '../../../../services/frontier/restore/settled-checkpoint.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { readLeases } from '../../../../topology/frontier/checkpoint/read-rows.ts';
import { saveCheckpoint } from '../../../../topology/frontier/checkpoint/save-checkpoint.ts';
import { replay } from '../../../../topology/frontier/replay.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { clock, identity, key, startHarness, until } from '../owner-harness.ts';

test('a checkpoint being written counts as a state of one position', { timeout: 30_000 }, async () => {
  const harness = await startHarness();
  const owner = harness.owner({ leasesMax: 20 });
  const owning = owner.run();
  for (let round = 1; round <= 6; round++) {
    await harness.discover(40);
    await until(() => owner.committed?.counters.admitted === 40 * round);
  }
  owner.stop();
  await owning;

  // Whole at half of the changelog; then its owner goes on to the end, and is in the middle of writing it again.
  const records = await harness.records();
  const state = new FrontierState(key);
  const store = createMemoryStore();
  const half = records.length >> 1;
  for (const [offset, record] of records.slice(0, half)) replay(state, offset, record);
  await runJob(store, readLeases(state));
  await runJob(store, saveCheckpoint(state));
  const whole = digest(state);
  assert.equal(digest((await settledCheckpoint({ ...harness, clock, identity, key, store }))!), whole);
  for (const [offset, record] of records.slice(half)) replay(state, offset, record);
  await runJob(store, readLeases(state));
  let slices = 0;
  await runJob(store, saveCheckpoint(state, 1_024), () => slices++ === 3);

  const fuzzy = (await loadCheckpoint(store, key))!;
  assert.ok(fuzzy.isAhead && fuzzy.changelog.offset < state.changelog.offset);
  const settled = (await settledCheckpoint({ ...harness, clock, identity, key, store }))!;
  assert.equal(settled.changelog.offset, state.changelog.offset);
  assert.equal(digest(settled), digest(state));
  assert.equal(digest((await loadCheckpoint(store, key))!), digest(fuzzy), 'the checkpoint itself is left as it is');
});
