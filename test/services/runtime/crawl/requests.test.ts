/** Requests of users as records: which partition each belongs to, and what stands in it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankDeadLetter } from '../../../../schemas/blank.ts';
import type { Control, DeadLetter, Discovered } from '../../../../schemas/types.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { replayRequest } from '../../../../services/runtime/crawl/replay-dead-letter.ts';
import {
  encodeRequest,
  forcedRequest,
  policyRecords,
  policyRequest,
  samePolicy,
  seedRecords,
  seedRequest,
} from '../../../../services/runtime/crawl/requests.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { hostKeyOf, partitionKeyOf } from '../../../../topology/url/host-key.ts';
import { partitionOf } from '../../../../topology/url/partition.ts';

const topics = { crawl: 'c', partitions: 8, keyMode: 'host' } as const;
const placeOf = (url: string) => partitionOf(hostKeyOf(url), topics.partitions);

test('a policy goes to each partition, and the sitemaps that it names to the partitions of their hosts', () => {
  const sitemaps = { everyMs: 60_000, rules: [{ urls: ['https://a.test/s.xml', 'http://b.test/s.xml', '/each.xml'] }] };
  const policy = { ...defaultPolicy(), version: 7, sitemaps };
  const records = policyRequest(topics, policy, 'ada', 5);
  const events = records.map(({ partition, key, record }) => ({ partition, key, event: record as Control }));
  const policies = events.filter(({ event }) => event.kind === 'policy');
  assert.deepEqual(
    policies.map(({ partition }) => partition),
    [0, 1, 2, 3, 4, 5, 6, 7],
  );
  for (const { key, event } of policies) {
    assert.deepEqual([key, event.atMs, event.by, event.version], [null, 5, 'ada', 7]);
    assert.deepEqual(JSON.parse(event.payload), JSON.parse(JSON.stringify(policy)));
  }
  const hosts = events.filter(({ event }) => event.kind === 'readSitemaps');
  assert.deepEqual(
    hosts.map(({ partition, event }) => ({ partition, hostKey: event.hostKey, isSecure: event.amount })),
    [
      { partition: placeOf('https://a.test/'), hostKey: 'a.test', isSecure: 1 },
      { partition: placeOf('http://b.test/'), hostKey: 'b.test', isSecure: 0 },
    ],
  );
  assert.equal(events.length, 10);
  const { sitemaps: _, ...without } = policy;
  assert.equal(policyRequest(topics, without, 'ada', 5).length, 8);
});

test('URLs that an operator wants share a message by host, depth and tags, and are marked as forced', () => {
  const url = (host: string, n: number) => `https://${host}.test/${n}`;
  const one = (host: string, n: number, depth = 0, tags: readonly string[] = []) => ({
    url: url(host, n),
    depth,
    tags,
  });
  const wanted = [one('a', 1), one('b', 1), one('a', 2), one('a', 3, 2), one('a', 4, 0, ['x']), one('a', 5)];
  const records = forcedRequest(topics, wanted, true, 5);
  assert.deepEqual(
    records.map(({ partition, key, record }) => {
      const [group] = (record as Discovered).groups;
      const { hostKey, depth, tags, front, intent, discoveredAtMs, links } = group!;
      assert.deepEqual([front, intent, discoveredAtMs, key], [true, 'force', 5, hostKey]);
      assert.equal(partition, placeOf(`https://${hostKey}/`));
      return [hostKey, depth, tags, links.map((link) => link.url)];
    }),
    [
      ['a.test', 0, [], [url('a', 1), url('a', 2), url('a', 5)]],
      ['b.test', 0, [], [url('b', 1)]],
      ['a.test', 2, [], [url('a', 3)]],
      ['a.test', 0, ['x'], [url('a', 4)]],
    ],
  );
  const [later] = forcedRequest(topics, [{ ...one('a', 1), spelling: 'https://a.test/1?' }], false, 5);
  const [group] = (later!.record as Discovered).groups;
  assert.equal(group!.front, false);
  assert.deepEqual(group!.links, [
    { url: url('a', 1), lastModifiedMs: 0, priority: -1, spelling: 'https://a.test/1?' },
  ]);
});

test('more than 200 URLs of an operator are several messages, of all of them in order', () => {
  const wanted = Array.from({ length: 401 }, (_, n) => ({ url: `https://a.test/${n}`, depth: 0, tags: [] }));
  const lists = forcedRequest(topics, wanted, false, 5).map(({ record }) =>
    (record as Discovered).groups[0]!.links.map(({ url }) => url),
  );
  assert.deepEqual(
    lists.map(({ length }) => length),
    [200, 200, 1],
  );
  assert.deepEqual(
    lists.flat(),
    wanted.map(({ url }) => url),
  );
});

test('seeds of a host share a group while their depth and tags are the same', () => {
  const seed = (n: number, more = {}) => ({ url: `https://a.test/${n}`, priority: n, ...more });
  const [record, ...rest] = seedRequest(
    topics,
    [seed(1), seed(2, { depth: 0, tags: [] }), seed(3, { depth: 1 }), seed(4, { depth: 1, tags: ['x'] }), seed(5)],
    5,
  );
  assert.deepEqual(rest, []);
  const { groups } = record!.record as Discovered;
  assert.deepEqual(
    groups.map(({ depth, tags, links }) => [depth, tags, links.map(({ priority }) => priority)]),
    [
      [0, [], [1, 2]],
      [1, [], [3]],
      [1, ['x'], [4]],
      [0, [], [5]],
    ],
  );
  assert.deepEqual(groups[0]!.links[0], { url: 'https://a.test/1', lastModifiedMs: 0, priority: 1, spelling: '' });
});

test('requests are encoded for the topic that they name, with the key of their host', async () => {
  const codec = await openCodec(createMemoryRegistry(), 'c');
  const [policy] = policyRecords(codec, topics, { ...defaultPolicy(), version: 3 }, 'ada', 5);
  assert.deepEqual([policy!.topic, policy!.partition, policy!.key], ['c.control', 0, null]);
  assert.equal(codec.decode('control', policy!.value as Buffer).version, 3);
  const seeds = seedRecords(codec, topics, ['https://a.test/', { url: 'https://a.test/b', priority: 4 }], 5);
  assert.deepEqual(
    seeds.map(({ topic, key }) => [topic, `${key}`]),
    [['c.discovered', 'a.test']],
  );
  const links = codec.decode('discovered', seeds[0]!.value as Buffer).groups[0]!.links;
  assert.deepEqual(
    links.map(({ priority }) => priority),
    [-1, 4],
  );
  const place = { sourceTopic: 'c.results', sourcePartition: 2, sourceOffset: 7, hostKey: 'a.test' };
  const deadLetter: DeadLetter = { ...blankDeadLetter, ...place, original: Buffer.from([1, 2, 255]) };
  const [again, mark] = encodeRequest(codec, 'c', replayRequest(topics, { id: '0/7', deadLetter }, 9));
  assert.deepEqual([again!.topic, again!.partition, `${again!.key}`], ['c.results', 2, 'a.test']);
  assert.deepEqual(again!.value, Buffer.from([1, 2, 255]));
  const marked = codec.decode('dead-letters', mark!.value as Buffer);
  assert.deepEqual([marked.reason, marked.detail, marked.original.length], ['replayed', '0/7', 0]);
});

test('two policies are the same whatever their versions, the order of their fields, and fields without a value', () => {
  const one = { ...defaultPolicy(), version: 1 };
  const reversed = Object.fromEntries(Object.entries(one).reverse()) as typeof one;
  assert.ok(samePolicy(one, { ...reversed, version: 9 }));
  assert.ok(samePolicy(one, { ...one, sitemaps: undefined } as unknown as typeof one));
  assert.ok(!samePolicy(one, { ...one, sitemaps: { everyMs: 60_000, rules: [{ urls: ['/s.xml'] }] } }));
});

test('the URLs of a domain go to one partition where domains are kept together', () => {
  const kept = { ...topics, keyMode: 'domain' as const };
  const urls = Array.from({ length: 9 }, (_, n) => `https://h${n}.a.test/`);
  const places = [
    ...seedRequest(
      kept,
      urls.map((url) => ({ url, priority: 0 })),
      5,
    ),
    ...forcedRequest(
      kept,
      urls.map((url) => ({ url, depth: 0, tags: [] })),
      false,
      5,
    ),
  ];
  const domain = partitionKeyOf(hostKeyOf(urls[0]!), 'domain');
  for (const { partition, key } of places) assert.deepEqual([partition, key], [partitionOf(domain, 8), domain]);
});
