/** What a fetcher publishes when its log fails: nothing more, whoever reports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankOutcome, blankPage, blankTask } from '../../../../schemas/blank.ts';
import { createLinkCache } from '../../../../services/fetcher/publish/link-cache.ts';
import { createPublisher } from '../../../../services/fetcher/publish/publisher.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import type { AppendRecord, Log } from '../../../../services/runtime/log/log.ts';
import { createFakeClock } from '../fake-clock.ts';

test('once an append failed no result is sent: what it tells of might not be in the log', async () => {
  const codec = await openCodec(createMemoryRegistry(), 'c');
  const clock = createFakeClock();
  const appends: (readonly AppendRecord[])[] = [];
  const broken = new Error('the log is gone');
  const append = async (records: readonly AppendRecord[]) => {
    appends.push(records);
    if (records.some(({ topic }) => topic === 'c.pages')) throw broken;
    return records.map((_, offset) => offset);
  };
  const failures: unknown[] = [];
  const topic = (name: string) => `c.${name}`;
  const publisher = createPublisher({
    log: { append } as unknown as Log,
    ...{ clock, codec, partitions: 1, keyMode: 'host', fetcherId: 'f', linkCache: createLinkCache(16) },
    topics: {
      ...{ pages: topic('pages'), discovered: topic('discovered'), results: topic('results') },
      ...{ responses: topic('responses'), render: topic('render'), robots: topic('robots') },
    },
    onFailure: (error) => failures.push(error),
  });
  const lease = publisher.open({ ...blankTask, hostKey: 'a.test' });
  const report = (index: number) => {
    const outcome = { ...blankOutcome, index, url: `http://a.test/${index}`, kind: 'fetched' as const };
    return lease.report({ outcome, requests: [], page: { ...blankPage, url: outcome.url }, groups: [], pending: [] });
  };
  void report(0);
  await clock.advance(10_000);
  assert.deepEqual(failures, [broken]);
  const before = appends.length;
  // A lease that has nothing unacked would send its last result by itself.
  void report(1);
  lease.finish();
  publisher.open({ ...blankTask, hostKey: 'b.test' }).finish();
  await clock.advance(60_000);
  assert.deepEqual(failures, [broken], 'said once');
  assert.equal(appends.length, before);
});
