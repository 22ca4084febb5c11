/** The history of a URL from records that a test puts on each topic: which of them are read, and in which order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankLink, blankLinkGroup, blankOutcome, blankPage, blankResult } from '../../../../schemas/blank.ts';
import type { LinkGroup, TopicRecords } from '../../../../schemas/types.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { policyRecords } from '../../../../services/runtime/crawl/requests.ts';
import { traceUrl } from '../../../../services/runtime/crawl/trace-url.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { readTimeline } from '../../../../services/runtime/timeline/read-timeline.ts';
import { encodeClaim, encodeCommit, type InputPosition } from '../../../../topology/frontier/changes/changelog.ts';
import type { Change } from '../../../../topology/frontier/changes/changes.ts';
import { writeChange } from '../../../../topology/frontier/changes/codec.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';
import { ByteWriter } from '../../../../topology/frontier/storage/bytes.ts';
import { compilePolicy, defaultPolicy } from '../../../../topology/policy/policy.ts';
import { type AvroTopic, type TopicName, topicsOfCrawl } from '../../../../topology/topics.ts';
import { partitionOf } from '../../../../topology/url/partition.ts';
import { noLists } from '../../../../topology/url/url-lists.ts';

const [host, url] = ['a.test', 'http://a.test/x?q=1'];
const partitions = 2;
const own = partitionOf(host, partitions);
const topics = { crawl: 'c', partitions, keyMode: 'host' } as const;
const config = { ...defaultPolicy(), version: 3 };
const policy = compilePolicy(config);

async function crawl() {
  // Records get the time at which they are appended.
  const time = { nowMs: 1_000 };
  const source = { wallMs: () => time.nowMs, monotonicMs: () => 0, pause: async () => {} };
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock(source));
  await log.createTopics(topicsOfCrawl('c', partitions));
  const codec = await openCodec(createMemoryRegistry(), 'c');
  const append = (topic: TopicName, value: Buffer, partition = own) =>
    log.append([{ topic: `c.${topic}`, partition, key: null, value }]);
  let seq = 0;
  return {
    ...{ log, codec, time },
    raw: append,
    put: <T extends AvroTopic>(topic: T, record: TopicRecords[T]) => append(topic, codec.encode(topic, record)),
    policy: () => log.append(policyRecords(codec, topics, config, 'ada', 900)),
    link: (links: readonly string[], group: Partial<LinkGroup> = {}) =>
      append(
        'discovered',
        codec.encode('discovered', {
          groups: [
            { ...blankLinkGroup, hostKey: host, ...group, links: links.map((one) => ({ ...blankLink, url: one })) },
          ],
        }),
      ),
    commit: (changes: readonly Change[], nowMs: number, to: InputPosition | null = null) => {
      const writer = new ByteWriter(64);
      for (const change of changes) writeChange(writer, change);
      seq += 1;
      const inputs = to === null ? [] : [{ topic: 'discovered', from: { offset: 0, slice: 0 }, to } as const];
      const header = { kind: 'commit', epoch: 0, seq, nowMs, policyVersion: 3, demand: 0, inputs } as const;
      return append('frontier-changelog', encodeCommit({ ...header, counters: zeroCounters() }, writer.take()));
    },
    claim: () =>
      append('frontier-changelog', encodeClaim({ kind: 'claim', nonce: 'n', nowMs: 1_000, endsLeases: true })),
    timeline: () => readTimeline({ log, codec, topics, lists: noLists }, url, policy),
    trace: () => traceUrl(log, codec, topics, url, policy.normalize),
  };
}

const admitted = (one: string): Change => ({
  ...{ kind: 'admit', hostKey: host, known: false },
  entries: [{ url: one, depth: 1, hop: 0, attempts: 0, expiries: 0, frontQueue: 2 }],
});
const switched: Change = { kind: 'policy', version: 3, json: JSON.stringify(config) };
const fetched = (one: string, atMs: number) => ({
  ...{ ...blankResult, hostKey: host, completedAtMs: atMs },
  outcomes: [{ ...blankOutcome, url: one, kind: 'fetched' as const, status: 200 }],
});
const pageOf = (one: string, atMs: number, noindex = false) => ({
  ...{ ...blankPage, url: one, hostKey: host, status: 200, fetchedAtMs: atMs, noindex },
});
const kindsOf = ({ events }: { readonly events: readonly { readonly kind: string; readonly atMs: number }[] }) =>
  events.map(({ kind, atMs }) => `${kind} ${atMs}`);

test('the history of a URL has the records about it of every topic, by time, each with the policy in force', async () => {
  const { log, time, timeline, policy: publish, claim, link, commit, put, raw } = await crawl();
  await publish();
  await link([url, 'http://a.test/other'], { sourceUrl: 'http://b.test/', depth: 1, discoveredAtMs: 1_000 });
  await claim();
  time.nowMs = 2_000;
  await commit([switched, admitted(url), admitted('http://a.test/other')], 2_000, { offset: 1, slice: 0 });
  await put('results', fetched(url, 3_000));
  await put('results', fetched('http://a.test/other', 3_000));
  await raw('results', Buffer.from(`no record of ${host}`));
  await put('pages', pageOf(url, 3_001));
  await put('pages', pageOf('http://a.test/other', 3_001));
  await put('pages', pageOf(url, 3_002, true));
  const whole = ['control 900', 'discovered 1000', 'admitted 2000', 'fetched 3000', 'page 3001', 'page 3002'];
  const found = await timeline();
  assert.deepEqual(kindsOf(found), whole);
  assert.deepEqual([found.hostKey, found.partition, found.changelogStart, found.asOfMs], [host, own, 0, 2_000]);
  assert.deepEqual(
    found.events.map(({ policyVersion }) => policyVersion),
    [0, 0, 3, 3, 3, 3],
  );
  const indexed = async (offset: number) => {
    await log.commit('c.index', [{ topic: 'c.pages', partition: own, offset }]);
    const { events } = await timeline();
    return events.filter(({ kind }) => kind === 'indexed').map(({ text }) => text);
  };
  assert.deepEqual(await indexed(0), []);
  assert.deepEqual(await indexed(1), ['read by the indexer']);
  assert.deepEqual(await indexed(2), ['read by the indexer']);
  const skipped = 'read by the indexer, and skipped because the page forbids indexing';
  assert.deepEqual(await indexed(3), ['read by the indexer', skipped]);
  await log.close();
});

test('a page from before the URL was found is read only if the beginning of the changelog is gone', async () => {
  const { log, time, timeline, claim, link, commit, put } = await crawl();
  await put('pages', pageOf(url, 1));
  time.nowMs = 5_000;
  await link([url], { discoveredAtMs: 5_000 });
  await claim();
  await commit([admitted(url)], 5_000, { offset: 1, slice: 0 });
  await put('pages', pageOf(url, 6_000));
  assert.deepEqual(kindsOf(await timeline()), ['discovered 5000', 'admitted 5000', 'page 6000']);
  await log.trim('c.frontier-changelog', own, 1);
  const { changelogStart } = await timeline();
  assert.equal(changelogStart, 1);
  assert.deepEqual(kindsOf(await timeline()), ['page 1000', 'discovered 5000', 'admitted 5000', 'page 6000']);
  await log.close();
});

test('a URL without a record has a history of the crawl’s policies alone', async () => {
  const { log, timeline, policy: publish, put } = await crawl();
  await publish();
  await put('pages', pageOf(url, 1));
  const { events, asOfMs } = await timeline();
  assert.deepEqual(kindsOf({ events }), ['control 900']);
  assert.equal(asOfMs, 0);
  await log.close();
});

test('a trace names the link that led to each admission, as it was published', async () => {
  const { log, trace, claim, link, commit } = await crawl();
  await link(['http://a.test/other'], { discoveredAtMs: 1 });
  const group = { sourceUrl: 'http://b.test/', depth: 1, discoveredAtMs: 2, tags: ['two', 'one', 'one'] };
  await link(['http://a.test/x?q=1&q=1'], group);
  await link([url], { discoveredAtMs: 3, intent: 'force' });
  await claim();
  await commit([admitted('http://a.test/other')], 10, { offset: 1, slice: 0 });
  const none = await trace();
  assert.deepEqual([none.found, none.timeline.place, none.partition], [[], undefined, own]);
  await commit([admitted(url)], 20, { offset: 1, slice: 1 });
  const { found, changelog, timeline } = await trace();
  assert.deepEqual(changelog, { start: 0, end: 3 });
  assert.deepEqual(found, [
    {
      ...{ admittedBy: timeline.admitted[0], offset: 1, sourceUrl: 'http://b.test/', foundAtMs: 2 },
      ...{ url: 'http://a.test/x?q=1&q=1', source: 'link', tags: ['one', 'two'] },
    },
  ]);
  // Its own record of discovered is gone: the one behind it led to nothing.
  await log.trim('c.discovered', own, 2);
  assert.deepEqual((await trace()).found, []);
  await log.trim('c.frontier-changelog', own, 2);
  assert.deepEqual((await trace()).changelog, { start: 2, end: 3 });
  await log.close();
});

test('a link that a commit took only in part does not lead to its admission', async () => {
  const { log, trace, claim, link, commit, raw } = await crawl();
  await raw('discovered', Buffer.from('no record'));
  await link([url], { discoveredAtMs: 2 });
  await claim();
  await commit([admitted(url)], 20, { offset: 1, slice: 0 });
  assert.deepEqual((await trace()).found, [], 'the commit ended before the link');
  await commit([admitted(url)], 30, { offset: 1, slice: 1 });
  const { found } = await trace();
  assert.deepEqual(
    found.map(({ offset, source, admittedBy }) => [offset, source, admittedBy.atMs]),
    [[1, 'seed', 30]],
  );
  await log.close();
});
