/** Which records a page and its links are, for which partitions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankLink, blankLinkGroup, blankPage } from '../../../../schemas/blank.ts';
import type { LinkGroup } from '../../../../schemas/types.ts';
import { pageRecords } from '../../../../services/fetcher/unleased/page-records.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { partitionOf } from '../../../../topology/url/partition.ts';

const codec = await openCodec(createMemoryRegistry(), 'c');
const group = (hostKey: string): LinkGroup => ({
  ...{ ...blankLinkGroup, hostKey },
  links: [{ ...blankLink, url: `http://${hostKey}/1` }],
});
const page = { ...blankPage, url: 'http://www.a.test/x' };
const options = { crawl: 'c', partitions: 64, keyMode: 'host' } as const;

function reported(...args: Parameters<typeof pageRecords>) {
  return pageRecords(...args).map(({ topic, partition, key, value }) => {
    const bytes = value as Buffer;
    if (topic === 'c.discovered')
      return [topic, partition, String(key), codec.decode('discovered', bytes).groups.map(({ hostKey }) => hostKey)];
    return [topic, partition, String(key), bytes.length === 0 ? null : codec.decode('pages', bytes).url];
  });
}

test('a page is published to the partition of its host, after its links, which go to the partitions of their hosts', () => {
  const groups = [group('b.test'), group('c.test'), group('b.test')];
  const [b, c] = [partitionOf('b.test', 64), partitionOf('c.test', 64)];
  assert.notEqual(b, c);
  assert.deepEqual(reported({ page, groups }, codec, options), [
    ['c.discovered', b, 'b.test', ['b.test', 'b.test']],
    ['c.discovered', c, 'c.test', ['c.test']],
    ['c.pages', partitionOf('www.a.test', 64), page.url, page.url],
  ]);
});

test('a page is published to the partition of its domain if the crawl is keyed by domain', () => {
  const [record] = reported({ page, groups: [] }, codec, { ...options, keyMode: 'domain' });
  assert.equal(record![1], partitionOf('a.test', 64));
  assert.notEqual(record![1], partitionOf('www.a.test', 64));
});

test('a withdrawn page becomes a tombstone, and a missing page no record', () => {
  const outcome = { url: page.url };
  assert.deepEqual(reported({ page: null, groups: [], outcome, withdrawn: true }, codec, options), [
    ['c.pages', partitionOf('www.a.test', 64), page.url, null],
  ]);
  assert.deepEqual(reported({ page: null, groups: [], outcome }, codec, options), []);
  assert.deepEqual(reported({ page: null, groups: [], withdrawn: true }, codec, options), []);
});
