import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RowsInMemory } from '../../../../lab/model/rows-in-memory.ts';
import { newHostFacts } from '../../../../topology/frontier/changes/changes.ts';
import { defaultSeen } from '../../../../topology/frontier/seen/seen-config.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { askAbout, loadChanges, type StateLine } from '../../../../topology/frontier/transfer/load-changes.ts';
import { noHistory } from '../../../../topology/policy/recrawl/history.ts';

const emptyState = () => new FrontierState({ hi: 1, lo: 2 });
const queued = (path: string, more: object = {}): StateLine => ({
  ...{ url: `http://a.test/${path}`, status: 'queued', frontQueue: 3 },
  ...more,
});
const entryOf = (path: string) => ({
  ...{ url: `http://a.test/${path}`, frontQueue: 3, depth: 0, hop: 0, attempts: 0, expiries: 0 },
});
const knownOf = (path: string) => ({
  ...{
    url: `http://a.test/${path}`,
    status: 'page',
    outcome: 'unknown',
    httpStatus: 0,
    atMs: 0,
    attempts: 0,
    depth: 0,
  },
  ...{ etag: '', lastModified: '', contentHash: '', soft404: false },
});
const page = (path: string, more: object = {}): StateLine => ({
  url: `http://a.test/${path}`,
  status: 'page',
  ...more,
});
/** What lines of queued URLs come to, as hosts and paths. */
const admitted = (state: FrontierState, lines: readonly StateLine[]) =>
  loadChanges(state, lines).map((change) => {
    assert.equal(change.kind, 'admit');
    const { hostKey, known, entries } = change as never as ReturnType<typeof admit>;
    return [hostKey, known, entries.map(({ url }) => new URL(url).pathname.slice(1)).join()];
  });
const admit = (hostKey: string, known: boolean, entries: readonly { readonly url: string }[]) => ({
  ...{ kind: 'admit', hostKey, known, entries },
});

test('a queued URL has the fields of its line, and defaults for the rest', () => {
  const reported = { depth: 1, hop: 2, attempts: 3, expiries: 4, spelling: '/A' };
  const [{ entries }] = loadChanges(emptyState(), [
    queued('a'),
    queued('b', { ...reported, payload: 'AAE=' }),
  ]) as never as [ReturnType<typeof admit>];
  assert.deepEqual(entries, [entryOf('a'), { ...entryOf('b'), ...reported, payload: Buffer.from([0, 1]) }]);
});

test('neighbours of a host are admitted together, at most 64; an existing one is forced separately', () => {
  const many = Array.from({ length: 65 }, (_, n) => `${n}`);
  assert.deepEqual(
    admitted(
      emptyState(),
      many.map((path) => queued(path)),
    ),
    [
      ['a.test', false, many.slice(0, 64).join()],
      ['a.test', false, '64'],
    ],
  );
  const b = queued('x', { host: 'b.test' });
  assert.deepEqual(admitted(emptyState(), [queued('1'), queued('2'), b, queued('1'), queued('3'), queued('4')]), [
    ['a.test', false, '1,2'],
    ['b.test', false, 'x'],
    ['a.test', true, '1'],
    ['a.test', false, '3,4'],
  ]);
  const state = emptyState();
  for (const change of loadChanges(state, [queued('1')])) state.apply(change);
  assert.deepEqual(admitted(state, [queued('2'), queued('1')]), [
    ['a.test', false, '2'],
    ['a.test', true, '1'],
  ]);
  // The spelling that is known decides, not the one that is asked for.
  assert.deepEqual(admitted(state, [queued('9', { normal: 'http://a.test/1' })]), [['a.test', true, '9']]);
});

test('a waiting URL has its own row, with its due time', () => {
  assert.deepEqual(
    loadChanges(emptyState(), [
      queued('a', { status: 'waiting' }),
      queued('b', { status: 'waiting', dueAtMs: 7, normal: 'http://a.test/a', host: 'b.test' }),
    ]),
    [
      { row: 'again', hostKey: 'a.test', known: false, dueAtMs: 0, entry: entryOf('a'), normal: 'http://a.test/a' },
      { row: 'again', hostKey: 'b.test', known: true, dueAtMs: 7, entry: entryOf('b'), normal: 'http://a.test/a' },
    ].map((row) => ({ kind: 'load', row })),
  );
});

test('known URLs are grouped, at most 64, each once', () => {
  const reported = {
    ...{ outcome: 'fetched', atMs: 5, attempts: 6, depth: 7, etag: 'e', lastModified: 'l', contentHash: 'c' },
    ...{ soft404: true, spelling: '/B' },
  };
  const state = emptyState();
  const lines = [page('a'), page('b', { ...reported, http: 200 }), page('a')];
  const rows = loadChanges(state, lines);
  assert.deepEqual(rows, [
    { kind: 'load', row: { row: 'known', urls: [knownOf('a'), { ...knownOf('b'), ...reported, httpStatus: 200 }] } },
  ]);
  for (const change of rows) state.apply(change);
  assert.deepEqual(loadChanges(state, lines), []);
  const many = loadChanges(
    state,
    Array.from({ length: 65 }, (_, n) => page(`${n}`)),
  ) as never as readonly { readonly row: { readonly urls: readonly unknown[] } }[];
  assert.deepEqual(
    many.map(({ row }) => row.urls.length),
    [64, 1],
  );
});

test('a revisited page has its own row, with what its visits showed', () => {
  const visits = {
    ...{ frontQueue: 1, visitedAtMs: 2, changedAtMs: 3, failures: 4, signature: 's', history: noHistory },
  };
  assert.deepEqual(loadChanges(emptyState(), [page('a', { visits: { ...visits, dueAtMs: 9 } })]), [
    {
      kind: 'load',
      row: { row: 'page', hostKey: 'a.test', dueAtMs: 9, page: { ...visits, record: knownOf('a') } },
    },
  ]);
});

test('lists of tags have numbers of this partition, each defined before its first use', () => {
  const state = emptyState();
  state.tagSets.add(1, ['old']);
  const lines = [
    queued('a', { tags: ['x', 'old'] }),
    queued('b', { tags: ['old'] }),
    page('c', { tags: ['old', 'x'] }),
    page('d', { tags: ['y'] }),
    queued('e', { tags: ['not a tag'] }),
    queued('f', { tags: [] }),
  ];
  const changes = loadChanges(state, lines) as never as readonly Record<string, unknown>[];
  const sets = changes.filter(({ kind }) => kind === 'tagSet');
  assert.deepEqual(sets, [
    { kind: 'tagSet', number: 2, tags: ['old', 'x'] },
    { kind: 'tagSet', number: 3, tags: ['y'] },
  ]);
  const tagsIn = JSON.stringify(changes)
    .match(/"url":"[^"]+"|"tags":\d+/g)!
    .join(' ');
  assert.equal(
    tagsIn.replaceAll('"', '').replaceAll('url:http://a.test/', ''),
    // Two of the queue before the known ones, as their changes began in that order.
    'a tags:2 b tags:1 e f c tags:2 d tags:3',
  );
  assert.equal(changes[0]!['kind'], 'tagSet');
});

test('a list of tags that does not fit into the partition is dropped', () => {
  const state = emptyState();
  for (let number = 1; number <= 4_094; number++) state.tagSets.add(number, [`t${number}`]);
  const urls = ['a', 'b', 'c', 'd'].map((name) => queued(name, { tags: [name] }));
  const changes = loadChanges(state, urls) as never as readonly Record<string, unknown>[];
  assert.deepEqual(
    changes.filter(({ kind }) => kind === 'tagSet').map(({ number }) => number),
    [4_095, 4_096],
  );
  const entries = changes.find(({ kind }) => kind === 'admit')!['entries'] as { readonly tags?: number }[];
  assert.deepEqual(
    entries.map(({ tags }) => tags),
    [4_095, 4_096, undefined, undefined],
  );
});

test('a host comes with its facts, purged URLs, slots and traps, released ones first', () => {
  const trap = (pattern: string, frontQueue: number) =>
    ({ pattern, reason: 'steps', detail: 'd', frontQueue }) as const;
  const line = {
    host: 'a.test',
    facts: { pages: 3 },
    purged: [1, 2],
    hostSlots: { own: 2, most: 3, freeAtMs: [4, 5] },
    traps: { trapped: [trap('p', 17)], released: [trap('r', 16)] },
  };
  const hostKey = 'a.test';
  assert.deepEqual(loadChanges(emptyState(), [line as never, { host: 'b.test' }]), [
    { kind: 'host', hostKey, facts: { ...newHostFacts, pages: 3 } },
    { kind: 'load', row: { row: 'purged', hostKey, fingerprints: [1, 2] } },
    { kind: 'hostSlots', hostKey, own: 2, most: 3 },
    { kind: 'hostSlot', hostKey, readyAtMs: 4 },
    { kind: 'hostSlot', hostKey, readyAtMs: 5 },
    { kind: 'trap', hostKey, ...trap('r', 16) },
    { kind: 'releaseTrap', hostKey, pattern: 'r' },
    { kind: 'trap', hostKey, ...trap('p', 17) },
    { kind: 'host', hostKey: 'b.test', facts: newHostFacts },
  ]);
});

test('accounts, counts of forced URLs, and tallies are separate changes', () => {
  assert.deepEqual(
    loadChanges(emptyState(), [
      { budget: 'a.test', hosts: ['a.test'], period: 1, used: 2, sources: [3] },
      { repeated: { page: 4, dead: 5 } },
      { tallies: { fetches: 6, retries: 7 } },
    ]),
    [
      { kind: 'load', row: { row: 'account', key: 'a.test', period: 1, used: 2, sources: [3] } },
      { kind: 'load', row: { row: 'repeated', status: 'page', count: 4 } },
      { kind: 'load', row: { row: 'repeated', status: 'dead', count: 5 } },
      { kind: 'count', counter: 'fetches', by: 6 },
      { kind: 'count', counter: 'retries', by: 7 },
    ],
  );
});

test('the seen test is asked only about URLs of unknown state, by their known spelling', () => {
  const state = new FrontierState({ hi: 1, lo: 2 }, { ...defaultSeen, memoryBytes: 64 * 1024 });
  const paths = Array.from({ length: 1_280 }, (_, n) => `${n}`);
  for (const change of loadChanges(
    state,
    paths.map((path) => queued(path)),
  ))
    state.apply(change);
  const rows = new RowsInMemory();
  rows.run(state.seen.work(true)!);
  assert.equal(askAbout(state, [{ host: 'b.test' }, { tallies: {} }]), false);
  const lines = [page('1'), { host: 'a.test' }, queued('never', { normal: 'http://a.test/2' }), page('1')];
  assert.equal(askAbout(state, lines), true);
  assert.equal(state.seen.questions, 2);
  rows.run(state.seen.work(true)!);
  assert.deepEqual([askAbout(state, lines), state.seen.questions], [false, 0]);
  assert.deepEqual(loadChanges(state, [page('1')]), []);
});
