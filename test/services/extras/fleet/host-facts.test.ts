import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHostFacts } from '../../../../services/extras/fleet/host-facts.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';

test('unfinished pauses and Crawl-delays outlive the process, and others do not', async () => {
  const store = createMemoryStore();
  const before = await openHostFacts(store, 1_000);
  before.note('long.test', { heldUntilMs: 60_000, crawlDelayMs: 0 }, 1_000);
  before.note('short.test', { heldUntilMs: 1_500, crawlDelayMs: 0 }, 1_000);
  before.note('over.test', { heldUntilMs: 5_000, crawlDelayMs: 0 }, 1_000);
  before.note('slow.test', { heldUntilMs: Number.NEGATIVE_INFINITY, crawlDelayMs: 2_000 }, 1_000);
  before.note('slow.test', { heldUntilMs: 1_200, crawlDelayMs: 2_000 }, 1_000);
  await before.settled();
  const after = await openHostFacts(store, 10_000);
  assert.deepEqual(Object.fromEntries(after.known), {
    'long.test': { heldUntilMs: 60_000, crawlDelayMs: 0 },
    'slow.test': { heldUntilMs: Number.NEGATIVE_INFINITY, crawlDelayMs: 2_000 },
  });
  // What is over is removed.
  assert.equal((await openHostFacts(store, 0)).known.size, 2);
});
