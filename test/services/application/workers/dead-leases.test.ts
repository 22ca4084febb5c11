import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankTask } from '../../../../schemas/blank.ts';
import type { Result } from '../../../../schemas/types.ts';
import { createDeadLeases } from '../../../../services/application/workers/dead-leases.ts';
import type { Committed } from '../../../../services/frontier/own/committed.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { recordsOf } from '../../../../services/runtime/log/records-of.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { topicsOfCrawl } from '../../../../topology/topics.ts';

const clock = new SystemClock();
const manifest = { crawl: 'crawl', partitions: 2, keyMode: 'host' as const };

/** `urls` of a lease: null once their outcomes are known. */
type Out = Map<number, (string | null)[]>;

async function openCrawl(out: Out) {
  const log = await openEmbeddedLog(createMemoryStore(), clock);
  await log.createTopics(topicsOfCrawl(manifest.crawl, manifest.partitions));
  const codec = await openCodec(createMemoryRegistry(), manifest.crawl);
  const leases = {
    keys: () => out.keys(),
    get: (id: number) => {
      const urls = out.get(id);
      return urls && { entries: urls.map((url) => url && { url }) };
    },
  };
  const frontier = { committed: () => [undefined, { leases: () => leases } as unknown as Committed] };
  const dead = createDeadLeases({ log, codec, clock, manifest }, frontier);
  const grant = (leaseId: number, hostKey: string, urls: readonly string[]) => {
    const task = { ...blankTask, partition: 1, leaseId, hostKey, urls: urls.map((url) => ({ ...blankUrl, url })) };
    return log.append([{ topic: 'crawl.tasks', partition: 1, key: null, value: codec.encode('tasks', task) }]);
  };
  const results = async (): Promise<Result[]> => {
    const { end } = await log.offsets('crawl.results', 1);
    const found: Result[] = [];
    for await (const { value } of recordsOf(log, 'crawl.results', 1, 0, end))
      found.push(codec.decode('results', value));
    return found;
  };
  const die = (to: number) => dead.end({ fetcherId: '7', taken: new Map([[1, { from: 0, to }]]), diedAtMs: 1234 });
  return { grant, results, die };
}

const blankUrl = {
  url: '',
  depth: 0,
  hop: 0,
  attempt: 0,
  etag: '',
  lastModified: '',
  cash: 0,
  traceparent: '',
  payload: '',
  normal: '',
  tags: [],
  unsigned: false,
};

test('the open leases of a dead worker return, with its death as last contact; others stay', async () => {
  const out: Out = new Map();
  const { grant, results, die } = await openCrawl(out);
  // Far more than are looked at in one go, and nearly all of them over.
  for (let leaseId = 1; leaseId <= 1_800; leaseId++)
    await grant(leaseId, `h${leaseId}.test`, [`http://h${leaseId}.test/`]);
  for (const leaseId of [700, 1_790, 1_795]) out.set(leaseId, [`http://h${leaseId}.test/`]);
  assert.equal(await die(1_792), 2);
  const reported = await results();
  assert.deepEqual(
    reported.map(({ leaseId }) => leaseId).sort((a, b) => a - b),
    [700, 1_790],
  );
  for (const { hostKey, leaseId, last, completedAtMs, outcomes, fetcherId, partition } of reported)
    assert.deepEqual(
      { hostKey, last, completedAtMs, outcomes, fetcherId, partition },
      { hostKey: `h${leaseId}.test`, last: true, completedAtMs: 1234, outcomes: [], fetcherId: '7', partition: 1 },
    );
});

test('a lease at the same URL at a third death is left to its deadline, and one with progress is not', async () => {
  const out: Out = new Map();
  const { grant, die } = await openCrawl(out);
  for (let leaseId = 1; leaseId <= 3; leaseId++) {
    await grant(leaseId, 'a.test', ['http://a.test/poison']);
    out.clear();
    out.set(leaseId, ['http://a.test/poison']);
    assert.equal(await die(leaseId), leaseId <= 2 ? 1 : 0);
  }
  await grant(4, 'a.test', ['http://a.test/poison', 'http://a.test/next']);
  out.clear();
  out.set(4, [null, 'http://a.test/next']);
  assert.equal(await die(4), 1);
});
