import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Discovered } from '../../../../schemas/types.ts';
import { seedRequest } from '../../../../services/runtime/crawl/requests.ts';
import { hostKeyOf, partitionKeyOf } from '../../../../topology/url/host-key.ts';
import { partitionOf } from '../../../../topology/url/partition.ts';

test('many seeds share messages of at most 200 links, each on its partition and in order', () => {
  const topics = { crawl: 'c', partitions: 4, keyMode: 'domain' } as const;
  const seeds = Array.from({ length: 3_000 }, (_, n) => ({
    url: `https://h${n % 7}.d${n % 5}.test/${n}`,
    priority: n % 2 === 0 ? -1 : 3,
  }));
  const placeOf = (url: string) => partitionOf(partitionKeyOf(hostKeyOf(url), 'domain'), 4);
  const records = seedRequest(topics, seeds, 5);
  const reported = [[], [], [], []] as { url: string; priority: number }[][];
  for (const { partition, key, record } of records) {
    const { groups } = record as Discovered;
    const links = groups.flatMap((group) => group.links);
    assert.ok(links.length <= 200);
    assert.equal(partitionOf(key!, 4), partition);
    for (const { hostKey, depth, discoveredAtMs, links: own } of groups) {
      assert.deepEqual([depth, discoveredAtMs], [0, 5]);
      for (const { url } of own) assert.equal(hostKeyOf(url), hostKey);
    }
    reported[partition]!.push(...links.map(({ url, priority }) => ({ url, priority })));
  }
  assert.ok(records.length < 25, `${records.length} messages`);
  const wanted = [0, 1, 2, 3].map((partition) => seeds.filter(({ url }) => placeOf(url) === partition));
  assert.deepEqual(reported, wanted);
});
