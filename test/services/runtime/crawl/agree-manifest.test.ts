import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCrawl } from '../../../../services/hosting/connect/new-crawl.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { agreeManifest } from '../../../../services/runtime/crawl/agree-manifest.ts';
import { controlEvent } from '../../../../services/runtime/crawl/control-log.ts';
import type { ManifestFacts } from '../../../../services/runtime/data-folder/manifest.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import type { Log } from '../../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { CrawlstreamError } from '../../../../topology/errors.ts';
import { topicsOfCrawl } from '../../../../topology/topics.ts';

const clock = new SystemClock();
const memory = await openEmbeddedLog(createMemoryStore(), clock);
const codec = await openCodec(createMemoryRegistry(), 'c');
const facts = newCrawl('c', 2);

const agree = (log: Log, defaults: ManifestFacts | null) =>
  agreeManifest({ log, codec, clock, wanted: { crawl: 'c' }, defaults, createdBy: 'test' });

/** A log on which `lands` happens after the first look at `control` and before the second. */
function betweenLooks(log: Log, lands: () => Promise<unknown>): Log {
  let looks = 0;
  return new Proxy(log, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      if (name !== 'partitionsOf') return typeof value === 'function' ? value.bind(target) : value;
      return async (topic: string) => {
        if (topic === 'c.control' && ++looks === 2) await lands();
        return target.partitionsOf(topic);
      };
    },
  });
}

test('a manifest that lands during a search for it is found, and is the only one', async () => {
  await memory.createTopics(topicsOfCrawl('c', 2));
  await assert.rejects(agree(memory, null), (error) => (error as CrawlstreamError).code === 'CRAWL_MISSING');
  let frontiers: Promise<unknown> | undefined;
  const injecting = agree(
    betweenLooks(memory, async () => {
      frontiers = agree(memory, facts);
      await frontiers;
    }),
    null,
  );
  const found = await injecting;
  assert.deepEqual(found, await frontiers);
  assert.deepEqual(await agree(memory, facts), found);
});

test('two concurrent creators of a crawl agree on the manifest that landed first', async () => {
  const log = await openEmbeddedLog(createMemoryStore(), clock);
  let other: unknown;
  const mine = await agree(
    betweenLooks(log, async () => {
      other = await agree(log, facts);
    }),
    facts,
  );
  assert.deepEqual(mine, other);
});

test('a new crawl has no _ in its name, since broker metrics confuse it with a dot; an existing one goes on', async () => {
  const log = await openEmbeddedLog(createMemoryStore(), clock);
  const named = newCrawl('my_news', 2);
  const asked = { log, codec, clock, wanted: { crawl: 'my_news' }, createdBy: 'test' };
  await assert.rejects(agreeManifest({ ...asked, defaults: named }), {
    code: 'INVALID_ARGUMENT',
    message: /a new crawl cannot be named my_news: .*use - instead$/,
  });
  const made = await agree(log, facts);
  const payload = JSON.stringify({ ...made, crawl: 'my_news' });
  await log.createTopics(topicsOfCrawl('my_news', 2));
  const value = codec.encode('control', controlEvent({ kind: 'manifest', atMs: clock.nowMs(), by: 'test', payload }));
  await log.append([{ topic: 'my_news.control', partition: 0, key: null, value }]);
  assert.equal((await agreeManifest({ ...asked, defaults: named })).crawl, 'my_news');
});

test('a crawl whose control was lost gets its manifest again from a folder of the same crawl', async () => {
  const made = await agree(await openEmbeddedLog(createMemoryStore(), clock), facts);
  const open = async () => {
    const log = await openEmbeddedLog(createMemoryStore(), clock);
    await log.createTopics(topicsOfCrawl('c', 2));
    await log.append([{ topic: 'c.frontier-changelog', partition: 1, key: null, value: Buffer.from('a commit') }]);
    return log;
  };
  const asked = { codec, clock, wanted: { crawl: 'c' }, defaults: newCrawl('c', 2), createdBy: 'test' };
  const notices: string[] = [];
  const log = await open();
  const kept = { kept: async () => made, onNotice: (text: string) => void notices.push(text) };
  assert.deepEqual(await agreeManifest({ ...asked, ...kept, log }), made);
  assert.match(notices.join(), /^c\.control was lost: its manifest is sent again from the data folder/);
  assert.equal((await log.offsets('c.control', 0)).end, 1);
  for (const other of [undefined, { ...made, crawl: 'd' }])
    await assert.rejects(agreeManifest({ ...asked, log: await open(), kept: async () => other }), {
      code: 'SCHEMA_UNKNOWN',
      message:
        /no readable manifest, but c\.frontier-changelog\/1 has records.*If c\.control was deleted, start a frontier/,
    });
  await assert.rejects(agree(await open(), null), { code: 'SCHEMA_UNKNOWN' });
});

test('a new crawl has a dot in its name only if it belongs to a fleet', async () => {
  const asked = { codec, clock, wanted: { crawl: 'f.c' }, defaults: newCrawl('f.c', 2), createdBy: 'test' };
  const log = await openEmbeddedLog(createMemoryStore(), clock);
  await assert.rejects(agreeManifest({ ...asked, log }), {
    code: 'INVALID_ARGUMENT',
    message: /a new crawl cannot be named f\.c: a dot marks crawls of a fleet/,
  });
  const manifest = await agreeManifest({ ...asked, log, isOfFleet: true, fingerprintKey: 'ab'.repeat(16) });
  assert.deepEqual([manifest.crawl, manifest.partitions, manifest.fingerprintKey], ['f.c', 2, 'ab'.repeat(16)]);
});
