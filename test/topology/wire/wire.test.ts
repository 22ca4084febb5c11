import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topicNames } from '../../../topology/topics.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { partitionOfRecord } from '../../../topology/wire/wire.ts';

const partitions = 16;

test('a key leads to the partition of its host, with and without a port, as a URL, an origin or a host key', () => {
  const expected = partitionOf('shop.example.org', partitions);
  for (const [topic, key] of [
    ['discovered', 'shop.example.org'],
    ['tasks', 'shop.example.org:8080'],
    ['responses', 'shop.example.org'],
    ['pages', 'https://shop.example.org/a b?c=d://e/f'],
    ['pages', 'http://shop.example.org:8080/'],
    ['robots', 'http://shop.example.org:8080 0f3a'],
    ['duplicates', 'shop.example.org:8080'],
  ] as const)
    assert.equal(partitionOfRecord(topic, key, partitions, 'host'), expected, `${topic} ${key}`);
  const six = partitionOf('[2001:db8::1]', partitions);
  assert.equal(partitionOfRecord('pages', 'http://[2001:db8::1]:8080/', partitions, 'host'), six);
});

test('in a crawl by domain, a key leads to the partition of its registrable domain', () => {
  const expected = partitionOf('example.org', partitions);
  assert.equal(partitionOfRecord('pages', 'https://shop.example.org:8443/', partitions, 'domain'), expected);
  assert.equal(partitionOfRecord('discovered', 'example.org', partitions, 'domain'), expected);
});

test('keys of control, dead letters and the changelog lead nowhere', () => {
  const nowhere = topicNames.filter((topic) => partitionOfRecord(topic, 'a.example', partitions, 'host') === null);
  assert.deepEqual(nowhere, ['control', 'dead-letters', 'frontier-changelog']);
});
