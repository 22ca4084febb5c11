import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { readRobotsCopies } from '../../../../services/extras/audit/robots-copies.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { topicsOfCrawl } from '../../../../topology/topics.ts';
import { bytes, hashOf, robotsCopy, sourceOf } from './on-log.ts';

const shortHash = (body: string) => hash('sha256', body, 'hex').slice(0, 32);
const [rulesText, emptyHash] = ['User-agent: *\nDisallow: /', shortHash('')];

/** Copies of robots.txt as fetchers publish them. */
async function copies(...given: { readonly origin: string; readonly hash: string; readonly body: string }[]) {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics(topicsOfCrawl('crawl', 1));
  const codec = await openCodec(createMemoryRegistry(), 'crawl');
  const blank = { fetchedAtMs: 1_000, status: 200, token: 'crawlstream', crawlDelayMs: -1 };
  await log.append(
    given.map(({ body, ...copy }) => {
      const value = { ...blank, ...copy, url: `${copy.origin}/robots.txt`, body: Buffer.from(body) };
      return { topic: 'crawl.robots', partition: 0, key: null, value: codec.encode('robots', value) };
    }),
  );
  return readRobotsCopies({ log, codec, crawl: 'crawl', partitions: 1 }, () => {});
}

describe('copies of robots.txt on the topic', () => {
  it('copies of robots.txt on the topic include empty files', async () => {
    const read = await copies({ origin: 'http://a.test', hash: emptyHash, body: '' });
    const copy = read.copyOf('http://a.test', emptyHash);
    assert.ok(copy !== undefined && copy.rules !== null && copy.rules !== 'damaged');
    assert.equal(read.copyOf('http://b.test', emptyHash), undefined);
  });

  it('copies of robots.txt on the topic share a file by its hash, whichever copy has its bytes', async () => {
    const reported = shortHash(rulesText);
    const read = await copies(
      { origin: 'http://b.test', hash: reported, body: '' },
      { origin: 'http://a.test', hash: reported, body: rulesText },
    );
    assert.deepEqual(read.copyOf('http://b.test', reported), read.copyOf('http://a.test', reported));
    assert.ok(read.copyOf('http://b.test', reported));
    const [copy] = await read.of('http://b.test');
    assert.equal(Buffer.from(copy!.body).toString(), rulesText);
    assert.equal(copy!.origin, 'http://b.test');
  });

  it('copies of robots.txt on the topic are damaged if their bytes do not match the hash', async () => {
    const read = await copies({ origin: 'http://a.test', hash: shortHash('another'), body: rulesText });
    assert.equal(read.copyOf('http://a.test', shortHash('another'))?.rules, 'damaged');
  });

  it('copies of robots.txt on the topic are listed by origin, oldest first', async () => {
    const given = (origin: string, body: string, fetchedAtMs: number) => robotsCopy(0, origin, body, { fetchedAtMs });
    const source = await sourceOf([
      given('http://a.test', 'Disallow: /2', 2_000),
      given('http://a.test', 'Disallow: /1', 1_000),
      given('http://a.test.example', 'Disallow: /3', 500),
      robotsCopy(1, 'http://a.test', '', { fetchedAtMs: 3_000, status: 404 }),
      bytes('robots', 1, 'damaged'),
    ]);
    const seen: string[] = [];
    const read = await readRobotsCopies(source, ({ partition, offset }) => seen.push(`${partition}:${offset}`));
    assert.deepEqual(seen, ['0:0', '0:1', '0:2', '1:0', '1:1']);
    const reported = await read.of('http://a.test');
    assert.deepEqual(
      reported.map(({ fetchedAtMs }) => fetchedAtMs),
      [1_000, 2_000, 3_000],
    );
    assert.deepEqual(read.copyOf('http://a.test', ''), { rules: null });
    assert.equal(read.copyOf('http://c.test', ''), undefined);
  });

  it('copies of robots.txt on the topic are read for the given names, or for that of the copy', async () => {
    const text = 'User-agent: one\nDisallow: /1\n\nUser-agent: crawlstream\nDisallow: /2\n';
    const read = await readRobotsCopies(await sourceOf([robotsCopy(0, 'http://a.test', text)]), () => {});
    const lines = (tokens?: string) => {
      const rules = read.copyOf('http://a.test', hashOf(text), tokens)?.rules;
      return typeof rules === 'object' && rules !== null ? rules.rules.map(({ line }) => line) : rules;
    };
    assert.deepEqual([lines(), lines('one two'), lines('crawlstream')], [lines(''), ['Disallow: /1'], lines('')]);
    assert.deepEqual(lines(), ['Disallow: /2']);
  });

  it('copies of robots.txt on the topic that exceed the memory limit are read again when needed', async () => {
    // A byte beyond: what was kept first goes, a file that is not what its hash says, and a file of that byte.
    const damaged = robotsCopy(0, 'http://damaged.test', 'x', { hash: 'another' });
    const texts = ['#', ...Array.from({ length: 64 }, (_, n) => `# ${n}`.padEnd(10))];
    const source = await sourceOf([damaged, ...texts.map((text, n) => robotsCopy(0, `http://${n}.test`, text))]);
    const read = await readRobotsCopies(source, () => {}, 640);
    const has = (n: number) => read.copyOf(`http://${n}.test`, hashOf(texts[n]!)) !== undefined;
    assert.equal(read.copyOf('http://damaged.test', 'another'), undefined);
    assert.deepEqual([has(0), has(1), has(64)], [false, true, true]);
    await read.prepare([hashOf(texts[0]!), hashOf(texts[64]!), 'lost']);
    assert.deepEqual([has(0), has(1), has(2)], [true, false, true]);
  });

  it('copies of robots.txt on the topic that one result needs are available together, whatever their age', async () => {
    const texts = ['a', 'b', 'c'].map((text) => `# ${text}`);
    const source = await sourceOf(texts.map((text, n) => robotsCopy(0, `http://${n}.test`, text)));
    // Two of them may be kept; the oldest goes for one that is read again, and that one is needed as well.
    const read = await readRobotsCopies(source, () => {}, 6);
    const has = (n: number) => read.copyOf(`http://${n}.test`, hashOf(texts[n]!)) !== undefined;
    assert.deepEqual([has(0), has(1), has(2)], [false, true, true]);
    await read.prepare([1, 0].map((n) => hashOf(texts[n]!)));
    assert.deepEqual([has(0), has(1), has(2)], [true, true, false]);
    await read.prepare(texts.map(hashOf));
    assert.deepEqual(
      [has(0), has(1), has(2)],
      [true, true, true],
      'more than may be kept, for as long as it is needed',
    );
    await read.prepare([]);
    assert.equal([0, 1, 2].filter(has).length, 2);
  });

  it('copies of robots.txt on the topic that alone exceed the memory limit are kept one at a time', async () => {
    const texts = ['User-agent: *\nDisallow: /1', 'User-agent: *\nDisallow: /2'];
    const reported = texts.map(hashOf);
    const shared = robotsCopy(0, 'http://c.test', '', { hash: reported[0]! });
    const source = await sourceOf([...texts.map((text, n) => robotsCopy(0, `http://${n}.test`, text)), shared]);
    const read = await readRobotsCopies(source, () => {}, 1);
    for (const n of [0, 1, 0]) {
      await read.prepare([reported[n]!]);
      assert.equal(typeof read.copyOf(`http://${n}.test`, reported[n]!)?.rules, 'object', `${n}`);
      assert.equal(read.copyOf(`http://${1 - n}.test`, reported[1 - n]!), undefined, 'the other went');
    }
    assert.deepEqual(read.copyOf('http://c.test', reported[0]!), read.copyOf('http://0.test', reported[0]!));
  });

  it('copies of robots.txt on the topic are absent in the log of a release without it', async () => {
    const source = await sourceOf([]);
    const reader = (): never => {
      throw new Error('it has nothing to read');
    };
    const missing = (error: Error) => ({
      ...source,
      log: { ...source.log, reader, offsets: () => Promise.reject(error) },
    });
    const none = missing(new CrawlstreamError('INVALID_ARGUMENT', 'there is no such topic'));
    assert.deepEqual(await (await readRobotsCopies(none, () => {})).of('http://a.test'), []);
    for (const error of [new Error('gone'), new CrawlstreamError('STORE_CLOSED', 'gone')])
      await assert.rejects(
        readRobotsCopies(missing(error), () => {}),
        error,
      );
  });
});
