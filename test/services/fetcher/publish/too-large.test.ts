import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankOutcome, blankPage, blankTask } from '../../../../schemas/blank.ts';
import type { Result } from '../../../../schemas/types.ts';
import { createLinkCache } from '../../../../services/fetcher/publish/link-cache.ts';
import { createPublisher } from '../../../../services/fetcher/publish/publisher.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import type { AppendRecord } from '../../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { topicsOfCrawl } from '../../../../topology/topics.ts';

test('a page that is too large for the log is an outcome with its reason, and other pages are published', async () => {
  const clock = new SystemClock();
  const log = await openEmbeddedLog(createMemoryStore(), clock);
  await log.createTopics(topicsOfCrawl('c', 1));
  const codec = await openCodec(createMemoryRegistry(), 'c');
  const of = (name: string) => `c.${name}`;
  const topics = {
    pages: of('pages'),
    discovered: of('discovered'),
    results: of('results'),
    responses: of('responses'),
    render: of('render'),
    robots: of('robots'),
  };
  const appended: AppendRecord[] = [];
  const failures: unknown[] = [];
  const publisher = createPublisher({
    log: {
      ...log,
      append: async (records, options) => {
        const offsets = await log.append(records, options);
        appended.push(...records);
        return offsets;
      },
    },
    clock,
    topics,
    linkCache: createLinkCache(16),
    onFailure: (error) => failures.push(error),
    codec,
    partitions: 1,
    keyMode: 'host',
    fetcherId: 'f',
  });
  const lease = publisher.open({ ...blankTask, hostKey: 'a.test' });
  const texts = ['small', 'x'.repeat(17 * 1024 * 1024)];
  texts.forEach((text, index) => {
    const outcome = { ...blankOutcome, index, url: `http://a.test/${index}`, kind: 'fetched' as const };
    const page = { ...blankPage, url: outcome.url, hostKey: 'a.test', text };
    lease.report({ outcome, requests: [], page, groups: [], pending: [] });
  });
  lease.finish();
  await publisher.drain();
  assert.deepEqual(failures, []);
  assert.equal(appended.filter(({ topic }) => topic === topics.pages).length, 1);
  const results = appended.filter(({ topic }) => topic === topics.results);
  const outcomes = results.flatMap(({ value }) => (codec.decode('results', value) as Result).outcomes);
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['fetched', 'tooLarge'],
  );
  assert.match(outcomes[1]!.detail, /at most 16777216 are allowed/);
  await log.close();
});
