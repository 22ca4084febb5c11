import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankHostFacts, blankOutcome, blankRequest, blankRobotsHop, blankTask } from '../../../../schemas/blank.ts';
import { leaseRequestRecord, resultRecord } from '../../../../services/fetcher/publish/result-record.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { partitionOf } from '../../../../topology/url/partition.ts';

const codec = await openCodec(createMemoryRegistry(), 't');
const options = {
  ...({ codec, topics: { results: 't.results' }, partitions: 64, keyMode: 'domain', fetcherId: 'f' } as const),
  names: (hostKey: string) => ({ userAgent: `to ${hostKey}`, robotsTokens: 'bot' }),
};
const task = {
  ...blankTask,
  ...{ partition: 5, epoch: 2, leaseId: 9, hostKey: 'www.example.com', grantedAtMs: 11, policyVersion: 3, lanes: 4 },
};

test('a result is published on the partition that granted its lease, whatever its host’s partition would be', () => {
  const [outcomes, requests] = [[{ ...blankOutcome, index: 1 }], [{ ...blankRequest, url: 'http://a.test/' }]];
  for (const last of [false, true]) {
    const record = resultRecord({ task, facts: blankHostFacts, completedAtMs: 77, outcomes, requests }, last, options);
    assert.deepEqual([record.topic, record.partition, `${record.key}`], ['t.results', 5, 'example.com']);
    const result = codec.decode('results', record.value!);
    const { partition, epoch, leaseId, hostKey, grantedAtMs, policyVersion, lanes } = result;
    assert.deepEqual(
      [partition, epoch, leaseId, hostKey, grantedAtMs, policyVersion, lanes],
      [5, 2, 9, 'www.example.com', 11, 3, 4],
    );
    const { fetcherId, completedAtMs, userAgent, robotsTokens } = result;
    assert.deepEqual(
      [result.last, fetcherId, completedAtMs, userAgent, robotsTokens],
      [last, 'f', 77, 'to www.example.com', 'bot'],
    );
    assert.deepEqual(
      [result.outcomes.map(({ index }) => index), result.requests.map(({ url }) => url)],
      [[1], ['http://a.test/']],
    );
  }
});

test('the request for another host’s lease goes to that host’s partition and ends nothing', () => {
  const hop = { ...blankRobotsHop, url: 'http://www.other.org/robots.txt', partition: 5 };
  const record = leaseRequestRecord('www.other.org', hop, options);
  const partition = partitionOf('other.org', 64);
  assert.deepEqual([record.topic, record.partition, `${record.key}`], ['t.results', partition, 'other.org']);
  const { last, leaseId, hostKey, robotsHops, outcomes } = codec.decode('results', record.value!);
  assert.deepEqual([last, leaseId, hostKey, outcomes.length], [false, 0, 'www.other.org', 0]);
  assert.deepEqual(
    robotsHops.map(({ url, partition }) => [url, partition]),
    [[hop.url, 5]],
  );
});
