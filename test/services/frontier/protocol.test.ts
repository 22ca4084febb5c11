/**
 * The changelog protocol, point by point (docs/design.md §4), where a log fails or is slow. Points of the core alone are in
 * test/topology/frontier/protocol.test.ts; partition-owner.test.ts has more of points 1 to 4, fetcher.test.ts points 5 and 6.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPartition } from '../../../services/frontier/open/open-partition.ts';
import type { AppendRecord, Log } from '../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../services/runtime/store/memory-store.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';
import { changelog, clock, type Harness, identity, intercept, key, startHarness, until } from './owner-harness.ts';

const limit = { timeout: 20_000 };
const leaseOf = ({ epoch, leaseId }: { readonly epoch: number; readonly leaseId: number }) => `${epoch}/${leaseId}`;
const digestOf = async (harness: Harness) => digest((await harness.replayed()).state);

test(
  '§4.2: a zombie that wakes after its partition has moved changes nothing and publishes nothing',
  limit,
  async () => {
    const harness = await startHarness();
    // The first owner falls asleep with a commit on its way: nothing of it gets through until it is woken.
    let wake = () => {};
    const asleep = new Promise<void>((resolve) => (wake = resolve));
    let sleeps = false;
    const reopened: string[] = [];
    const zombie = harness.owner({
      log: intercept(harness.log, changelog, async () => (sleeps ? asleep : undefined)),
      onReopen: ({ code }) => {
        reopened.push(code);
        zombie.stop();
      },
    });
    const zombieRun = zombie.run();
    await harness.discover(5);
    await until(() => zombie.committed?.counters.leased === 5);
    sleeps = true;
    await harness.discover(5);
    const heir = harness.owner();
    const heirRun = heir.run();
    await until(() => heir.committed?.counters.leased === 10);
    heir.stop();
    await heirRun;
    const [before, tasks] = [await digestOf(harness), (await harness.tasks()).length];
    wake();
    await until(() => reopened.length > 0);
    await zombieRun.catch(() => {});
    assert.deepEqual(reopened, ['OWNERSHIP_LOST']);
    assert.equal(await digestOf(harness), before);
    assert.equal((await harness.tasks()).length, tasks);
  },
);

test('§4.3: positions come from the state; a group’s committed offsets are ignored', limit, async () => {
  const harness = await startHarness();
  const store = createMemoryStore();
  const first = harness.owner({ store });
  const run = first.run();
  await harness.discover(3);
  await until(() => first.committed?.counters.admitted === 3);
  first.stop();
  await run;
  const before = await digestOf(harness);
  // Somebody resets the group to the beginning: nothing is read twice. Or to a later place: nothing is left out.
  await harness.discover(2);
  for (const offset of [0, (await harness.log.offsets('t.discovered', 0)).end]) {
    await harness.log.commit('t.frontier', [{ topic: 't.discovered', partition: 0, offset }]);
    const next = harness.owner({ store });
    const nextRun = next.run();
    await until(() => next.committed?.counters.admitted === 5);
    next.stop();
    await nextRun;
    const { counters } = (await harness.replayed()).state;
    assert.deepEqual([counters.discovered, counters.duplicates], [5, 0]);
  }
  assert.notEqual(await digestOf(harness), before);
});

test(
  '§4.3: a position that its topic no longer has stops the partition, with the remedy, and is not reset',
  limit,
  async () => {
    const harness = await startHarness();
    const store = createMemoryStore();
    const owner = harness.owner({ store });
    const run = owner.run();
    await harness.discover(3);
    await until(() => owner.committed?.counters.admitted === 3);
    owner.stop();
    await run;
    const before = await digestOf(harness);
    await harness.discover(3);
    const { end } = await harness.log.offsets('t.discovered', 0);
    await harness.log.trim('t.discovered', 0, end);
    await assert.rejects(harness.owner({ store }).run(), {
      code: 'OFFSET_OUT_OF_RANGE',
      message: /never reset automatically/,
    });
    // The changelog itself, cut off behind a checkpoint that is lost.
    await harness.log.trim(changelog, 0, (await harness.log.offsets(changelog, 0)).end - 1);
    await assert.rejects(harness.owner().run(), { code: 'OFFSET_OUT_OF_RANGE', message: /snapshot/ });
    assert.ok(before.length === 32);
  },
);

test('§4.4: a possibly unpublished task is not published again; its lease ends at its deadline', limit, async () => {
  const harness = await startHarness();
  const store = createMemoryStore();
  const refused = () => new CrawlstreamError('BROKER_UNREACHABLE', 'planned: away just now');
  let tries = 0;
  const log = intercept(harness.log, 't.tasks', async () => {
    tries += 1;
    if (tries === 1) throw refused();
  });
  const reopened: string[] = [];
  const owner = harness.owner({ log, store, onReopen: ({ code }) => reopened.push(code) });
  const run = owner.run();
  await harness.discover(1);
  await until(() => reopened.length === 1 && owner.committed?.counters.leased === 1);
  await harness.discover(1);
  await until(async () => owner.committed?.counters.leased === 2 && (await harness.tasks()).length === 1);
  owner.stop();
  await run;
  const { state, granted } = await harness.replayed();
  assert.equal(granted.size, 2);
  const published = (await harness.tasks()).map(leaseOf);
  assert.equal(published.length, 1);
  const doubtful = [...state.leases.values()].filter(({ id }) => !published.some((lease) => lease.endsWith(`/${id}`)));
  assert.equal(doubtful.length, 1);
  assert.ok(doubtful[0]!.deadlineMs > clock.nowMs(), 'its URLs are safe, and come back then');
});

test('§4.4: a claim ends leases of fetchers that died with the owner, without costing an attempt', limit, async () => {
  const harness = await startHarness();
  const first = harness.owner();
  const run = first.run();
  await harness.discover(4);
  await until(() => first.committed?.counters.leased === 4);
  first.stop();
  await run;
  const options = { ...harness, store: createMemoryStore(), identity, key, clock, endsLeases: true };
  const { state } = await openPartition(options);
  assert.deepEqual([state.counters.leases, state.counters.leased, state.counters.queued], [0, 0, 4]);
  for (const { queue, facts } of state.hosts.values()) {
    assert.deepEqual(
      queue.again.map(({ entry }) => entry.attempts),
      [0],
    );
    assert.ok(facts.readyAtMs > clock.nowMs() - 1_000, 'they may have been in the middle of a request');
  }
});

test('§4.8: dead letters are durable before the commit that moves past their cause', limit, async () => {
  const harness = await startHarness();
  const order: string[] = [];
  const slow: Log = {
    ...harness.log,
    append: async (records: readonly AppendRecord[]) => {
      const topic = records[0]!.topic;
      if (topic === 't.dead-letters') await new Promise((resolve) => setTimeout(resolve, 100));
      else if (topic === changelog) order.push('commit');
      const offsets = await harness.log.append(records);
      if (topic === 't.dead-letters') order.push('dead letter');
      return offsets;
    },
  };
  const owner = harness.owner({ log: slow });
  const run = owner.run();
  await until(() => owner.committed !== undefined);
  order.length = 0;
  await harness.log.append([{ topic: 't.discovered', partition: 0, key: null, value: Buffer.from('junk') }]);
  await until(() => owner.committed?.counters.undecodable === 1);
  owner.stop();
  await run;
  const moves = (await harness.records()).findIndex(
    ([, record]) => record.kind === 'commit' && record.counters.undecodable === 1,
  );
  assert.ok(moves > 0);
  assert.equal(order[0], 'dead letter', `${order}`);
});

test('§4.8: dead letters that cannot be written stop the commit: their cause is read again', limit, async () => {
  const harness = await startHarness();
  const store = createMemoryStore();
  let full = true;
  const log = intercept(harness.log, 't.dead-letters', async () => {
    if (full) throw new CrawlstreamError('DISK_FULL', 'planned: no room');
  });
  await harness.log.append([{ topic: 't.discovered', partition: 0, key: null, value: Buffer.from('junk') }]);
  await assert.rejects(harness.owner({ log, store }).run(), { code: 'DISK_FULL' });
  assert.equal((await harness.replayed()).state.counters.undecodable, 0);
  full = false;
  const owner = harness.owner({ log, store });
  const run = owner.run();
  await until(() => owner.committed?.counters.undecodable === 1);
  owner.stop();
  await run;
  assert.equal((await harness.log.offsets('t.dead-letters', 0)).end, 1);
});
