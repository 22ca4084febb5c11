import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTaskShares } from '../../../../services/application/workers/task-shares.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { topicsOfCrawl } from '../../../../topology/topics.ts';

test('each partition stays with one worker, and its next worker continues from the committed position', async () => {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics(topicsOfCrawl('crawl', 5));
  const append = (partition: number) =>
    log.append([{ topic: 'crawl.tasks', partition, key: null, value: Buffer.from('task') }]);
  for (let n = 0; n < 3; n++) await append(3);
  const at = [0, 1, 2, 3, 4].map((partition) => ({ partition, offset: partition === 3 ? 3 : 0 }));
  const shares = createTaskShares(log, { crawl: 'crawl', partitions: 5 }, 2, at);
  await shares.placed;
  assert.deepEqual(
    [shares.partitionsOf(0), shares.partitionsOf(1)],
    [
      [0, 2, 4],
      [1, 3],
    ],
  );
  assert.equal(await log.committed('crawl.fetcher', 'crawl.tasks', 3), 3);

  assert.equal(await shares.hasTasks(1), false, 'tasks of an earlier run are void');
  await append(3);
  await append(3);
  assert.deepEqual([await shares.hasTasks(0), await shares.hasTasks(1)], [false, true]);
  const assigned: (readonly number[])[] = [];
  const member = await shares.logOf(1).join({
    group: 'crawl.fetcher',
    topics: ['crawl.tasks'],
    onAssigned: (partitions) => void assigned.push(partitions),
    onFailure: assert.fail,
  });
  assert.equal(member.members, 2);
  assert.deepEqual(assigned, [[1, 3]]);
  await shares.logOf(1).commit('crawl.fetcher', [{ topic: 'crawl.tasks', partition: 3, offset: 4 }]);
  assert.deepEqual(
    shares.takenBy(1),
    new Map([
      [1, { from: 0, to: 0 }],
      [3, { from: 3, to: 4 }],
    ]),
  );
  assert.equal(await log.committed('crawl.fetcher', 'crawl.tasks', 3), 4);
  assert.deepEqual(shares.positions().find(({ partition }) => partition === 3)?.offset, 4);
  assert.equal(await shares.hasTasks(1), true);
});
