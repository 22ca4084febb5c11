import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { readRobotsCopies } from '../../../services/audit/robots-copies.ts';
import { createMemoryRegistry } from '../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../services/runtime/store/memory-store.ts';
import { topicsOfCrawl } from '../../../topology/topics.ts';

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
  it('have one where the host answered with an empty file', async () => {
    const read = await copies({ origin: 'http://a.test', hash: emptyHash, body: '' });
    const copy = read.copyOf('http://a.test', emptyHash);
    assert.ok(copy !== undefined && copy.rules !== null && copy.rules !== 'damaged');
    assert.equal(read.copyOf('http://b.test', emptyHash), undefined);
  });

  it('share a file by its hash, whichever copy has its bytes', async () => {
    const told = shortHash(rulesText);
    const read = await copies(
      { origin: 'http://b.test', hash: told, body: '' },
      { origin: 'http://a.test', hash: told, body: rulesText },
    );
    assert.deepEqual(read.copyOf('http://b.test', told), read.copyOf('http://a.test', told));
    assert.ok(read.copyOf('http://b.test', told));
    const [copy] = await read.of('http://b.test');
    assert.equal(Buffer.from(copy!.body).toString(), rulesText);
    assert.equal(copy!.origin, 'http://b.test');
  });

  it('are damaged where the bytes are not those of the hash', async () => {
    const read = await copies({ origin: 'http://a.test', hash: shortHash('another'), body: rulesText });
    assert.equal(read.copyOf('http://a.test', shortHash('another'))?.rules, 'damaged');
  });
});
