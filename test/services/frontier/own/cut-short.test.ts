import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frontierServiceLimits } from '../../../../services/frontier/service-limits.ts';
import { policyRecords } from '../../../../services/runtime/crawl/requests.ts';
import { recordsOf } from '../../../../services/runtime/log/records-of.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { encodeClaim } from '../../../../topology/frontier/changes/changelog.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { partitionOf } from '../../../../topology/url/partition.ts';
import { changelog, clock, type Harness, intercept, startHarness, until } from '../owner-harness.ts';

const limit = { timeout: 60_000 };
const killed = () => new CrawlstreamError('DISK_FULL', 'planned: the process dies here');

/** Resolves when it is told to. */
function gate() {
  let open: () => void = () => {};
  let fail: (error: Error) => void = () => {};
  const passed = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  passed.catch(() => {});
  return { passed, open, fail };
}

async function withQuota(): Promise<Harness> {
  const harness = await startHarness();
  const topics = { crawl: 't', partitions: 1, keyMode: 'host' } as const;
  const policy = { ...defaultPolicy(), version: 2, pageQuota: 100 };
  await harness.log.append(policyRecords(harness.codec, topics, policy, 'test', clock.nowMs()));
  return harness;
}

async function quotaWords({ log, codec }: Harness): Promise<string[]> {
  const { end } = await log.offsets('t.control', 0);
  const kinds: string[] = [];
  for await (const { value } of recordsOf(log, 't.control', 0, 0, end)) kinds.push(codec.decode('control', value).kind);
  return kinds.filter((kind) => kind.startsWith('quota'));
}

test('a checkpoint is never ahead of the log’s acknowledged records', limit, async () => {
  const harness = await startHarness();
  const held = gate();
  let isHeld = false;
  let heldAppends = 0;
  const log = intercept(harness.log, changelog, async () => {
    if (!isHeld) return;
    heldAppends += 1;
    await held.passed;
  });
  const store = createMemoryStore();
  const owner = harness.owner({ log, store, saveEveryBytes: 1 });
  const run = owner.run();
  run.catch(() => {});
  await harness.discover(2);
  await until(() => owner.committed?.counters.leased === 2);
  isHeld = true;
  await harness.discover(2);
  await until(() => heldAppends > 0);
  // Time enough for a checkpoint, if it did not wait.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const left = createMemoryStore();
  for await (const [key, value] of store.scan({ gte: Buffer.from([0]), lt: Buffer.from([0xff]) }))
    await left.write([{ key: Buffer.from(key), value: Buffer.from(value) }]);
  held.fail(killed());
  await assert.rejects(run, { code: 'DISK_FULL' });
  const notices: string[] = [];
  const next = harness.owner({ store: left, onNotice: (text) => notices.push(text) });
  const nextRun = next.run();
  await until(() => next.committed?.counters.leased === 4);
  next.stop();
  await nextRun;
  assert.deepEqual(notices, []);
});

test('commits under way are bounded in number', limit, async () => {
  const harness = await startHarness();
  const held = gate();
  let [isHeld, underWay, most] = [false, 0, 0];
  const log = intercept(harness.log, changelog, async () => {
    if (!isHeld) return;
    most = Math.max(most, ++underWay);
    await held.passed;
    underWay -= 1;
  });
  const owner = harness.owner({ log, idleMs: 5 });
  const run = owner.run();
  await harness.discover(1);
  await until(() => owner.committed?.counters.leased === 1);
  isHeld = true;
  for (let round = 0; round < 3 * frontierServiceLimits.commitsUnderWay; round++) {
    await harness.discover(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  isHeld = false;
  held.open();
  await until(() => owner.committed?.counters.leased === 1 + 3 * frontierServiceLimits.commitsUnderWay);
  owner.stop();
  await run;
  assert.equal(most, frontierServiceLimits.commitsUnderWay);
});

test('leases are granted up to the number of leases out, and none once fetchers are about to stop', limit, async () => {
  const harness = await startHarness();
  const owner = harness.owner({ leasesMax: 3, idleMs: 5 });
  const run = owner.run();
  await harness.discover(5);
  await until(() => owner.committed?.counters.admitted === 5);
  await until(() => (owner.committed?.counters.leased ?? 0) >= 3);
  await harness.discover(5);
  await until(() => owner.committed?.counters.admitted === 10);
  owner.stop();
  await run;
  assert.equal((await harness.tasks()).length, 3);

  const ending = harness.owner({ idleMs: 5 });
  ending.endGrants();
  const endingRun = ending.run();
  await harness.discover(5);
  await until(() => ending.committed?.counters.admitted === 15);
  ending.stop();
  await endingRun;
  assert.equal((await harness.tasks()).length, 3);
});

test('an owner that reopens its partition ends no lease that its own fetchers hold', limit, async () => {
  const harness = await startHarness();
  let isStrange = false;
  const log = intercept(harness.log, changelog, async () => {
    if (!isStrange) return;
    isStrange = false;
    const claim = encodeClaim({ kind: 'claim', nonce: 'somebody', nowMs: clock.nowMs(), endsLeases: false });
    await harness.log.append([{ topic: changelog, partition: 0, key: null, value: claim }]);
  });
  const reopened: string[] = [];
  const owner = harness.owner({ log, endsLeases: true, onReopen: ({ code }) => reopened.push(code) });
  const run = owner.run();
  await harness.discover(2);
  await until(() => owner.committed?.counters.leased === 2);
  isStrange = true;
  await harness.discover(1);
  await until(() => reopened.length > 0 && owner.committed?.counters.leased === 3);
  owner.stop();
  await run;
  assert.equal((await harness.tasks()).length, 3);
});

test('a quota request is sent when its commit is durable, and again after a kill', limit, async () => {
  const harness = await withQuota();
  // One of two partitions: it asks the book for pages, which is its own.
  const identity = { crawl: 't', partition: 0, partitions: 2 };
  const hosts = Array.from({ length: 9 }, (_, n) => `q${n}.test`).filter((host) => partitionOf(host, 2) === 0);
  const held = gate();
  let isHeld = false;
  const slow = intercept(harness.log, changelog, async () => {
    if (isHeld) await held.passed;
  });
  const dying = intercept(slow, 't.control', () => Promise.reject(killed()));
  const owner = harness.owner({ identity, log: dying, idleMs: 5 });
  const run = owner.run();
  run.catch(() => {});
  await until(() => owner.committed?.pageQuota === 100, 10_000);
  isHeld = true;
  await harness.discoverUrls([`http://${hosts[0]}/`]);
  // Time enough for the word, if it did not wait.
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.deepEqual(await quotaWords(harness), []);
  held.open();
  await assert.rejects(run, { code: 'DISK_FULL' });
  assert.equal((await harness.replayed()).state.quota.wanted, 1, 'that it asks is durable');
  assert.deepEqual(await quotaWords(harness), []);
  const next = harness.owner({ identity, idleMs: 5 });
  const nextRun = next.run();
  await until(() => next.committed?.counters.leased === 1, 10_000).finally(() => next.stop());
  await nextRun;
  assert.ok((await quotaWords(harness)).includes('quotaReport'));
});
