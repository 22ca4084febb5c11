/** What calls of clients do to a served crawl's state: where each URL is, and what is counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change, KnownFrom } from '../../../../topology/frontier/changes/changes.ts';
import type { Entry } from '../../../../topology/frontier/changes/entry.ts';
import { knownKey, readKnown } from '../../../../topology/frontier/pull/known-rows.ts';
import { seenVerdicts } from '../../../../topology/frontier/seen/seen-test.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';

const hostKey = 'a.test';
const entryAt = (path: string, payload?: Uint8Array): Entry => ({
  ...{ url: `http://a.test/${path}`, depth: 1, hop: 0, attempts: 2, expiries: 0, frontQueue: 0 },
  ...(payload !== undefined && { payload }),
});
const known = (path: string, from: Partial<KnownFrom>, to: 'done' | 'again' | 'forgotten', dueAtMs = 0): Change =>
  ({ kind: 'known', hostKey, from: { in: 'new', a: 0, b: 0, ...from }, to, dueAtMs, entry: entryAt(path) }) as Change;
const admit = (...paths: readonly string[]): Change => ({
  ...{ kind: 'admit', hostKey, known: false, entries: paths.map((path) => entryAt(path)) },
});
const grant = (count: number, leaseId = 1): Change => ({
  ...{ kind: 'grant', leaseId, hostKey, again: 0, frontQueues: [[0, count]], deadlineMs: 1_000, delayMs: 0 },
});

function served(...changes: readonly Change[]): FrontierState {
  const state = new FrontierState({ hi: 1, lo: 2 });
  state.apply({ kind: 'policy', version: 1, json: '{"sink":"pull"}' });
  for (const change of changes) state.apply(change);
  return state;
}

/** What is counted of the URLs, by the partition and by the queue; zeros are left out. */
function countsOf(state: FrontierState): Record<string, number> {
  const { admitted, queued, retrying, deferred, leased, page, leases, quotaSpent } = state.counters;
  const id = state.hosts.get(hostKey)!.id;
  const { pull } = state;
  const queue = {
    urls: pull.urlsOf(id),
    done: pull.doneOf(id),
    out: pull.outOf(id),
    forgotten: pull.marksOf(id).forgotten,
  };
  const all = { admitted, queued, retrying, deferred, leased, page, leases, quotaSpent, ...queue };
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count !== 0));
}

/** What the row of a URL says that is not on disk yet. */
function rowOf(state: FrontierState, path: string, generation = 0) {
  const [hi, lo] = state.identityOf(hostKey, entryAt(path).url);
  const row = state.pull.known.recent(knownKey(state.hosts.get(hostKey)!.id, generation, hi!, lo!));
  return row === undefined ? undefined : readKnown(row);
}

function isSeen(state: FrontierState, path: string): boolean {
  const [hi, lo] = state.identityOf(hostKey, entryAt(path).url);
  return state.seen.test(hi!, lo!) === seenVerdicts.seen;
}

test('a new URL that is done at once is seen, counted and has a row', () => {
  const state = served(known('a', {}, 'done'));
  assert.deepEqual(countsOf(state), { admitted: 1, page: 1, urls: 1, done: 1 });
  assert.equal(isSeen(state, 'a'), true);
  const { what, url, payload } = rowOf(state, 'a')!;
  assert.deepEqual([what, url, payload.length > 0], ['done', 'http://a.test/a', true]);
  const reported = served({ ...known('a', {}, 'done'), entry: entryAt('a', Buffer.from([7, 8])) } as Change);
  assert.deepEqual([...rowOf(reported, 'a')!.payload], [7, 8]);
});

test('a new URL with a refetch date waits, and is seen', () => {
  const state = served(known('a', {}, 'again', 5_000));
  assert.deepEqual(countsOf(state), { admitted: 1, retrying: 1, urls: 1 });
  assert.deepEqual([isSeen(state, 'a'), rowOf(state, 'a')?.what], [true, 'waits']);
  assert.equal(state.hosts.get(hostKey)!.queue.rescheduled?.size, 1);
});

test('a leased URL that is done leaves its lease; the lease stays', () => {
  const state = served(admit('a', 'b'), grant(2));
  assert.deepEqual(countsOf(state), { admitted: 2, leased: 2, leases: 1, quotaSpent: 2, urls: 2, out: 2 });
  state.apply(known('b', { in: 'lease', a: 1, b: 1 }, 'done'));
  const after = { admitted: 2, leased: 1, page: 1, leases: 1, quotaSpent: 1, urls: 2, done: 1, out: 1 };
  assert.deepEqual(countsOf(state), after);
  assert.deepEqual(
    state.leases.get(1)!.entries.map((entry) => entry?.url ?? null),
    ['http://a.test/a', null],
  );
  assert.equal(rowOf(state, 'b')?.what, 'done');
  state.apply(known('a', { in: 'lease', a: 1, b: 0 }, 'again', 9_000));
  assert.deepEqual(countsOf(state), { admitted: 2, retrying: 1, page: 1, leases: 1, urls: 2, done: 1 });
  assert.equal(rowOf(state, 'a')?.waits?.dueAtMs, 9_000);
  assert.equal(state.seen.size, 2);
});

test('a URL that waits in a front queue, or for its date, leaves its place', () => {
  const state = served(admit('a', 'b'));
  const { queue } = state.hosts.get(hostKey)!;
  const [{ frontQueue }] = queue.frontQueues() as never as [{ readonly frontQueue: number }];
  const seq = state.queues.frontQueues.head(frontQueue) + 1;
  state.apply(known('b', { in: 'frontQueue', a: 0, b: seq }, 'again', 7_000));
  assert.deepEqual(countsOf(state), { admitted: 2, queued: 1, retrying: 1, urls: 2 });
  assert.deepEqual(
    queue.frontQueues().map(({ size }) => size),
    [1],
  );
  const [one] = [...queue.rescheduled!.behind()];
  state.apply(known('b', { in: 'again', a: one!.dueAtMs, b: one!.seq }, 'done'));
  assert.deepEqual(countsOf(state), { admitted: 2, queued: 1, page: 1, urls: 2, done: 1 });
  state.apply(known('b', { in: 'done' }, 'again', 1));
  assert.deepEqual(countsOf(state), { admitted: 2, queued: 1, retrying: 1, urls: 2 });
});

test('a forgotten URL counts as never put, until it is put again', () => {
  const state = served(known('a', {}, 'done'), known('a', { in: 'done' }, 'forgotten'));
  assert.deepEqual(countsOf(state), { forgotten: 1 });
  assert.deepEqual([rowOf(state, 'a')?.what, isSeen(state, 'a')], ['forgotten', true]);
  state.apply(known('a', { in: 'forgotten' }, 'again', 3_000));
  assert.deepEqual(countsOf(state), { admitted: 1, retrying: 1, urls: 1 });
});

test('a deleted queue has nothing left, nor its leases, and other queues keep theirs', () => {
  const state = served(
    admit('a', 'b', 'c', 'd', 'e'),
    grant(3),
    known('a', { in: 'lease', a: 1, b: 0 }, 'done'),
    {
      ...{ kind: 'resolve', leaseId: 1, index: 1, record: null },
      disposition: { to: 'again', dueAtMs: 0, entry: entryAt('b') },
    },
    known('x', {}, 'again', 4_000),
    known('z', {}, 'done'),
    { ...admit('o'), hostKey: 'b.test' } as Change,
    { ...grant(1, 2), hostKey: 'b.test' } as Change,
  );
  assert.deepEqual(countsOf(state), {
    ...{ admitted: 8, queued: 3, retrying: 1, leased: 2, page: 2, leases: 2, quotaSpent: 2 },
    ...{ urls: 7, done: 2, out: 1 },
  });
  state.changelog = { ...state.changelog, offset: 9 };
  state.apply({ kind: 'dropQueue', hostKey });
  assert.deepEqual(countsOf(state), { admitted: 1, leased: 1, leases: 1, quotaSpent: 1 });
  const { queue, leaseIds, id } = state.hosts.get(hostKey)!;
  assert.deepEqual([queue.size, [...leaseIds], state.leases.has(1), state.leases.has(2)], [0, [], false, true]);
  // From the next commit on, its URLs are others.
  assert.deepEqual([state.pull.generation(id, 9), state.pull.generation(id, 10)], [0, 1]);
  assert.deepEqual(state.pull.marksOf(id), { blockedUntilMs: 0, drops: [9], forgotten: 0 });
  state.changelog = { ...state.changelog, offset: 12 };
  state.apply(known('z', {}, 'done'));
  assert.deepEqual([rowOf(state, 'z', 1)?.what, state.pull.doneOf(id)], ['done', 1]);
  state.apply(known('z', { in: 'done' }, 'forgotten'));
  state.apply({ kind: 'dropQueue', hostKey });
  assert.deepEqual(state.pull.marksOf(id), { blockedUntilMs: 0, drops: [9, 12], forgotten: 0 });
});

test('a queue that a client blocks is ready when the block ends, and is in the next checkpoint', () => {
  const state = served(admit('a'));
  const { id } = state.hosts.get(hostKey)!;
  assert.equal(state.clock.readyAtMs(id), 0);
  for (const host of state.unsaved.takeHosts()) state.unsaved.written(host);
  state.apply({ kind: 'blockQueue', hostKey, untilMs: 8_000 });
  assert.equal(state.clock.readyAtMs(id), 8_000);
  assert.deepEqual([state.pull.marksOf(id).blockedUntilMs, state.unsaved.hosts], [8_000, 1]);
});

test('while the row of the queue is ahead, only rows of URLs and seen fingerprints are made', () => {
  const state = served(admit('a'));
  const counts = countsOf(state);
  const { id } = state.hosts.get(hostKey)!;
  state.ahead.holds = (host) => host === id;
  state.apply(known('b', {}, 'again', 5_000));
  state.apply(known('c', {}, 'done'));
  state.apply({ kind: 'blockQueue', hostKey, untilMs: 8_000 });
  assert.deepEqual(countsOf(state), counts);
  assert.deepEqual([rowOf(state, 'b')?.waits?.dueAtMs, rowOf(state, 'c')?.what], [5_000, 'done']);
  assert.deepEqual([isSeen(state, 'b'), isSeen(state, 'c')], [true, true]);
  assert.equal(state.pull.marksOf(id).blockedUntilMs, 0);
  assert.equal(state.hosts.get(hostKey)!.queue.rescheduled, undefined);
});
