import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CheckpointSaver } from '../../../../services/frontier/restore/checkpoint-saver.ts';
import { frontierServiceLimits } from '../../../../services/frontier/service-limits.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { key } from '../owner-harness.ts';

const { saveEveryMs, saveSmallBytes } = frontierServiceLimits;

/** Number of writes after each of these times, ms, for a partition with so many changed bytes from the start. */
async function writesAt(changedBytes: number, timesMs: readonly number[], saveSmallEveryMs?: number) {
  const store = createMemoryStore();
  let [nowMs, writes] = [0, 0];
  const saver = new CheckpointSaver({
    ...{ state: new FrontierState(key), clock: { nowMs: () => nowMs }, settle: async () => {}, saveSmallEveryMs },
    store: {
      ...store,
      write: (ops) => {
        writes += 1;
        return store.write(ops);
      },
    },
  });
  saver.changed(changedBytes);
  const seen: number[] = [];
  for (const atMs of timesMs) {
    nowMs = atMs;
    do await saver.saveIfDue();
    while (saver.isSaving);
    seen.push(writes);
  }
  return seen;
}

test('a checkpoint of few changes is written as often as any, unless its crawl runs beside others', async () => {
  const times = [saveEveryMs - 1, saveEveryMs, 59_999, 60_000, 120_000];
  assert.deepEqual(await writesAt(1, times), [0, 1, 1, 1, 1]);
  assert.deepEqual(await writesAt(1, times, 60_000), [0, 0, 0, 1, 1]);
});

test('a checkpoint of many changes is written every five seconds beside other crawls, too', async () => {
  const times = [saveEveryMs - 1, saveEveryMs];
  assert.deepEqual(await writesAt(saveSmallBytes - 1, times, 60_000), [0, 0]);
  assert.deepEqual(await writesAt(saveSmallBytes, times, 60_000), [0, 1]);
});
