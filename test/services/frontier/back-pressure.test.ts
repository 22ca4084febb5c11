import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankHostFacts, blankOutcome } from '../../../schemas/blank.ts';
import type { Result, Task } from '../../../schemas/types.ts';
import { policyRecords } from '../../../services/runtime/crawl/requests.ts';
import type { FrontierPartition } from '../../../topology/frontier/partition.ts';
import { defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import { clock, type Harness, startHarness, until } from './owner-harness.ts';

const limit = { timeout: 30_000 };

async function setPolicy({ log, codec }: Harness, policy: Partial<PolicyConfig>): Promise<void> {
  const config = { ...defaultPolicy(), version: 2, delayMs: 0, delayFactor: 0, ...policy };
  await log.append(policyRecords(codec, { crawl: 't', partitions: 1, keyMode: 'host' }, config, 'test', clock.nowMs()));
}

/** Everything on the lease is a page. */
function resultOf(task: Task): Result {
  const { partition, epoch, leaseId, hostKey } = task;
  const outcome = { ...blankOutcome, kind: 'fetched', status: 200, bytes: 1 } as const;
  return {
    partition,
    epoch,
    leaseId,
    hostKey,
    fetcherId: 'test',
    last: true,
    completedAtMs: clock.nowMs(),
    outcomes: task.urls.map(({ url }, index) => ({ ...outcome, index, url })),
    requests: [],
    host: blankHostFacts,
    robotsHops: [],
    grantedAtMs: 0,
    policyVersion: 0,
    lanes: 1,
    userAgent: '',
    robotsTokens: '',
  };
}

async function report({ log, codec }: Harness, tasks: readonly Task[]): Promise<void> {
  const records = tasks.map((task) => ({
    topic: 't.results',
    partition: 0,
    key: Buffer.from(task.hostKey),
    value: codec.encode('results', resultOf(task)),
  }));
  await log.append(records);
}

test('a full partition stops reading links and goes on once leases have made room', limit, async () => {
  const harness = await startHarness();
  await setPolicy(harness, { queuedMax: 10 });
  const urls = Array.from({ length: 60 }, (_, i) => `http://h${i % 4}.test/${i}`);
  await harness.discoverUrls(urls);
  const idle = harness.owner({ leasesMax: 0 });
  const idleRun = idle.run();
  await until(() => (idle.committed?.counters.queued ?? 0) >= 10);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(idle.committed?.positions.discovered.offset, 10, 'one URL a message: the eleventh waits in the log');
  idle.stop();
  await idleRun;

  const owner = harness.owner({ leasesMax: 2 });
  const run = owner.run();
  await until(() => owner.committed !== undefined);
  let most = 0;
  for (let reported = 0; owner.committed!.counters.page < urls.length; ) {
    const tasks = await harness.tasks();
    await report(harness, tasks.slice(reported));
    reported = tasks.length;
    most = Math.max(most, owner.committed!.counters.queued);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.ok(most <= 10, `never more than the limit: ${most}`);
  owner.stop();
  await run;
});

test(
  'the frontier leases only as many hosts as its fetcher can hold, and more as soon as it can hold more',
  limit,
  async () => {
    const harness = await startHarness();
    await setPolicy(harness, {});
    await harness.discover(20);
    let held = 0;
    // It would look again after that only.
    const owner = harness.owner({ leasesMax: () => held, idleMs: 3_600_000 });
    const run = owner.run();
    await until(() => owner.committed?.counters.queued === 20);
    for (const most of [2, 5]) {
      held = most;
      owner.calls.wake();
      await until(() => owner.committed?.counters.leased === most);
    }
    const tasks = await harness.tasks();
    assert.equal(tasks.length, 5);
    await report(harness, tasks.slice(0, 3));
    await until(() => owner.committed?.counters.page === 3 && owner.committed.counters.leased === 5);
    owner.stop();
    await run;
  },
);

test('results that come faster than they are decided wait in the log, not in memory', limit, async () => {
  const harness = await startHarness();
  await setPolicy(harness, {});
  const hosts = 6_000;
  await harness.discover(hosts);
  let partition: FrontierPartition | undefined;
  let most = 0;
  let largest = 0;
  const first = harness.owner({ leasesMax: hosts });
  const firstRun = first.run();
  await until(() => first.committed?.counters.leased === hosts);
  await until(async () => (await harness.tasks()).length === hosts);
  first.stop();
  await firstRun;
  // Nobody reads while a few megabytes of results gather.
  const tasks = await harness.tasks();
  for (let round = 0; round < 3; round++) await report(harness, tasks);

  const reader = harness.log.reader.bind(harness.log);
  const owner = harness.owner({
    onOpened: (opened) => {
      partition = opened;
    },
    log: {
      ...harness.log,
      reader: () => {
        const inner = reader();
        return {
          ...inner,
          poll: async (options) => {
            const records = await inner.poll(options);
            const polled = records.filter(({ topic }) => topic === 't.results').length;
            largest = Math.max(largest, polled);
            most = Math.max(most, polled + (partition?.waiting('results') ?? 0));
            return records;
          },
        };
      },
    },
    leasesMax: 0,
  });
  const run = owner.run();
  await until(() => owner.committed?.positions.results.offset === 3 * hosts);
  owner.stop();
  await run;
  assert.equal(owner.committed?.counters.page, hosts);
  assert.ok(most > 0 && most <= largest, `${most} results waited in memory, of ${largest} read at once`);
});
