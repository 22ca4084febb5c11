/** Every record of a topic, partition by partition, for exports and tables. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankPage } from '../../../../schemas/blank.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { pageRecords, type Source, topicRecords } from '../../../../services/runtime/table/topic-records.ts';

const page = (url: string) => ({ ...blankPage, url });

/** Two partitions of `pages`; a text is a page of this URL, null a tombstone, and bytes are as they are. */
async function source(
  more: Pick<Source, 'onRecord'>,
  ...records: readonly (readonly [number, string | null | Buffer])[]
) {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  const codec = await openCodec(createMemoryRegistry(), 'c');
  await log.createTopics([{ name: 'c.pages', partitions: 2, retention: 'time' }]);
  for (const [partition, one] of records) {
    const value = typeof one === 'string' ? codec.encode('pages', page(one)) : (one ?? Buffer.alloc(0));
    await log.append([{ topic: 'c.pages', partition, key: Buffer.from('http://a.test/'), value }]);
  }
  return { log, codec, crawl: 'c', partitions: 2, purges: {} as Source['purges'], ...more };
}

async function collected<T>(of: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of of) found.push(one);
  return found;
}

test('pages come partition by partition in their order, with tombstones, and unreadable ones are counted', async () => {
  const records = [
    [1, 'http://b.test/'],
    [0, 'http://a.test/'],
    [0, Buffer.from('no record')],
    [0, null],
    [1, 'http://c.test/'],
  ] as const;
  let [looks, unreadable] = [0, 0];
  const from = await source({ onRecord: () => (looks += 1) }, ...records);
  const count = () => (unreadable += 1);
  const pages = await collected(pageRecords(from, count));
  assert.deepEqual(
    pages.map(({ url, page: found }) => [url, found?.url ?? null]),
    [
      ['http://a.test/', 'http://a.test/'],
      ['http://a.test/', null],
      ['http://b.test/', 'http://b.test/'],
      ['http://c.test/', 'http://c.test/'],
    ],
  );
  assert.deepEqual([looks, unreadable], [5, 1]);
  const decoded = await collected(topicRecords(from, 'pages', count));
  assert.deepEqual(
    decoded.map(({ url }) => url),
    ['http://a.test/', 'http://b.test/', 'http://c.test/'],
  );
  assert.equal(unreadable, 2);
  await from.log.close();
});

test('a tombstone without a key is passed over, and records that come later are not read', async () => {
  const from = await source({}, [0, 'http://a.test/']);
  await from.log.append([{ topic: 'c.pages', partition: 0, key: null, value: Buffer.alloc(0) }]);
  const reading = pageRecords(from, assert.fail);
  const first = await reading.next();
  await from.log.append([
    { topic: 'c.pages', partition: 0, key: null, value: from.codec.encode('pages', page('http://late.test/')) },
  ]);
  assert.equal(first.value?.url, 'http://a.test/');
  assert.deepEqual(await reading.next(), { value: undefined, done: true });
  await from.log.close();
});

test('what is thrown before a record ends the reading', async () => {
  const stop = () => {
    throw new Error('enough');
  };
  const from = await source({ onRecord: stop }, [0, 'http://a.test/']);
  await assert.rejects(collected(pageRecords(from, assert.fail)), /enough/);
  await from.log.close();
});
