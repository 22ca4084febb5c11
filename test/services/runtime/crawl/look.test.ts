/** What the log alone says of a crawl: which commit counts, and how far its inputs reach. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { endsOf, lookAt, policyVersions, statusOf } from '../../../../services/runtime/crawl/look.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import type { Log } from '../../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { encodeClaim, encodeCommit, type InputTopic } from '../../../../topology/frontier/changes/changelog.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';

const topics = ['control', 'results', 'discovered', 'frontier-changelog'] as const;

async function crawl() {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics(topics.map((name) => ({ name: `c.${name}`, partitions: 2, retention: 'state' as const })));
  const append = (topic: (typeof topics)[number], partition: number, ...values: readonly Buffer[]) =>
    log.append(values.map((value) => ({ topic: `c.${topic}`, partition, key: null, value })));
  return { log, append, note: (...values: readonly Buffer[]) => append('frontier-changelog', 0, ...values) };
}

const claim = encodeClaim({ kind: 'claim', nonce: 'n', nowMs: 1, endsLeases: true });
const foreign = Buffer.from('by another program');

/** A commit that has admitted as many URLs as its policy’s version says. */
function commit(epoch: number, version: number, positions: Partial<Record<InputTopic, number>> = {}): Buffer {
  const inputs = Object.entries(positions).map(([topic, offset]) => ({
    ...{ topic: topic as InputTopic, from: { offset: 0, slice: 0 }, to: { offset, slice: 3 } },
  }));
  const counters = { ...zeroCounters(), admitted: version };
  return encodeCommit(
    { kind: 'commit', epoch, seq: 1, nowMs: 1, policyVersion: version, demand: 0, inputs, counters },
    Buffer.alloc(0),
  );
}

const versionIn = async (log: Log) => (await policyVersions(log, 'c', 1))[0];

test('a crawl that has not begun is at the start of its inputs', async () => {
  const { log, note } = await crawl();
  const none = { offset: 0, slice: 0 };
  const start = {
    ends: { control: 0, results: 0, discovered: 0 },
    positions: { control: none, results: none, discovered: none },
    counters: zeroCounters(),
  };
  assert.deepEqual(await statusOf(log, 'c', 0), start);
  await note(claim);
  assert.deepEqual(await statusOf(log, 'c', 0), start);
  assert.equal(await versionIn(log), 0);
});

test('the newest commit of the newest owner counts, although an older owner commits after it', async () => {
  const { log, note } = await crawl();
  await note(claim, commit(0, 1), commit(0, 2));
  assert.equal(await versionIn(log), 2);
  await note(claim, commit(3, 3), commit(0, 4));
  assert.equal(await versionIn(log), 3);
  await note(commit(3, 5));
  assert.equal(await versionIn(log), 5);
  // No claim stands there, or none can: the epoch is the offset of an earlier record.
  await note(commit(99, 6), commit(8, 7));
  assert.equal(await versionIn(log), 5);
});

test('a commit is found behind any number of records that do not count', async () => {
  for (const records of [0, 1, 15, 16, 17, 143, 144, 145, 300]) {
    const { log, note } = await crawl();
    await note(claim, commit(0, 7), ...Array.from({ length: records }, () => foreign));
    assert.equal(await versionIn(log), 7, `${records}`);
  }
});

test('the status of a partition has where its inputs end, what was taken of them, and its counters', async () => {
  const { log, append } = await crawl();
  await append('control', 1, foreign);
  await append('results', 1, foreign, foreign);
  await append('discovered', 1, foreign, foreign, foreign);
  await append('frontier-changelog', 1, claim, commit(0, 9, { results: 2, discovered: 1 }));
  const ends = { control: 1, results: 2, discovered: 3 };
  assert.deepEqual(await endsOf(log, 'c', 1), ends);
  const status = {
    ends,
    positions: {
      control: { offset: 0, slice: 0 },
      results: { offset: 2, slice: 3 },
      discovered: { offset: 1, slice: 3 },
    },
    counters: { ...zeroCounters(), admitted: 9 },
  };
  assert.deepEqual(await statusOf(log, 'c', 1), status);
  const look = await lookAt(log, 'c', 2, 100);
  assert.deepEqual([look.pageQuota, look.partitions.length, look.partitions[1]], [100, 2, status]);
  assert.deepEqual(await policyVersions(log, 'c', 2), [0, 9]);
});

test('the commit of a status is at least as new as the ends of the inputs', async () => {
  const { log, append } = await crawl();
  await append('frontier-changelog', 1, claim, commit(0, 1, { results: 0 }));
  let isFirst = true;
  const moving: Pick<Log, 'offsets' | 'reader'> = {
    reader: (...given) => log.reader(...given),
    offsets: async (topic, partition) => {
      const found = await log.offsets(topic, partition);
      if (isFirst) {
        isFirst = false;
        await append('results', 1, foreign);
        await append('frontier-changelog', 1, commit(0, 2, { results: 1 }));
      }
      return found;
    },
  };
  const { counters } = await statusOf(moving, 'c', 1);
  assert.equal(counters.admitted, 2);
});
