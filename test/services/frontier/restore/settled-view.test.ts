import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runJob } from '../../../../services/frontier/restore/job-runner.ts';
import { loadView } from '../../../../services/frontier/restore/load-view.ts';
import { settledView } from '../../../../services/frontier/restore/settled-view.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { replay } from '../../../../topology/frontier/replay.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { readLeases } from '../../../../topology/frontier/view/read-rows.ts';
import { saveView } from '../../../../topology/frontier/view/save-view.ts';
import { clock, identity, key, startHarness, until } from '../owner-harness.ts';

test('a view that is being written is taken as a state of one position', { timeout: 30_000 }, async () => {
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
  await runJob(store, saveView(state));
  const whole = digest(state);
  assert.equal(digest((await settledView({ ...harness, clock, identity, key, store }))!), whole);
  for (const [offset, record] of records.slice(half)) replay(state, offset, record);
  await runJob(store, readLeases(state));
  let slices = 0;
  await runJob(store, saveView(state, 1_024), () => slices++ === 3);

  const fuzzy = (await loadView(store, key))!;
  assert.ok(fuzzy.isAhead && fuzzy.changelog.offset < state.changelog.offset);
  const settled = (await settledView({ ...harness, clock, identity, key, store }))!;
  assert.equal(settled.changelog.offset, state.changelog.offset);
  assert.equal(digest(settled), digest(state));
  assert.equal(digest((await loadView(store, key))!), digest(fuzzy), 'the view itself is left as it is');
});
