/** What can be told of a crawl afterwards, from its topics alone: one small crawl, looked back at. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { lastJson, runCommand, startCommand } from '../../../lab/process/command.ts';
import { readRecording } from '../../../services/extras/what-if/read-recording.ts';
import { fingerprintKeyOf } from '../../../services/hosting/connect/crawl-folder.ts';
import { type ReadableCrawl, withCrawl } from '../../../services/hosting/connect/open-crawl.ts';
import { readControl } from '../../../services/runtime/crawl/control-log.ts';
import { recordsOf } from '../../../services/runtime/log/records-of.ts';
import { readTimeline, type Timeline } from '../../../services/runtime/timeline/read-timeline.ts';
import { type WhatIfReport, whatIf } from '../../../topology/extras/what-if/what-if.ts';
import { decodeChangelog } from '../../../topology/frontier/changes/changelog.ts';
import { compilePolicy } from '../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import type { TimelineKind } from '../../../topology/timeline/timeline-event.ts';
import type { AvroTopic } from '../../../topology/topics.ts';
import { noLists } from '../../../topology/url/url-lists.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { listening } from './listening.ts';
import { startSmallWeb } from './small-web.ts';

const folder = temporaryFolder();
const data = join(folder, 'data');
let seed = '';

before(async () => {
  const small = await startSmallWeb({ hosts: 8, pagesPerHost: 40, domains: 2, errors: 0.02 });
  seed = small.seeds[0]!;
  const flags = ['--delay', '0', '--retries', '0.1s,0.2s', '--with', 'index', '--partitions', '2', '--data', data];
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

/** The crawl under another policy. */
function tried(instead: (json: string) => string, fromMs = 0): Promise<WhatIfReport> {
  return reading(async (crawl) => {
    const { topics } = crawl;
    const read = await readRecording(crawl, fromMs);
    const about = { key: fingerprintKeyOf(topics), keyMode: topics.keyMode, lists: noLists, fromMs };
    return whatIf({ ...read, ...about, lastRequestMs: 30_000, instead });
  });
}

const verdicts: readonly TimelineKind[] = ['admitted', 'known', 'refused', 'dropped'];

function count({ events }: Timeline, ...kinds: TimelineKind[]): number {
  return events.filter(({ kind }) => kinds.includes(kind)).length;
}

test('a URL’s history has every link to it with its verdict, every lease, fetch and page, in order', async () => {
  await reading(async (crawl) => {
    const { log, codec, topics } = crawl;
    const { policy: text } = await readControl(log, codec, 'crawl');
    const policy = compilePolicy(parsePolicy(text!.json));
    const report = (url: string) => readTimeline({ log, codec, topics, lists: noLists }, url, policy);
    const found = { links: new Map<string, number>(), fetches: new Map<string, number>() };
    const tally = (counts: Map<string, number>, url: string) => counts.set(url, (counts.get(url) ?? 0) + 1);
    for await (const { groups } of everyRecord(crawl, 'discovered'))
      for (const { links } of groups) for (const { url } of links) tally(found.links, policy.normalize(url) ?? url);
    for await (const { outcomes } of everyRecord(crawl, 'results'))
      for (const { url } of outcomes) tally(found.fetches, url);
    const kinds = new Set<TimelineKind>();
    let reported = 0;
    for (const [url, links] of found.links) {
      const isPlain = policy.admit(url, 0, 0).ok && found.fetches.get(url) === 1;
      if (policy.normalize(url) !== url || (isPlain && reported++ % 40 !== 0)) continue;
      const timeline = await report(url);
      for (const { kind } of timeline.events) kinds.add(kind);
      assert.equal(count(timeline, 'discovered'), links, url);
      assert.equal(count(timeline, ...verdicts), links, `${url}: each link has one verdict`);
      assert.equal(count(timeline, 'fetched'), found.fetches.get(url) ?? 0, url);
      assert.equal(count(timeline, 'leased'), count(timeline, 'task'), url);
      assert.equal(count(timeline, 'page'), count(timeline, 'indexed'), url);
      assert.equal(count(timeline, 'admitted'), policy.admit(url, 0, 0).ok ? 1 : 0, url);
      const times = timeline.events.map(({ atMs }) => atMs);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
      const decided = timeline.events.find(({ kind }) => kind === 'admitted' || kind === 'refused');
      assert.equal(decided?.policyVersion, text!.version);
      if (decided?.kind === 'refused') assert.equal(decided.details['rule'], 'exclude');
    }
    for (const kind of ['again', 'deadLetter', 'known', 'refused', 'ended'] as const) assert.ok(kinds.has(kind), kind);
  });
});

test('story prints one event per line, and draws the same events', async () => {
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

test('state at opens a partition as it was: the live state at the end, earlier the one of its commit', async () => {
  const live = lastJson(await runCommand(['state', 'digest', '--data', data, '--json']));
  const at = async (...args: string[]) => {
    const ended = await runCommand(['state', 'at', ...args, '--data', data, '--json']);
    assert.equal(ended.code, 0, ended.stderr);
    return lastJson(ended)['partitions'] as { position: number; digest: string; counters: object }[];
  };
  const digests = (partitions: readonly { position: number; digest: string }[]) =>
    partitions.map(({ position, digest }) => [position, digest]);
  const now = await at('--time', new Date(Date.now() + 1_000).toISOString());
  assert.deepEqual(digests(now), digests(live['partitions'] as typeof now));
  const middle = Math.floor(now[1]!.position / 2);
  const [then] = await at('--offset', String(middle), '--partition', '1');
  const said = await reading(async ({ log }) => {
    for await (const { value } of recordsOf(log, 'crawl.frontier-changelog', 1, middle - 1, middle))
      return decodeChangelog(value);
    return undefined;
  });
  assert.ok(said?.kind === 'commit' && said.counters.admitted > 0);
  assert.deepEqual(then?.counters, said.counters);
});

test('the frontier of the past answers the same queries, and is gone when it is stopped', async () => {
  const { host } = new URL(seed);
  const when = ['--time', new Date(Date.now() + 1_000).toISOString()];
  const running = startCommand(['state', 'at', ...when, '--data', data, '--http', '0']);
  const url = await listening(running);
  const get = async (path: string) => (await fetch(`${url}${path}`)).json() as Promise<Record<string, unknown>>;
  assert.equal((await get(`/hosts/${host}`))['host'], host);
  const { place, from } = await get(`/urls?url=${encodeURIComponent(seed)}`);
  assert.deepEqual([(place as { in: string }).in, (from as { role: string }).role], ['end', 'past']);
  assert.equal(((await get('/partitions'))['partitions'] as unknown[]).length, 2);
  running.child.kill('SIGINT');
  assert.equal((await running.ended).code, 0);
});

test('an unreachable moment is refused, with the reachable ones', async () => {
  const { code, stderr } = await runCommand(['state', 'at', '--offset', '999999', '--partition', '0', '--data', data]);
  assert.equal(code, 1);
  assert.match(stderr, /ends at \d+, before 999999/);
});

test('what-if repeats each decision under the same policy, to the byte', async () => {
  const same = await tried((json) => json);
  assert.ok(same.compared.events > 2_000, `${same.compared.events} events`);
  assert.deepEqual([same.compared.differences, same.divergence, same.simulated], [0, null, null]);
  assert.equal(same.recorded.pages, same.decided.pages);
  const later = await tried((json) => json, (same.startMs + same.endMs) / 2);
  assert.ok(later.compared.commits > 0 && later.compared.commits < same.compared.commits);
  assert.deepEqual([later.compared.differences, later.divergence], [0, null]);
});

test('what-if reports where another policy diverges, why, and with which result', async () => {
  const change = (fields: object) => (json: string) => JSON.stringify({ ...parsePolicy(json), ...fields });
  const shallow = await tried(change({ maxDepth: 1 }));
  assert.equal(shallow.divergence?.kind, 'admission');
  assert.match(shallow.divergence.text, /is not admitted: refused by depth: 2 > 1/);
  assert.ok(shallow.decided.pages < shallow.recorded.pages && shallow.decided.pages > 0);
  assert.deepEqual(shallow, await tried(change({ maxDepth: 1 })), 'the same each time');
  // Leases of other sizes change the order, and lead to the same pages.
  const small = await tried(change({ urlsPerLeaseMax: 2 }));
  assert.equal(small.divergence?.kind, 'lease');
  const { pages, admitted } = small.recorded;
  assert.ok(small.decided.admitted >= 0.9 * admitted && small.decided.pages >= 0.9 * pages, 'about the same pages');
  const { recordedPages, modelledPages } = small.simulated!;
  assert.ok(modelledPages < 0.1 * recordedPages, 'what was fetched is answered as it was');
});

test('what-if says what changed, and accepts a whole policy or the changed fields', async () => {
  const policy = join(folder, 'new.yaml');
  writeFileSync(policy, 'maxDepth: 1\n');
  const { compared, divergence, changed } = lastJson(
    await runCommand(['what-if', '--policy', policy, '--data', data, '--json']),
  );
  assert.deepEqual(changed, ['maxDepth']);
  assert.equal((divergence as { kind: string }).kind, 'admission');
  assert.ok((compared as { commits: number }).commits > 0);
  const whole = join(folder, 'whole.json');
  writeFileSync(whole, await reading(async ({ log, codec }) => (await readControl(log, codec, 'crawl')).policy!.json));
  const same = await runCommand(['what-if', '--policy', whole, '--data', data]);
  assert.match(same.stdout, /no difference, to the byte/);
});
