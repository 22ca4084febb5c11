import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPartition } from '../../../../services/frontier/open/open-partition.ts';
import { createMeters } from '../../../../services/frontier/own/meters.ts';
import { createFaultStore } from '../../../../services/runtime/store/fault-store.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { encodeClaim } from '../../../../topology/frontier/changes/changelog.ts';
import { lostUrls } from '../../../../topology/frontier/changes/counters.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { changelog, clock, type Harness, identity, intercept, key, startHarness, until } from '../owner-harness.ts';

const limit = { timeout: 20_000 };
const atZero = { nowMs: () => 0 };
const diskFull = () => new CrawlstreamError('DISK_FULL', 'planned: no room');
const leaseOf = ({ epoch, leaseId }: { readonly epoch: number; readonly leaseId: number }) => `${epoch}/${leaseId}`;

/** Every task was granted by a commit that counts, and none twice. */
async function assertTasksGranted(harness: Harness): Promise<number> {
  const { state, granted } = await harness.replayed();
  const tasks = (await harness.tasks()).map(leaseOf);
  assert.equal(new Set(tasks).size, tasks.length, 'a lease is published once');
  for (const task of tasks) assert.ok(granted.has(task), `${task} was granted by no commit that counts`);
  assert.equal(lostUrls(state.counters), 0);
  return tasks.length;
}

test('a task is published only after the commit that grants it is durable', limit, async () => {
  const harness = await startHarness();
  const early: string[] = [];
  const checking = intercept(harness.log, 't.tasks', async (records) => {
    const { granted } = await harness.replayed();
    for (const { value } of records) {
      const lease = leaseOf(harness.codec.decode('tasks', Buffer.from(value)));
      if (!granted.has(lease)) early.push(lease);
    }
  });
  // Slow appends, so that several commits are under way at once.
  const slow = intercept(checking, changelog, () => new Promise((resolve) => setTimeout(resolve, 15)));
  const owner = harness.owner({ log: slow });
  const run = owner.run();
  for (let round = 0; round < 10; round++) {
    await harness.discover(3);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await until(async () => (await harness.tasks()).length === 30);
  owner.stop();
  await run;
  assert.deepEqual(early, []);
  assert.equal(await assertTasksGranted(harness), 30);
  assert.equal(owner.committed?.counters.leased, 30, 'what was committed can be asked for after the end');
});

test('the time from discovery to first lease is reported for one URL in 64', limit, async () => {
  const harness = await startHarness();
  const meters = createMeters();
  const owner = harness.owner({ meters });
  const run = owner.run();
  await harness.discover(640);
  const counted = () => meters.latencySeconds.counts.reduce((sum, count) => sum + count, 0);
  await until(async () => (await harness.tasks()).length === 640);
  await until(() => counted() > 0);
  owner.stop();
  await run;
  assert.ok(counted() < 40, `${counted()} of 640`);
  assert.ok(meters.latencySeconds.sum >= 0);
});

test('a failed append ends the owner, and the tasks of that commit are never published', limit, async () => {
  const harness = await startHarness();
  let full = false;
  // As the embedded log does: after the first failure nothing is taken any more.
  const failing = intercept(harness.log, changelog, async () => {
    if (full) throw diskFull();
  });
  const owner = harness.owner({ log: failing });
  const run = owner.run();
  run.catch(() => {});
  await harness.discover(1);
  await until(() => owner.committed?.counters.leased === 1);
  full = true;
  await harness.discover(5);
  await assert.rejects(run, { code: 'DISK_FULL' });
  assert.equal(await assertTasksGranted(harness), 1);

  const next = harness.owner();
  const nextRun = next.run();
  await until(() => next.committed?.counters.leased === 6);
  next.stop();
  await nextRun;
  await assertTasksGranted(harness);
});

test('a foreign record makes the owner reopen the partition, and voids its pending work', limit, async () => {
  const harness = await startHarness();
  const reopened: string[] = [];
  let strange = false;
  const disturbed = intercept(harness.log, changelog, async (records) => {
    if (!strange || records.length === 0) return;
    strange = false;
    const claim = encodeClaim({ kind: 'claim', nonce: 'somebody', nowMs: clock.nowMs(), endsLeases: false });
    await harness.log.append([{ topic: changelog, partition: 0, key: null, value: claim }]);
  });
  const owner = harness.owner({ log: disturbed, onReopen: (error) => reopened.push(error.code) });
  const run = owner.run();
  await harness.discover(2);
  await until(() => owner.committed?.counters.leased === 2);
  strange = true;
  await harness.discover(3);
  await until(() => reopened.length === 1 && owner.committed?.counters.leased === 5);
  owner.stop();
  await run;
  assert.deepEqual(reopened, ['OWNERSHIP_LOST']);
  assert.equal(await assertTasksGranted(harness), 5);
  const { state } = await harness.replayed();
  const claims = (await harness.records()).filter(([, record]) => record.kind === 'claim').map(([offset]) => offset);
  assert.equal(claims.length, 3, 'its own, the stranger’s, its own again');
  assert.equal(state.changelog.epoch, claims.at(-1));
});

test('of two concurrent owners, only the one that claimed last grants valid leases', limit, async () => {
  const harness = await startHarness();
  const stores: [StateStore, StateStore] = [createMemoryStore(), createMemoryStore()];
  const reopened = [0, 0];
  const owners = stores.map((store, n) => harness.owner({ store, onReopen: () => reopened[n]!++ }));
  const first = owners[0]!.run();
  await harness.discover(10);
  await until(() => owners[0]!.committed?.counters.leased === 10);
  const second = owners[1]!.run();
  await until(() => owners[1]!.committed?.counters.leased === 10);
  // Both want what comes now; the older learns that it is one only when it writes.
  for (let round = 0; round < 12; round++) {
    await harness.discover(2);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  await until(async () => (await harness.replayed()).state.counters.leased === 34);
  for (const owner of owners) owner.stop();
  await Promise.allSettled([first, second]);
  assert.ok(reopened[0]! >= 1, 'the first owner lost the partition');
  assert.ok((await assertTasksGranted(harness)) <= 34);

  // Every reader, with whichever checkpoint it begins, comes to the same state.
  const digests = [];
  for (const store of [...stores, createMemoryStore()]) {
    const { state } = await openPartition({ ...harness, store, identity, key, clock: atZero, endsLeases: false });
    digests.push(digest(state));
  }
  const { state } = await harness.replayed();
  assert.deepEqual(new Set(digests), new Set([digest(state)]));
});

test('a checkpoint that cannot be written ends the owner; its changelog restores the same state', limit, async () => {
  const harness = await startHarness();
  const inner = createMemoryStore();
  const owner = harness.owner({ store: createFaultStore(inner, { failAt: 2, failCode: 'DISK_FULL' }) });
  const run = owner.run();
  run.catch(() => {});
  await harness.discover(4);
  await until(() => owner.committed?.counters.leased === 4);
  // The checkpoint is written every two seconds while something changes: once well, then not.
  const more = setInterval(() => void harness.discover(1), 50);
  await assert.rejects(run, { code: 'DISK_FULL' });
  clearInterval(more);
  const { state } = await harness.replayed();
  assert.ok(state.counters.leased > 4);
  for (const store of [inner, createMemoryStore()]) {
    const { state: restored } = await openPartition({
      ...harness,
      store,
      identity,
      key,
      clock: atZero,
      endsLeases: false,
    });
    assert.equal(digest(restored), digest(state));
  }
});

test('a checkpoint ahead of its changelog, or of another one, is discarded and rebuilt', limit, async () => {
  const [one, other] = [await startHarness(), await startHarness()];
  const store = createMemoryStore();
  const owner = one.owner({ store });
  const run = owner.run();
  await one.discover(50);
  await until(() => owner.committed?.counters.leased === 50);
  owner.stop();
  await run;
  const { state } = await openPartition({ ...other, store, identity, key, clock: atZero, endsLeases: false });
  assert.equal(state.counters.admitted, 0);
  assert.equal(digest(state), digest((await other.replayed()).state));
});

test('a checkpoint that diverges from the changelog is rebuilt from the beginning', limit, async () => {
  const harness = await startHarness();
  const store = createMemoryStore();
  const spoilt = createMemoryStore();
  const first = harness.owner({ store });
  const run = first.run();
  await harness.discover(3);
  await until(() => first.committed?.counters.leased === 3);
  first.stop();
  await run;
  // All of the checkpoint but what was seen.
  for await (const [rowKey, value] of store.scan({ gte: Buffer.from([0]), lt: Buffer.from([0xff]) })) {
    if (rowKey[0] !== 's'.charCodeAt(0)) await spoilt.write([{ key: rowKey, value }]);
  }
  const second = harness.owner({ store });
  const goesOn = second.run();
  for (let hosts = 4; hosts <= 24; hosts++) {
    await harness.discover(1);
    await until(() => second.committed?.counters.leased === hosts);
  }
  second.stop();
  await goesOn;
  const { state } = await openPartition({ ...harness, store: spoilt, identity, key, clock, endsLeases: false });
  assert.equal(digest(state), digest((await harness.replayed()).state));
});
