import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostFactTopic } from '../../../../../services/extras/fleet/fetchers/host-fact-topic.ts';
import { fleetPartitionOf } from '../../../../../services/extras/fleet/fetchers/task-records.ts';
import { SystemClock } from '../../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../../services/runtime/store/memory-store.ts';

const [topic, partitions] = ['f.hosts', 4];

test('the next owner of a partition knows its hosts’ unfinished pauses and Crawl-delays', async () => {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics([{ name: topic, partitions, retention: 'time' }]);
  const open = () => new HostFactTopic(log, topic, partitions, assert.ifError);
  const before = open();
  const none = Number.NEGATIVE_INFINITY;
  before.note('long.test', { heldUntilMs: 60_000, crawlDelayMs: 0 }, 1_000);
  before.note('long.test', { heldUntilMs: 50_000, crawlDelayMs: 0 }, 1_000);
  before.note('short.test', { heldUntilMs: 1_500, crawlDelayMs: 0 }, 1_000);
  before.note('over.test', { heldUntilMs: 5_000, crawlDelayMs: 0 }, 1_000);
  before.note('slow.test:8080', { heldUntilMs: none, crawlDelayMs: 2_000 }, 1_000);
  before.note('slow.test:8080', { heldUntilMs: none, crawlDelayMs: 2_000 }, 1_000);
  await before.settled();
  const all: [string, object][] = [];
  let records = 0;
  for (let partition = 0; partition < partitions; partition++) {
    for (const [hostKey, fact] of await open().read(partition, 10_000)) {
      all.push([hostKey, fact]);
      assert.equal(fleetPartitionOf(hostKey, partitions), partition);
    }
    records += (await log.offsets(topic, partition)).end;
  }
  assert.deepEqual(Object.fromEntries(all), {
    'long.test': { heldUntilMs: 60_000, crawlDelayMs: 0 },
    'slow.test:8080': { heldUntilMs: none, crawlDelayMs: 2_000 },
  });
  assert.equal(records, 4, 'what holds for a moment, or is known already, is not written');

  const next = open();
  const partition = fleetPartitionOf('slow.test', partitions);
  await next.read(partition, 10_000);
  next.note('slow.test:8080', { heldUntilMs: none, crawlDelayMs: 0 }, 10_000);
  await next.settled();
  assert.equal((await open().read(partition, 10_000)).has('slow.test:8080'), false);
  await log.close();
});
