/** Dumps into crawls of other shapes, and out of them again: the same lines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needLoaded } from '../../../../services/frontier/open/open-partition.ts';
import { rebuild } from '../../../../services/frontier/open/rebuild.ts';
import { loadSeen } from '../../../../services/frontier/transfer/load-seen.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { defaultTraps } from '../../../../topology/policy/traps/trap-config.ts';
import { type Crawl, dump, key, load, loadersOf, newCrawl, valuesOf } from './rig.ts';

const policy = {
  ...defaultPolicy(),
  ...{ version: 7, pageQuota: 500, traps: defaultTraps },
  budget: { key: 'domain', base: 2, perSource: 1, max: 9, refillMs: 1e14 },
};
const facts = { readyAtMs: 99_000, crawlDelayMs: 500, fetched: 3, pages: 2, fetchMs: 40, failures: 1, leaseMax: 4 };
const trap = { pattern: '/calendar/', reason: 'calendar', detail: 'days without end', frontQueue: 16 };
const freed = { ...trap, pattern: '/free/', frontQueue: 17 };
const link = { url: 'http://new.a.test/x', lastModifiedMs: 0, priority: -1, spelling: '/x?a' };
const links = {
  ...{
    hostKey: 'new.a.test',
    sourceUrl: 'http://a.test/1',
    sourceKey: 'a.test',
    depth: 2,
    hop: 0,
    front: false,
    share: 0,
    traceparent: '',
    payload: '{"callback":"parse"}',
  },
  ...{
    intent: 'discover',
    discoveredAtMs: 5,
    foundIn: 'unknown',
    tags: ['other'],
    links: [link, { ...link, url: 'http://new.a.test/y' }],
  },
};
const deadLetter = {
  ...{ reason: 'retriesExhausted', sourceTopic: 'results', sourcePartition: 0, sourceOffset: 1 },
  ...{ url: 'http://a.test/gone', hostKey: 'a.test', attempts: 4, lastOutcome: 'timeout', status: 0, depth: 1 },
  ...{ detail: 'no answer', atMs: 9, original: Buffer.from('bytes').toString('base64') },
};
const page = { outcome: 'fetched', http: 200, atMs: 1_000, attempts: 1, contentHash: 'ab', etag: '"e"' };

const visits = {
  ...{ frontQueue: 2, visitedAtMs: 1_000, changedAtMs: 1_000, signature: 'ab', failures: 0, dueAtMs: 9_000_000 },
  history: { changes: 1, changedS: 60, changedSquares: 3600, unchanged: 2, unchangedS: 90, recent: 5, intervalS: 600 },
};
const body: readonly object[] = [
  { budget: 'a.test', hosts: ['a.test', 'www.a.test'], period: 0, used: 9, sources: [11, 12] },
  { url: 'http://a.test/forced', status: 'page', ...page, depth: 1 },
  { host: 'a.test', facts, traps: { trapped: [trap], released: [freed] } },
  {
    url: 'http://a.test/retry',
    status: 'waiting',
    frontQueue: 2,
    depth: 1,
    attempts: 2,
    dueAtMs: 70_000,
    payload: 'AHt9',
    tags: ['customer=acme', 'news'],
  },
  { url: 'http://a.test/soon?utm_source=x', status: 'waiting', frontQueue: 2, hop: 1, normal: 'http://a.test/soon' },
  { url: 'http://a.test/1', status: 'queued', frontQueue: 0 },
  {
    url: 'http://a.test/2',
    status: 'queued',
    frontQueue: 3,
    depth: 1,
    payload: 'AXt9',
    tags: ['sport'],
    spelling: '/2?x',
  },
  { url: 'http://a.test/calendar/1', status: 'queued', frontQueue: 16, depth: 2 },
  { url: 'http://a.test/free/1', status: 'queued', frontQueue: 17, depth: 2 },
  { host: 'blocked.test:8080', facts: { hold: 'blocked' } },
  { host: 'purged.test', facts: { hold: 'purged' } },
  { url: 'https://blocked.test:8080/', status: 'queued', frontQueue: 1, expiries: 2 },
  { host: 'www.a.test', hostSlots: { own: 3, most: 3, freeAtMs: [88_000] }, purged: [7, 8, 7, 9] },
  { url: 'http://www.a.test/later', status: 'queued', frontQueue: 8, depth: 3 },
  // It was fetched once, and an operator has forced it.
  { url: 'http://a.test/forced', status: 'queued', frontQueue: 0 },
  { url: 'http://a.test/', status: 'page', ...page, visits, tags: ['customer=acme', 'news'] },
  {
    url: 'http://www.a.test/',
    status: 'redirected',
    outcome: 'redirect',
    http: 301,
    atMs: 2_000,
    attempts: 1,
    tags: ['sport'],
  },
  { url: 'http://a.test/dead', status: 'dead', outcome: 'timeout', atMs: 3_000, attempts: 4, depth: 2 },
  { url: 'http://elsewhere.test/', status: 'known', atMs: 4_000 },
  { repeated: { page: 2 } },
  { tallies: { discovered: 70, duplicates: 50, bytes: 123_456 } },
  { links },
];
const places = {
  queued: 5,
  retrying: 1,
  deferred: 3,
  leased: 0,
  page: 4,
  redirected: 1,
  denied: 0,
  failed: 0,
  dead: 1,
};
const totals = { hosts: 4, admitted: 15, imported: 1, scheduled: 1, places, links: 2 };

function dumpOf(lines: readonly object[], end: object = totals): string[] {
  const head = {
    ...{ dump: 'crawlstream', version: 2, id: 'd1', madeAtMs: 1, madeBy: 'test', crawl: 't', partitions: 1 },
    ...{ keyMode: 'host', seenKeyVersion: 1, fingerprintVersion: 1, fingerprintKey: '12'.repeat(16) },
    ...{ policy, asked: policy, seeds: ['http://a.test/'] },
  };
  const all = [head, { partition: 0, offset: 9, nowMs: 5_000 }, ...lines];
  return [...all, { end: true, lines: all.length, totals: end }].map((line) => JSON.stringify(line));
}

/** Lines that say something of the crawl, whatever its partitions. Budgets may be told by several. */
function saidBy(lines: readonly string[]): string[] {
  const isOfPartitions = ({ dump: head, partition, end, budget, letter: dead, ...rest }: Record<string, unknown>) =>
    [head, partition, end, budget, dead].some((one) => one !== undefined) ||
    Object.values(rest).every((one) => JSON.stringify(one) === '{}');
  return lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => !isOfPartitions(line))
    .map((line) => JSON.stringify(sorted(line)))
    .sort();
}

test('a dump of format 1, with front queues named "band", is read in today’s words', async () => {
  const first = whole.map((line) =>
    line
      .replaceAll('"frontQueue":', '"band":')
      .replaceAll('"hostSlots":', '"lanes":')
      .replace('"version":2', '"version":1'),
  );
  assert.ok(first.filter((line) => line.includes('"band":')).length > 3);
  const crawl = await newCrawl(3, 'host');
  await load(crawl, first);
  assert.deepEqual(saidBy(await dump(crawl)), saidBy(whole));
});

/** Fields in the order of their names. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)]),
  );
}

const whole = dumpOf([...body, { letter: deadLetter }]);

for (const [partitions, keyMode] of [
  [1, 'host'],
  [7, 'host'],
  [5, 'domain'],
] as const) {
  test(`a dump survives ${partitions} partitions by ${keyMode} unchanged`, async () => {
    const crawl = await newCrawl(partitions, keyMode);
    await load(crawl, whole);
    assert.deepEqual(saidBy(await dump(crawl)), saidBy(whole));
    assert.deepEqual(JSON.parse((await dump(crawl)).at(-1)!).totals, totals);
  });
}

test('an account goes wherever its hosts go, and a quota is granted as far as it is spent', async () => {
  const crawl = await newCrawl(7);
  await load(crawl, whole);
  const states = (await loadersOf(crawl, 'd1')).map(({ state }) => state);
  for (const { hosts, budgets } of states) {
    const has = [...hosts.values()].some(({ key: host }) => host === 'a.test' || host === 'www.a.test');
    const account = budgets.accounts.get('a.test');
    assert.equal(account !== undefined, has);
    if (account !== undefined) assert.deepEqual([account.period, account.used, account.sources.count], [0, 9, 2]);
  }
  assert.equal(
    states.reduce((sum, { counters }) => sum + counters.quotaSpent, 0),
    4,
  );
  for (const [partition, state] of states.entries()) {
    assert.equal(state.quotaLeft, 0);
    assert.equal(states[0]!.quota.book.get(partition)?.granted, state.counters.quotaSpent);
    assert.equal(state.policyVersion, 7);
  }
});

test('dead letters, links and policies are published to the new crawl', async () => {
  const crawl = await newCrawl(3);
  await load(crawl, whole);
  const all = async (topic: 'dead-letters' | 'discovered' | 'control') =>
    (await Promise.all([0, 1, 2].map((partition) => valuesOf(crawl, topic, partition)))).flat();
  assert.equal(crawl.codec.decode('dead-letters', (await all('dead-letters'))[0]!).url, deadLetter.url);
  assert.deepEqual(crawl.codec.decode('discovered', (await all('discovered'))[0]!).groups[0]!.links.length, 2);
  const events = (await all('control')).map((value) => crawl.codec.decode('control', value));
  assert.deepEqual(
    events.map(({ kind, version }) => [kind, version]),
    [0, 1, 2].map(() => ['policy', 7]),
  );
});

test('a load that was cut off at any line continues there, to the same result', async () => {
  for (let until = 2; until < whole.length; until += 3) {
    const crawl = await newCrawl(4);
    await assert.rejects(load(crawl, whole, until), /killed/);
    const [first] = await loadersOf(crawl, 'd1');
    assert.throws(() => needLoaded(0, first!.state), { code: 'LOAD_UNFINISHED' });
    await load(crawl, whole);
    assert.deepEqual(saidBy(await dump(crawl)), saidBy(whole), `cut off at line ${until}`);
  }
});

test('a replay equals the loaded state', async () => {
  const crawl = await newCrawl(2);
  await load(crawl, whole);
  const loaders = await loadersOf(crawl, 'd1');
  for (const [partition, { state }] of loaders.entries()) {
    const identity = { crawl: 't', partition, partitions: 2 };
    const rebuilt = await rebuild({ ...crawl, identity, key, store: createMemoryStore() });
    assert.equal(digest(rebuilt), digest(state));
  }
});

test('a damaged dump is refused, with the line', async () => {
  const refusals: [readonly string[], RegExp][] = [
    [whole.slice(0, -1), /cut off after line/],
    [[...whole, whole.at(-1)!], /line \d+ comes after its end/],
    [whole.filter((_, number) => number !== 8), /lines before its end/],
    [
      dumpOf([...body, { letter: deadLetter }], { ...totals, imported: 2 }),
      /have 1 imported in total, but its last line says 2/,
    ],
    [dumpOf([{ url: 'ftp://a.test/', status: 'queued', frontQueue: 0 }]), /line 3 of the dump: "url"/],
    [dumpOf([{ url: 'http://a.test/', status: 'lost', frontQueue: 0 }]), /line 3 .* "status" is not one of/],
    [dumpOf([{ url: 'http://a.test/', status: 'queued', frontQueue: 99 }]), /line 3 .* "frontQueue"/],
    [dumpOf([{ url: 'http://a.test/', status: 'page', depth: -1 }]), /line 3 .* "depth" is not a whole number/],
    [dumpOf([{ host: 'a.test', facts: { mood: 1 } }]), /line 3 .* "facts.mood"/],
    [dumpOf([{ links: { hostKey: 'a.test' } }]), /line 3 .* "links" lacks/],
    [dumpOf([{ links: { hostKey: 'a.test', links: [{ url: 5 }] } }]), /line 3 of the dump: /],
    [dumpOf([{ mood: 'good' }]), /line 3 .* mood is not the first field of any line/],
  ];
  for (const [lines, message] of refusals)
    await assert.rejects(load(await newCrawl(2), lines), { code: 'INVALID_RECORD', message });
  const newer = whole.map((line) => line.replace('"version":2,"id"', '"version":3,"id"'));
  await assert.rejects(load(await newCrawl(2), newer), { code: 'UNSUPPORTED' });
});

test('a crawl with content accepts no dump', async () => {
  const crawl = await newCrawl(2);
  await load(crawl, whole);
  const other = whole.map((line) => line.replace('"id":"d1"', '"id":"d2"'));
  await assert.rejects(load(crawl, other), { code: 'INVALID_ARGUMENT', message: /load into a new crawl/ });
});

test('a frontier that takes a partition meanwhile ends the load', async () => {
  const crawl = await newCrawl(1);
  const [mine] = await loadersOf(crawl, 'd1');
  await loadersOf(crawl, 'd1');
  mine!.take({ host: 'a.test' }, 2, 10);
  await assert.rejects(mine!.flush(), { code: 'OWNERSHIP_LOST', message: /stop the frontiers/ });
});

test('URLs that another crawler has seen are known from then on, and counted once', async () => {
  const crawl: Crawl = await newCrawl(3);
  const list = ['http://a.test/1', 'HTTP://A.test:80/1', '', 'mailto:me', 'http://b.test/?a=', 'http://b.test/?a'];
  const seen = async () =>
    loadSeen({
      ...crawl,
      loaders: await loadersOf(crawl, null),
      lines: (async function* () {
        yield list;
      })(),
    });
  const first = { urls: 4, imported: 2, invalid: 1, firstInvalid: 'line 4: mailto:me' };
  assert.deepEqual(await seen(), first);
  assert.deepEqual(await seen(), { ...first, imported: 0 });
  const reported = saidBy(await dump(crawl)).map((line) => JSON.parse(line) as { url: string; status: string });
  assert.deepEqual(
    reported.map(({ url, status }) => [url, status]),
    [
      ['http://a.test/1', 'known'],
      ['http://b.test/?a=', 'known'],
    ],
  );
});
