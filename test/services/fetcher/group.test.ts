import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinFetcherGroup } from '../../../services/fetcher/group.ts';
import { createMemoryRegistry } from '../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../services/runtime/log/embedded-log.ts';
import type { GroupOptions, Log, LogReader } from '../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../services/runtime/store/memory-store.ts';
import { topicNames, topics } from '../../../topology/topics.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';

const clock = new SystemClock();

/** A fetcher whose group the test plays. Its readers find nothing; `open` of them are not closed. */
async function startGroup(over: Partial<Log>) {
  const memory = await openEmbeddedLog(createMemoryStore(), clock);
  await memory.createTopics(
    topicNames.map((name) => ({ name: `t.${name}`, partitions: 2, retention: topics[name].retention })),
  );
  const readers = { open: 0 };
  const reader = (): LogReader => {
    readers.open += 1;
    let wake = () => {};
    return {
      seek: () => {},
      drop: () => {},
      pause: () => {},
      resume: () => {},
      poll: () => new Promise((resolve) => (wake = () => resolve([]))),
      wake: () => wake(),
      close: async () => {
        readers.open -= 1;
        wake();
      },
    };
  };
  const group = joinFetcherGroup({
    log: { ...memory, reader, ...over },
    codec: await openCodec(createMemoryRegistry(), 't'),
    clock,
    crawl: 't',
    partitions: 2,
    keyMode: 'host',
    fetcherId: 'f1',
    normalize: compileNormalizer(),
    onFailure: assert.ifError,
    config: {
      version: '0.0.0',
      contact: '',
      allowPrivate: true,
      resolve: [],
      addressDelayMs: 0,
      groupSize: () => 1,
      linksMax: 10,
    },
  });
  return { group, memory, readers };
}

test('a fetcher ignores a position that it looked up before it lost and regained the partition', async () => {
  const lookups: ((offset: number) => void)[] = [];
  let assign: GroupOptions['onAssigned'] = () => {};
  const { group, memory } = await startGroup({
    committed: () => new Promise((resolve) => lookups.push(resolve)),
    join: async ({ onAssigned }) => {
      assign = onAssigned;
      onAssigned([1], []);
      return { name: 'm', members: 1, leave: async () => {} };
    },
  });
  const { fetcher, stop } = await group;
  assign([], []);
  assign([1], []);
  while (lookups.length < 2) await new Promise((resolve) => setImmediate(resolve));
  const [early, late] = lookups;
  late!(50);
  await new Promise((resolve) => setImmediate(resolve));
  early!(17);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(fetcher.positions(), [{ topic: 't.tasks', partition: 1, offset: 50 }]);
  await stop();
  await memory.close();
});

test('a fetcher that cannot join its group leaves nothing running', async () => {
  const { group, memory, readers } = await startGroup({ join: () => Promise.reject(new Error('refused')) });
  await assert.rejects(group, /refused/);
  assert.equal(readers.open, 0);
  await memory.close();
});
