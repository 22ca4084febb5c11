import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadCheckpoint } from '../../../services/frontier/restore/load-checkpoint.ts';
import { controlEvent } from '../../../services/runtime/crawl/control-log.ts';
import { createMemoryStore } from '../../../services/runtime/store/memory-store.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';
import { type Harness, key, startHarness, until } from './owner-harness.ts';

async function seek({ log, codec }: Harness, topic: string, offset: number, group = 'frontier'): Promise<void> {
  const payload = JSON.stringify({ group, topic, offset });
  const event = controlEvent({ kind: 'seek', atMs: 1, by: 'test', payload, id: `${topic} ${offset}` });
  await log.append([{ topic: 't.control', partition: 0, key: null, value: codec.encode('control', event) }]);
}

describe('a position of the frontier that is overridden', { timeout: 30_000 }, () => {
  it('an overridden position of the frontier is used while it runs, and a replay reaches the same state', async () => {
    const harness = await startHarness();
    const store = createMemoryStore();
    const owner = harness.owner({ leasesMax: 0, store });
    const run = owner.run();
    await harness.discover(40);
    await until(() => owner.committed?.counters.admitted === 40);
    const { end } = await harness.log.offsets('t.discovered', 0);
    await seek(harness, 'discovered', end - 10, 'dedup');
    await seek(harness, 'discovered', 0);
    await until(() => owner.committed?.counters.discovered === 80);
    assert.equal(owner.committed?.counters.duplicates, 40);
    assert.equal(owner.committed?.positions.discovered.offset, end);
    owner.stop();
    await run;
    const { state } = await harness.replayed();
    const live = await loadCheckpoint(store, key);
    assert.equal(digest(state), digest(live!));
  });

  it('an overridden position of the frontier is applied before input is read, so it frees a position that is gone', async () => {
    const harness = await startHarness();
    const store = createMemoryStore();
    const first = harness.owner({ leasesMax: 0, store });
    const run = first.run();
    await harness.discover(20);
    await until(() => first.committed?.counters.admitted === 20);
    first.stop();
    await run;
    await harness.discover(20);
    // Somebody has deleted records that were not read.
    const { end } = await harness.log.offsets('t.discovered', 0);
    await harness.log.trim('t.discovered', 0, end - 5);
    await assert.rejects(harness.owner({ leasesMax: 0, store }).run(), { code: 'OFFSET_OUT_OF_RANGE' });
    await seek(harness, 'discovered', end - 5);
    const freed = harness.owner({ leasesMax: 0, store });
    const again = freed.run();
    await until(() => freed.committed?.counters.admitted === 25);
    freed.stop();
    await again;
    const live = await loadCheckpoint(store, key);
    assert.equal(digest((await harness.replayed()).state), digest(live!));
  });

  it('an override forward skips what lies between, including what was read ahead', async () => {
    const harness = await startHarness();
    await harness.discover(30);
    const { end } = await harness.log.offsets('t.discovered', 0);
    await seek(harness, 'discovered', end - 3);
    const owner = harness.owner({ leasesMax: 0 });
    const run = owner.run();
    await until(() => owner.committed?.positions.discovered.offset === end);
    owner.stop();
    await run;
    assert.equal(owner.committed?.counters.admitted, 3);
  });
});
