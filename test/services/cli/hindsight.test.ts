/** What can be told of a crawl afterwards, from its topics alone: one small crawl, looked back at. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { type ReadableCrawl, withCrawl } from '../../../services/cli/open-crawl.ts';
import { readControl } from '../../../services/runtime/crawl/control-log.ts';
import { recordsOf } from '../../../services/runtime/log/records-of.ts';
import { type Story, tellStory } from '../../../services/runtime/story/tell-story.ts';
import { compilePolicy } from '../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import type { StoryKind } from '../../../topology/story/story-event.ts';
import type { AvroTopic } from '../../../topology/topics.ts';
import { noLists } from '../../../topology/url/url-lists.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { runCommand } from './command.ts';
import { startSmallWeb } from './small-web.ts';

const folder = temporaryFolder();
const data = join(folder, 'data');
let seed = '';

before(async () => {
  const small = await startSmallWeb({ hosts: 6, pagesPerHost: 12, domains: 2, errors: 0.2 });
  seed = small.seeds[0]!;
  const flags = ['--delay', '0', '--retries', '0.1,0.2', '--with', 'index', '--partitions', '2', '--data', data];
  const ended = await runCommand([...small.crawlArguments, ...flags, '--exclude', '/3$']);
  assert.equal(ended.code, 0, ended.stderr);
});

function reading<T>(act: (crawl: ReadableCrawl) => Promise<T>): Promise<T> {
  return withCrawl({ data, crawl: 'crawl' }, act);
}

async function* everyRecord<T extends AvroTopic>({ log, codec, topics }: ReadableCrawl, topic: T) {
  for (let partition = 0; partition < topics.partitions; partition++) {
    const { start, end } = await log.offsets(`crawl.${topic}`, partition);
    for await (const { value } of recordsOf(log, `crawl.${topic}`, partition, start, end)) {
      await codec.prepare(topic, value);
      yield codec.decode(topic, value);
    }
  }
}

const verdicts: readonly StoryKind[] = ['admitted', 'known', 'refused', 'dropped'];

function count({ events }: Story, ...kinds: StoryKind[]): number {
  return events.filter(({ kind }) => kinds.includes(kind)).length;
}

test('a URL’s story has every link to it with its verdict, every lease, fetch and page, in order', async () => {
  await reading(async (crawl) => {
    const { log, codec, topics } = crawl;
    const { policy: text } = await readControl(log, codec, 'crawl');
    const policy = compilePolicy(parsePolicy(text!.json));
    const tell = (url: string) => tellStory({ log, codec, topics, lists: noLists }, url, policy);
    const found = { links: new Map<string, number>(), fetches: new Map<string, number>() };
    const tally = (counts: Map<string, number>, url: string) => counts.set(url, (counts.get(url) ?? 0) + 1);
    for await (const { groups } of everyRecord(crawl, 'discovered'))
      for (const { links } of groups) for (const { url } of links) tally(found.links, policy.normalize(url) ?? url);
    for await (const { outcomes } of everyRecord(crawl, 'results'))
      for (const { url } of outcomes) tally(found.fetches, url);
    const kinds = new Set<StoryKind>();
    let told = 0;
    for (const [url, links] of found.links) {
      const isPlain = policy.admit(url, 0, 0).ok && found.fetches.get(url) === 1;
      if (policy.normalize(url) !== url || (isPlain && told++ % 3 !== 0)) continue;
      const story = await tell(url);
      for (const { kind } of story.events) kinds.add(kind);
      assert.equal(count(story, 'discovered'), links, url);
      assert.equal(count(story, ...verdicts), links, `${url}: each link has one verdict`);
      assert.equal(count(story, 'fetched'), found.fetches.get(url) ?? 0, url);
      assert.equal(count(story, 'leased'), count(story, 'task'), url);
      assert.equal(count(story, 'page'), count(story, 'indexed'), url);
      assert.equal(count(story, 'admitted'), policy.admit(url, 0, 0).ok ? 1 : 0, url);
      const times = story.events.map(({ atMs }) => atMs);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
      const decided = story.events.find(({ kind }) => kind === 'admitted' || kind === 'refused');
      assert.equal(decided?.policyVersion, text!.version);
      if (decided?.kind === 'refused') assert.equal(decided.details['rule'], 'exclude');
    }
    for (const kind of ['again', 'deadLetter', 'known', 'refused', 'ended'] as const) assert.ok(kinds.has(kind), kind);
  });
});

test('story prints an event a line, and draws what it told', async () => {
  const svg = join(folder, 'story.svg');
  const ended = await runCommand(['story', seed, '--data', data, '--json', '--svg', svg]);
  assert.equal(ended.code, 0, ended.stderr);
  const events = ended.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const event of events)
    assert.deepEqual(Object.keys(event), [
      ...['topic', 'partition', 'offset', 'time', 'policyVersion', 'kind', 'text', 'details'],
    ]);
  assert.ok(events.some(({ kind }) => kind === 'discovered'));
  assert.equal(readFileSync(svg, 'utf8').match(/<circle /g)?.length, events.length);
});
