import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pageRecord } from '../../../lab/pages/page-record.ts';
import type { ConsumeOptions, Received } from '../../../services/consumer/consume-pages.ts';
import { consumePages } from '../../../services/consumer/consume-pages.ts';
import { openCodec } from '../../../services/runtime/avro/record-codec.ts';
import { createEmbeddedRegistry } from '../../../services/runtime/avro/schema-registry.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { readGroupDeadLetters } from '../../../services/runtime/consumer/group-folder.ts';
import { openDataFolder } from '../../../services/runtime/data-folder/data-folder.ts';
import { openEmbeddedLog } from '../../../services/runtime/log/embedded-log.ts';
import { openStateStore } from '../../../services/runtime/store/open-store.ts';
import type { CrawlstreamError } from '../../../topology/errors.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { until } from '../until.ts';

const clock = new SystemClock();

/** A data folder that a "crawl" in this process holds and appends to. */
async function liveCrawl() {
  const data = join(temporaryFolder(), 'data');
  const facts = {
    crawl: 'c',
    partitions: 1,
    keyMode: 'host',
    pslHash: '',
    seenKeyVersion: 1,
    fingerprintVersion: 1,
  } as const;
  const folder = await openDataFolder(data, {}, { defaults: facts, createdBy: '0', clock });
  const store = await openStateStore(folder.part('log'));
  const log = await openEmbeddedLog(store, clock);
  await log.createTopics([{ name: 'c.pages', partitions: 1, retention: 'time' }]);
  const codec = await openCodec(createEmbeddedRegistry(store), 'c');
  let isOpen = true;
  const end = async () => {
    if (!isOpen) return;
    isOpen = false;
    await log.close();
    await store.close();
  };
  after(end);
  const fetched = async (...names: string[]) => {
    const pages = names.map((name) => pageRecord({ url: `http://a.test/${name}`, title: name }));
    const records = pages.map((page) => ({ key: Buffer.from('a.test'), value: codec.encode('pages', page) }));
    await log.append(records.map((record) => ({ topic: 'c.pages', partition: 0, ...record })));
  };
  const takenBack = (name: string) =>
    log.append([{ topic: 'c.pages', partition: 0, key: Buffer.from(`http://a.test/${name}`), value: Buffer.alloc(0) }]);
  return { data, fetched, takenBack, end };
}

async function titles(data: string, options: Partial<ConsumeOptions<'pages'>> = {}): Promise<string[]> {
  const seen: string[] = [];
  const handle = (batch: readonly Received<'pages'>[]) => void seen.push(...batch.map(({ value }) => value.title));
  const consumer = await consumePages({
    data,
    group: 'titles',
    untilEnd: true,
    handle,
    ...options,
  } as ConsumeOptions<'pages'>);
  await consumer.ended;
  return seen;
}

describe('consumePages on a data folder', () => {
  it('consumePages reads pages as a running crawl fetches them', async () => {
    const { data, fetched } = await liveCrawl();
    await fetched('a');
    const seen: string[] = [];
    const handle = (batch: readonly Received<'pages'>[]) => void seen.push(...batch.map(({ value }) => value.title));
    const consumer = await consumePages({ data, group: 'live', batchMs: 1, handle });
    await fetched('b');
    while (seen.length < 2) await clock.sleepUntil(clock.nowMs() + 20);
    assert.equal(await consumer.lag(), 0);
    await consumer.stop();
    assert.deepEqual(seen, ['a', 'b']);
  });

  it('consumePages continues where its group left off, also after the crawl’s end; another group reads everything', async () => {
    const { data, fetched, end } = await liveCrawl();
    await fetched('a', 'b');
    assert.deepEqual(await titles(data), ['a', 'b']);
    await fetched('c');
    await end();
    assert.deepEqual(await titles(data), ['c']);
    assert.deepEqual(await titles(data), []);
    assert.deepEqual(await titles(data, { from: 'start' }), ['a', 'b', 'c']);
    assert.deepEqual(await titles(data, { group: 'others' } as never), ['a', 'b', 'c']);
  });

  it('consumePages keeps pages that its handler rejects as its own dead letters', async () => {
    const { data, fetched } = await liveCrawl();
    await fetched('a', 'bad', 'c');
    const seen: string[] = [];
    const handle = (batch: readonly Received<'pages'>[]) => {
      if (batch.some(({ value }) => value.title === 'bad')) throw new Error('no');
      seen.push(...batch.map(({ value }) => value.title));
    };
    await titles(data, { handle, retriesMs: [] });
    assert.deepEqual(seen, ['a', 'c']);
    const deadLetters = await readGroupDeadLetters(join(data, 'consumers', 'titles'));
    assert.deepEqual(
      deadLetters.map(({ reason, url, sourceOffset }) => [reason, url, sourceOffset]),
      [['consumerFailed', 'http://a.test/bad', 1]],
    );
  });

  it('consumePages keeps dead letters of earlier runs beside those of this one', async () => {
    const { data, fetched } = await liveCrawl();
    const handle = () => {
      throw new Error('no');
    };
    for (const name of ['a', 'b']) {
      await fetched(name);
      await titles(data, { handle, retriesMs: [] });
    }
    const deadLetters = await readGroupDeadLetters(join(data, 'consumers', 'titles'));
    assert.deepEqual(
      deadLetters.map(({ url }) => url),
      ['http://a.test/a', 'http://a.test/b'],
    );
  });

  it('consumePages waits for its handler’s promise before it counts a page as handled', async () => {
    const { data, fetched } = await liveCrawl();
    await fetched('a');
    const handle = async () => {
      await clock.sleepUntil(clock.nowMs() + 5);
      throw new Error('no');
    };
    await titles(data, { handle, retriesMs: [] });
    assert.equal((await readGroupDeadLetters(join(data, 'consumers', 'titles'))).length, 1);
  });

  it('consumePages forgets the other URLs if one cannot be forgotten, stops, and begins with that one next time', async () => {
    const { data, fetched, takenBack } = await liveCrawl();
    await fetched('a');
    for (const name of ['x', 'y', 'z']) await takenBack(name);
    const handled: string[] = [];
    const forgotten = new Set<string>();
    let isAway = true;
    const options: Partial<ConsumeOptions<'pages'>> = {
      retriesMs: [],
      handle: (batch) => void handled.push(...batch.map(({ value }) => value.title)),
      forget(urls) {
        if (isAway && urls.includes('http://a.test/y')) throw new Error('the database is away');
        for (const url of urls) forgotten.add(url);
      },
    };
    await assert.rejects(titles(data, options), (error: CrawlstreamError) => {
      assert.equal(error.code, 'FORGET_FAILED');
      assert.match(error.message, /http:\/\/a\.test\/y could not be forgotten: the database is away/);
      return true;
    });
    assert.ok(handled.includes('a'));
    assert.deepEqual([...forgotten].sort(), ['http://a.test/x', 'http://a.test/z']);
    assert.deepEqual(await readGroupDeadLetters(join(data, 'consumers', 'titles')), []);
    isAway = false;
    await titles(data, options);
    assert.ok(forgotten.has('http://a.test/y'));
  });

  it('consumePages keeps a page as a dead letter whatever its handler throws or does to its batch', async () => {
    for (const thrown of [undefined, null, 'away', Object.create(null)]) {
      const { data, fetched } = await liveCrawl();
      await fetched('a', 'b');
      await titles(data, {
        retriesMs: [0],
        handle(batch) {
          (batch as unknown[]).length = 0;
          throw thrown;
        },
      });
      const deadLetters = await readGroupDeadLetters(join(data, 'consumers', 'titles'));
      assert.deepEqual(
        deadLetters.map(({ url }) => url),
        ['http://a.test/a', 'http://a.test/b'],
      );
    }
  });

  it('consumePages refuses unknown options and invalid values by name', async () => {
    const { data } = await liveCrawl();
    const wrong: readonly [string, unknown][] = [
      ['handle', undefined],
      ['handle', 'print'],
      ['group', undefined],
      ['data', undefined],
      ['data', 7],
      ['brokers', 'localhost:9092'],
      ['forget', true],
      ['from', new Date(Number.NaN)],
      ['from', '2026-01-01'],
      ['untilEnd', 'yes'],
      ['batchRecords', 0],
      ['batchRecords', 1.5],
      ['batchRecords', Number.NaN],
      ['batchMs', -1],
      ['batchMs', Number.NaN],
      ['retriesMs', 5],
      ['retriesMs', [-1]],
      ['retriesMs', [Number.POSITIVE_INFINITY]],
      ['whenFailed', 'skip'],
      ['signal', {}],
      ['batchSize', 10],
    ];
    for (const [name, value] of wrong) {
      const options = { data, group: 'g', handle: () => {}, untilEnd: true, [name]: value };
      await assert.rejects(
        () => consumePages(options as never),
        (error: CrawlstreamError) => error.code === 'INVALID_ARGUMENT' && error.message.includes(name),
        `${name}: ${String(value)}`,
      );
    }
  });

  it('consumePages passes withdrawals on, and stops if that fails', async () => {
    const { data, fetched, takenBack } = await liveCrawl();
    await fetched('a');
    await takenBack('a');
    const failing = { forget: () => Promise.reject(new Error('the disk is full')), retriesMs: [] };
    await assert.rejects(titles(data, failing), /the disk is full/);
    const reported: string[] = [];
    await titles(data, { forget: (urls) => void reported.push(...urls) });
    assert.deepEqual(reported, ['http://a.test/a']);
  });

  it('consumePages stops when its signal aborts, also if it is aborted from the start', async () => {
    const { data } = await liveCrawl();
    for (const when of ['before', 'after'] as const) {
      const aborting = new AbortController();
      if (when === 'before') aborting.abort();
      const consumer = await consumePages({ data, group: 'titles', signal: aborting.signal, handle: () => {} });
      aborting.abort();
      let hasEnded = false;
      void consumer.ended.then(() => {
        hasEnded = true;
      });
      await until(() => hasEnded).finally(() => consumer.stop());
    }
  });

  it('consumePages refuses a second process of its group, a bad name and a folder without a crawl, each in one line', async () => {
    const { data, fetched } = await liveCrawl();
    await fetched('a');
    const first = await consumePages({ data, group: 'titles', handle: () => {} });
    await assert.rejects(titles(data), { code: 'DATA_FOLDER_LOCKED' });
    await first.stop();
    await assert.rejects(titles(data, { group: 'a/b' } as never), /group "a\/b": use at most 100 letters/);
    await assert.rejects(titles(join(data, 'nowhere')), /does not exist/);
  });
});

it('the template in the README is under 40 lines', async () => {
  const readme = await readFile(fileURLToPath(new URL('../../../README.md', import.meta.url)), 'utf8');
  const template = /```ts\n(import \{ consumePages \}[\s\S]*?)```/.exec(readme)?.[1] ?? assert.fail('no template');
  assert.ok(template.split('\n').length < 40);
});
