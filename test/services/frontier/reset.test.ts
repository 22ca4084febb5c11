import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openPartition } from '../../../services/frontier/open/open-partition.ts';
import { rebuild } from '../../../services/frontier/open/rebuild.ts';
import { loadCheckpoint } from '../../../services/frontier/restore/load-checkpoint.ts';
import { resetPartition } from '../../../services/frontier/restore/reset-partition.ts';
import { crawlIdOf } from '../../../services/frontier/snapshots/manifest.ts';
import { createSnapshotRepository } from '../../../services/frontier/snapshots/snapshot-repository.ts';
import { takeSnapshot } from '../../../services/frontier/snapshots/take.ts';
import { controlEvent } from '../../../services/runtime/crawl/control-log.ts';
import type { Log } from '../../../services/runtime/log/log.ts';
import { createMemoryObjects } from '../../../services/runtime/objects/memory-objects.ts';
import { createMemoryStore } from '../../../services/runtime/store/memory-store.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';
import { changelog, clock, identity, key, startHarness, until } from './owner-harness.ts';

/** A crawl of forty hosts, of which one is blocked; leases are out. Its checkpoint and a snapshot are of the changelog's end. */
async function stoppedCrawl() {
  const harness = await startHarness();
  const { log, codec } = harness;
  const block = controlEvent({ kind: 'blockHost', atMs: 1, by: 'test', hostKey: 'h3.test', id: 'block' });
  await log.append([{ topic: 't.control', partition: 0, key: null, value: codec.encode('control', block) }]);
  const store = createMemoryStore();
  const owner = harness.owner({ leasesMax: 5, store });
  const run = owner.run();
  await harness.discover(40);
  await until(() => owner.committed?.counters.admitted === 40);
  owner.stop();
  await run;
  const repository = createSnapshotRepository(createMemoryObjects(), crawlIdOf(key));
  const state = (await loadCheckpoint(store, key))!;
  await takeSnapshot({ identity, state, store, repository, clock, takenBy: 'test' });
  const { end } = await log.offsets(changelog, 0);
  assert.equal(state.changelog.offset, end);
  return { harness, store, repository, end };
}

describe('a partition that was reset', { timeout: 60_000 }, () => {
  it('a partition that was reset reads its inputs again, under the policy and blocks in force, whatever is left of the old state', async () => {
    const { harness, store, repository, end } = await stoppedCrawl();
    const { log, codec } = harness;
    await resetPartition({ log, codec, identity, clock, discovered: 'earliest' });
    assert.deepEqual((await log.offsets(changelog, 0)).start, end);
    assert.deepEqual(await harness.tasks().catch(({ code }) => code), 'OFFSET_OUT_OF_RANGE');
    const owner = harness.owner({ leasesMax: 0, store, repository });
    const run = owner.run();
    await until(() => owner.committed?.counters.admitted === 40);
    owner.stop();
    await run;
    const live = (await loadCheckpoint(store, key))!;
    assert.equal(live.counters.leases, 0);
    assert.equal(live.hosts.get('h3.test')?.facts.hold, 'blocked');
    assert.equal(live.leases.nextId, 1);
    const replayed = await rebuild({ log, identity, key, store: createMemoryStore(), clock });
    assert.equal(digest(replayed), digest(live));
  });

  it('a partition that was reset may skip its old input', async () => {
    const { harness } = await stoppedCrawl();
    const { log, codec } = harness;
    await resetPartition({ log, codec, identity, clock, discovered: 'latest' });
    await harness.discover(3);
    const owner = harness.owner({ leasesMax: 0 });
    const run = owner.run();
    await until(() => owner.committed?.counters.admitted === 3);
    owner.stop();
    await run;
    assert.equal(owner.committed?.counters.discovered, 3);
  });

  it('a partition that was reset reaches the same state whenever it is killed and reset again', async () => {
    for (let dieAt = 1; dieAt <= 4; dieAt++) {
      const { harness, store } = await stoppedCrawl();
      const { log, codec } = harness;
      let calls = 0;
      const die = () => {
        if (++calls === dieAt) throw new Error('killed');
      };
      const mortal: Log = {
        ...log,
        append: (records) => log.append(records).finally(die),
        trim: (...args) => log.trim(...args).finally(die),
      };
      const options = { codec, identity, clock, discovered: 'earliest' } as const;
      await assert.rejects(resetPartition({ ...options, log: mortal }), /killed/);
      await resetPartition({ ...options, log });
      const { state } = await openPartition({ log, store, identity, key, clock, endsLeases: false });
      assert.deepEqual([state.counters.admitted, state.positions.discovered.offset], [0, 0]);
    }
  });
});
