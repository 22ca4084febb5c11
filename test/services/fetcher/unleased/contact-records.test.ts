import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankRequest, blankRobotsCopy } from '../../../../schemas/blank.ts';
import { createContactRecords } from '../../../../services/fetcher/unleased/contact-records.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { partitionOf } from '../../../../topology/url/partition.ts';

const codec = await openCodec(createMemoryRegistry(), 't');
const partitions = 64;
const requested = (url: string, endMs: number) => ({ ...blankRequest, url, startMs: endMs - 1, endMs });

test('contact records are keyed by host and hold its latest end, its names and its frontier’s partition', () => {
  const names = (hostKey: string) => ({ userAgent: `to ${hostKey}` });
  const made = { crawl: 'c', partitions, keyMode: 'host' } as const;
  const records = createContactRecords(codec, made, 'f1', names);
  for (const one of [
    requested('http://a.test/1', 30),
    requested('http://b.test:8080/', 10),
    requested('http://a.test/2', 20),
  ])
    records.requested(one);
  const taken = records.take();
  const results = taken.map(({ value }) => codec.decode('results', value!));
  assert.deepEqual(
    taken.map(({ topic, key, partition }) => [topic, `${key}`, partition]),
    ['a.test', 'b.test'].map((key) => ['c.results', key, partitionOf(key, partitions)]),
  );
  assert.deepEqual(
    results.map(({ hostKey, fetcherId, completedAtMs, userAgent, requests, partition, leaseId, outcomes }) => [
      ...[hostKey, fetcherId, completedAtMs, userAgent, requests.map(({ url }) => url)],
      ...[partition, leaseId, outcomes.length],
    ]),
    [
      [
        'a.test',
        'f1',
        30,
        'to a.test',
        ['http://a.test/1', 'http://a.test/2'],
        partitionOf('a.test', partitions),
        0,
        0,
      ],
      ['b.test:8080', 'f1', 10, 'to b.test:8080', ['http://b.test:8080/'], partitionOf('b.test', partitions), 0, 0],
    ],
  );
  assert.deepEqual(records.take(), [], 'each is taken once');
});

test('contact records are keyed by registrable domain if the politeness key is the domain', () => {
  const records = createContactRecords(codec, { crawl: 'c', partitions, keyMode: 'domain' }, 'f1');
  records.requested(requested('http://www.example.com/', 1));
  records.readRobots({ ...blankRobotsCopy, origin: 'http://www.example.com', hash: 'h' });
  const [robots, result] = records.take();
  const place = partitionOf('example.com', partitions);
  assert.deepEqual([robots!.partition, result!.partition, `${result!.key}`], [place, place, 'example.com']);
  assert.equal(codec.decode('results', result!.value!).userAgent, '');
});

test('copies of robots.txt are published first, by origin and hash, with only their own bytes', () => {
  const records = createContactRecords(codec, { crawl: 'c', partitions, keyMode: 'host' }, 'f1');
  const large = Buffer.from('beforeUser-agent: *after');
  const body = large.subarray(6, 19);
  records.requested(requested('http://a.test/1', 30));
  records.readRobots({ ...blankRobotsCopy, origin: 'http://a.test', hash: 'abc', body });
  const [robots, result] = records.take();
  assert.deepEqual([robots!.topic, `${robots!.key}`, result!.topic], ['c.robots', 'http://a.test abc', 'c.results']);
  assert.equal(`${codec.decode('robots', robots!.value!).body}`, 'User-agent: *');
});
