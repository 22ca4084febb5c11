import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rebuild } from '../../../../services/frontier/open/rebuild.ts';
import { loadCheckpoint } from '../../../../services/frontier/restore/load-checkpoint.ts';
import { frontierServiceLimits } from '../../../../services/frontier/service-limits.ts';
import { crawlIdOf } from '../../../../services/frontier/snapshots/manifest.ts';
import { createSnapshotRepository } from '../../../../services/frontier/snapshots/snapshot-repository.ts';
import { takeSnapshot } from '../../../../services/frontier/snapshots/take.ts';
import { PartitionTask } from '../../../../services/frontier/standby/partition-task.ts';
import { Standby } from '../../../../services/frontier/standby/standby.ts';
import { standbyGroup } from '../../../../services/runtime/crawl/frontier-members.ts';
import type { Log } from '../../../../services/runtime/log/log.ts';
import { createMemoryObjects } from '../../../../services/runtime/objects/memory-objects.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { CrawlstreamError } from '../../../../topology/errors.ts';
import { decodeChangelog, encodeCommit } from '../../../../topology/frontier/changes/changelog.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { changelog, clock, type Harness, identity, key, startHarness, until } from '../owner-harness.ts';

const limit = { timeout: 30_000 };

function standbyOf(harness: Harness, log: Log = harness.log, onTrouble?: (error: CrawlstreamError) => void): Standby {
  return new Standby({ log, store: createMemoryStore(), identity, key, clock, rank: 1, onTrouble });
}

/** Offsets of the changelog that are read through it. */
function counted(log: Log, offsets: number[]): Log {
  return {
    ...log,
    reader: () => {
      const reader = log.reader();
      return {
        ...reader,
        poll: async (options) => {
          const records = await reader.poll(options);
          for (const { topic, offset } of records) if (topic === changelog) offsets.push(offset);
          return records;
        },
      };
    },
  };
}

test('a standby reaches the state of its owner, and reports how far it is', limit, async () => {
  const harness = await startHarness();
  const owner = harness.owner();
  const owning = owner.run();
  const standby = standbyOf(harness);
  const following = standby.run();
  for (let round = 0; round < 5; round++) {
    await harness.discover(200);
    await until(() => owner.committed?.counters.admitted === 200 * (round + 1));
  }
  owner.stop();
  await owning;
  const { end } = await harness.log.offsets(changelog, 0);
  await until(() => standby.status.position === end);
  assert.equal(digest(standby.state!), digest((await harness.replayed()).state));
  await until(async () => (await harness.log.committed(standbyGroup('t', 1), changelog, 0)) === end);
  const { behind, asOfMs, rank } = standby.status;
  assert.deepEqual([behind, rank], [0, 1]);
  assert.ok(Math.abs(clock.nowMs() - asOfMs) < 10_000, `as of ${asOfMs}`);
  standby.stop();
  assert.equal(await following, standby.state);
});

test(
  'a standby that cannot reach the brokers has not caught up until it has seen the end of the changelog again',
  limit,
  async () => {
    const harness = await startHarness();
    let isAway = false;
    const offsets: Log['offsets'] = (...asked) => (isAway ? new Promise(() => {}) : harness.log.offsets(...asked));
    let laterMs = 0;
    const later = { ...clock, nowMs: () => clock.nowMs() + laterMs, sleepUntil: clock.sleepUntil.bind(clock) };
    const owner = harness.owner();
    const owning = owner.run();
    const log = { ...harness.log, offsets };
    const options = { log, store: createMemoryStore(), identity, key, rank: 1 };
    const standby = new Standby({ ...options, clock: later });
    const following = standby.run();
    await until(() => standby.status.hasCaughtUp);
    isAway = true;
    laterMs += frontierServiceLimits.caughtUpMs + 2 * frontierServiceLimits.standbyLookMs;
    assert.equal(standby.status.hasCaughtUp, false);
    isAway = false;
    owner.stop();
    standby.stop();
    await Promise.all([owning, following]);
  },
);

test('a standby that becomes the owner reads no record twice and crawls on', limit, async () => {
  const harness = await startHarness();
  const first = harness.owner();
  const owning = first.run();
  await harness.discover(500);
  await until(() => first.committed?.counters.admitted === 500);
  const offsets: number[] = [];
  const log = counted(harness.log, offsets);
  const { codec } = harness;
  const failures: unknown[] = [];
  const store = createMemoryStore();
  const partitionTask = new PartitionTask({
    ...{ log, codec, clock, identity, key, endsLeases: false, leasesMax: 1_000 },
    openStore: async () => store,
    onFailure: (error) => failures.push(error),
  });
  partitionTask.take({ is: 'standby', rank: 1 });
  await until(() => partitionTask.standby?.state?.counters.admitted === 500);
  first.stop();
  await owning;
  partitionTask.take({ is: 'owner' });
  await partitionTask.ready;
  await harness.discover(100);
  await until(() => partitionTask.owner?.committed?.counters.admitted === 600);
  await partitionTask.end();
  assert.deepEqual(failures, []);
  // At its position the newest records are looked at again: are they still those that were read?
  const read = offsets.filter((offset, index) => offset > Math.max(-1, ...offsets.slice(0, index)));
  assert.deepEqual(read, [...read.keys()], 'each record of the changelog is read once');
  const again = offsets.filter((offset, index) => offset <= Math.max(-1, ...offsets.slice(0, index)));
  assert.ok(
    again.every((offset) => offset >= again[0]! - 1 && offset > read.length - 6) && again.length <= 12,
    `${again}`,
  );
  const { state } = await harness.replayed();
  assert.equal(state.counters.admitted, 600);
  assert.ok(state.leases.size > 0, 'the new owner leases hosts');
});

test('an owner that becomes a standby and an owner again keeps the changelog’s state', limit, async () => {
  const harness = await startHarness();
  const { log, codec } = harness;
  const failures: unknown[] = [];
  const partitionTask = new PartitionTask({
    ...{ log, codec, clock, identity, key, endsLeases: false, leasesMax: 10 },
    openStore: async () => createMemoryStore(),
    onFailure: (error) => failures.push(error),
  });
  const other = harness.owner({ leasesMax: 10 });
  let expected = 0;
  for (let round = 0; round < 3; round++) {
    partitionTask.take({ is: 'owner' });
    await partitionTask.ready;
    await harness.discover(50);
    expected += 50;
    await until(() => partitionTask.owner?.committed?.counters.admitted === expected);
    partitionTask.take({ is: 'standby', rank: 1 });
    // Taken away and given back in one go: begun anew, never both at once.
    partitionTask.take({ is: 'none' });
    partitionTask.take({ is: 'standby', rank: 2 });
    await until(() => partitionTask.standby?.state?.counters.admitted === expected);
    const { state } = await harness.replayed();
    assert.equal(digest(partitionTask.standby!.state!), digest(state));
  }
  const owning = other.run();
  await harness.discover(50);
  await until(() => partitionTask.standby?.state?.counters.admitted === expected + 50);
  other.stop();
  await owning;
  await partitionTask.end();
  assert.equal(partitionTask.standby, undefined);
  assert.deepEqual(failures, []);
});

test('a standby that diverges from its owner says so, and does not count as a copy', limit, async () => {
  const harness = await startHarness();
  const owner = harness.owner({ leasesMax: 0 });
  const owning = owner.run();
  // Every sixteenth commit carries a check.
  for (let round = 1; round <= 40; round++) {
    await harness.discover(1);
    await until(() => owner.committed?.counters.admitted === round);
  }
  owner.stop();
  await owning;
  // Its copy of the log has lost the changes of a commit in the middle, as a bad disk may.
  const victim = (await harness.records()).find(
    ([offset, record]) =>
      offset > 5 && record.kind === 'commit' && [...record.changes].some(({ kind }) => kind === 'admit'),
  )![0];
  const damaged: Log = {
    ...harness.log,
    reader: () => {
      const reader = harness.log.reader();
      const poll: typeof reader.poll = async (options) =>
        (await reader.poll(options)).map((record) =>
          record.topic === changelog && record.offset === victim
            ? { ...record, value: withoutChanges(record.value) }
            : record,
        );
      return { ...reader, poll };
    },
  };
  const troubles: string[] = [];
  const standby = standbyOf(harness, damaged, ({ code }) => troubles.push(code));
  const following = standby.run();
  await until(() => troubles.length > 0);
  assert.equal(troubles[0], 'STATE_DIVERGED');
  standby.stop();
  assert.equal(await following, undefined);
});

test('a standby whose changelog is trimmed follows again once a snapshot exists', limit, async () => {
  const harness = await startHarness();
  const owner = harness.owner({ leasesMax: 0 });
  const owning = owner.run();
  await harness.discover(100);
  await until(() => owner.committed?.counters.admitted === 100);
  owner.stop();
  await owning;
  const { log } = harness;
  const repository = createSnapshotRepository(createMemoryObjects(), crawlIdOf(key));
  const scratch = createMemoryStore();
  const state = await rebuild({ log, identity, key, store: scratch, clock });
  await log.trim(changelog, 0, state.changelog.offset);
  const troubles: string[] = [];
  const pauses: number[] = [];
  const patient = Object.assign(Object.create(clock) as typeof clock, {
    nowMs: () => 0,
    sleepUntil: async (ms: number) => {
      pauses.push(ms);
      // By the fourth time there is one.
      if (pauses.length === 4)
        await takeSnapshot({ identity, state, store: scratch, repository, clock, takenBy: 'test' });
    },
  });
  const onTrouble = ({ code }: CrawlstreamError) => troubles.push(code);
  const standby = new Standby({
    ...{ log, store: createMemoryStore(), identity, key, rank: 1, repository },
    ...{ clock: patient, onTrouble },
  });
  const following = standby.run();
  await until(() => standby.status.position === state.changelog.offset);
  assert.deepEqual(troubles, Array(4).fill('OFFSET_OUT_OF_RANGE'));
  assert.deepEqual(pauses, [250, 1_000, 4_000, 16_000], 'ever longer');
  standby.stop();
  assert.equal(digest((await following)!), digest(state));
});

test('the checkpoint of a standby can be continued from', limit, async () => {
  const harness = await startHarness();
  const owner = harness.owner({ leasesMax: 0 });
  const owning = owner.run();
  const store = createMemoryStore();
  let nowMs = clock.nowMs();
  // A clock on which every look takes seconds, so that the checkpoint is always due.
  const hasty = { ...clock, nowMs: () => (nowMs += 3_000), sleepUntil: clock.sleepUntil.bind(clock) };
  const standby = new Standby({ log: harness.log, store, identity, key, clock: hasty as typeof clock, rank: 1 });
  const following = standby.run();
  await harness.discover(300);
  await until(async () => (await loadCheckpoint(store, key))?.counters.admitted === 300);
  owner.stop();
  await owning;
  standby.stop();
  await following;
  const checkpoint = await loadCheckpoint(store, key);
  assert.ok(checkpoint !== undefined && checkpoint.changelog.offset > 0);
});

/** The same commit, and nothing changed. */
function withoutChanges(value: Buffer): Buffer {
  const record = decodeChangelog(value);
  assert.ok(record.kind === 'commit');
  return encodeCommit(record, Buffer.alloc(0));
}
