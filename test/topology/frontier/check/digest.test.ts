import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Change, newHostFacts } from '../../../../topology/frontier/changes/changes.ts';
import type { Entry } from '../../../../topology/frontier/changes/entry.ts';
import {
  type CanonicalRow,
  digest,
  eachRow,
  earlierDigest,
  RowSum,
} from '../../../../topology/frontier/check/digest.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { noHistory } from '../../../../topology/policy/recrawl/history.ts';

const hostKey = 'a.test';
const entryAt = (path: string, more: Partial<Entry> = {}): Entry => ({
  ...{ url: `http://a.test/${path}`, depth: 1, hop: 2, attempts: 3, expiries: 4, frontQueue: 5 },
  ...more,
});
const fieldsAt = (path: string) => [`http://a.test/${path}`, 1, 2, 3, 4, 5];

function stateOf(...changes: readonly Change[]): FrontierState {
  const state = new FrontierState({ hi: 1, lo: 2 });
  for (const change of changes) state.apply(change);
  return state;
}

function rowsOf(state: FrontierState): CanonicalRow[] {
  const rows: CanonicalRow[] = [];
  eachRow(state, (row) => rows.push(row));
  return rows;
}

function kindOf(state: FrontierState, ...kinds: readonly CanonicalRow[0][]): CanonicalRow[] {
  return rowsOf(state).filter(([kind]) => kinds.includes(kind));
}

const facts = (change: object): Change => ({ kind: 'host', hostKey, facts: { ...newHostFacts, ...change } });
const admit = (...entries: readonly Entry[]): Change => ({ kind: 'admit', hostKey, known: false, entries });
const load = (row: object): Change => ({ kind: 'load', row }) as Change;
const again = (path: string, dueAtMs: number, more: Partial<Entry> = {}): Change =>
  load({ row: 'again', hostKey, known: false, dueAtMs, entry: entryAt(path, more), normal: `http://a.test/${path}` });

test('an unused state has its policy, positions, sums and the oldest counters', () => {
  const kinds = new Map<string, number>();
  for (const [kind] of rowsOf(stateOf())) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  assert.deepEqual(Object.fromEntries(kinds), {
    ...{ policy: 1, next: 1, position: 3, counter: 6 + 9 + 24, everQueued: 1, cash: 1, seen: 1 },
  });
});

test('facts of the whole partition have their own rows', () => {
  const state = stateOf(
    { kind: 'policy', version: 3, json: '{"a":1}' },
    { kind: 'count', counter: 'retries', by: 12 },
    { kind: 'count', counter: 'untagged', by: 1 },
    { kind: 'quotaBook', partition: 2, granted: 64, returned: 5, wanted: 1, version: 12 },
    { kind: 'linked', fingerprints: [1, 2] },
    { kind: 'tagSet', number: 1, tags: ['x', 'y'] },
    { kind: 'taken', position: 7, leases: [] },
  );
  state.positions.results = { offset: 5, slice: 2 };
  const of = (kind: CanonicalRow[0]) => kindOf(state, kind);
  assert.deepEqual(of('policy'), [['policy', 3, '{"a":1}']]);
  assert.deepEqual(of('quota'), [['quota', 2, 64, 5, 1, 12]]);
  assert.deepEqual(of('inLinks'), [['inLinks', 1]]);
  assert.deepEqual(of('tags'), [['tags', 0, 'x', 'y']]);
  assert.deepEqual(of('taken'), [['taken', 7, 1]]);
  assert.deepEqual(of('position').sort(), [
    ['position', 'control', 0, 0],
    ['position', 'discovered', 0, 0],
    ['position', 'results', 5, 2],
  ]);
  const reported = of('counter').filter(([, , count]) => count !== 0);
  assert.deepEqual(reported, [
    ['counter', 'retries', 12],
    ['counter', 'untagged', 1],
  ]);
  assert.deepEqual(of('next'), [['next', 1, 0]]);
});

test('the progress of a load is included once it has begun', () => {
  const progress = (isDone: boolean) => load({ row: 'progress', source: 'dump-1', line: 0, isDone });
  for (const isDone of [true, false])
    assert.deepEqual(kindOf(stateOf(progress(isDone)), 'load'), [['load', 'dump-1', 0, isDone ? 1 : 0]]);
  const taken = stateOf({ kind: 'taken', position: 0, leases: [] });
  assert.deepEqual(kindOf(taken, 'taken'), [['taken', 0, 1]]);
});

test('a host has a row of its facts, with later fields if they are set', () => {
  const usual = ['0', '-1', '-1', '-1', '-1', '0', '0', '0', '0', '0', '0', '0', '', 'false', '0'];
  assert.deepEqual(kindOf(stateOf(facts({})), 'host'), [['host', hostKey, ...usual]]);
  const reported = {
    readyAtMs: 5,
    hold: 'blocked',
    deferredOpen: true,
    bytes: 1,
    ownDelayIsLeast: true,
    serverErrors: 1,
  };
  const all = ['5', ...usual.slice(1, 12), 'blocked', 'true', '0', 1, 'least', 'errors 1'];
  assert.deepEqual(kindOf(stateOf(facts(reported)), 'host'), [['host', hostKey, ...all]]);
});

test('an unusual host has rows of its slots, its budget, its traps and its purged URLs', () => {
  const trap = (pattern: string, frontQueue: number): Change => ({
    ...{ kind: 'trap', hostKey, pattern, reason: 'calendar', detail: 'd', frontQueue },
  });
  const state = stateOf(
    { kind: 'hostSlots', hostKey, own: 2, most: 3 },
    { kind: 'hostSlot', hostKey, readyAtMs: 50 },
    { kind: 'hostSlot', hostKey, readyAtMs: 40 },
    { kind: 'spend', key: hostKey, period: 6, used: 7 },
    { kind: 'countReferrer', key: hostKey, fingerprint: 9 },
    ...[trap('p', 16), trap('q', 17), trap('r', 18)],
    ...['q', 'p'].map((pattern): Change => ({ kind: 'releaseTrap', hostKey, pattern })),
    load({ row: 'purged', hostKey, fingerprints: [45, 46, 47, 48] }),
    { kind: 'equivalence', hostKey, rewriting: 'https', proofs: 1, against: 2, targets: [3, 4] },
  );
  assert.deepEqual(kindOf(state, 'lanes', 'budget', 'trap', 'released', 'purged', 'equivalence'), [
    ['lanes', hostKey, 2, 3, 0, 0, 40, 50],
    ['budget', hostKey, 6, 7, 9],
    ['trap', hostKey, 'r', 'calendar', 'd', 18],
    ['released', hostKey, 0, 'q', 17],
    ['released', hostKey, 1, 'p', 16],
    ['purged', hostKey, 45, 46],
    ['purged', hostKey, 47, 48],
    ['equivalence', hostKey, 'https', 1, 2, 3, 4],
  ]);
});

test('robots.txt files that wait for their host’s lease are listed in order', () => {
  const hop = (path: string): Change => ({
    ...{ kind: 'robotsHop', hostKey, hop: { url: `http://a.test/${path}`, asked: ['x', 'y'], partition: 3 } },
  });
  assert.deepEqual(kindOf(stateOf(hop('1'), hop('2')), 'robotsHop'), [
    ['robotsHop', hostKey, 0, 'http://a.test/1', 3, 'x', 'y'],
    ['robotsHop', hostKey, 1, 'http://a.test/2', 3, 'x', 'y'],
  ]);
});

test('queues are described by their start and their removals; returned URLs one by one in order', () => {
  const tagged = { payload: Buffer.from([0, 1]), tags: 4, spelling: '/S' };
  const state = stateOf(
    admit(...['1', '2', '3'].map((path) => entryAt(path))),
    again('x', 9),
    again('y', 0, tagged),
    again('z', 0, { spelling: '/Z' }),
  );
  assert.deepEqual(kindOf(state, 'again'), [
    ['again', hostKey, 0, 0, ...fieldsAt('y'), 4, '/S', 'AAE='],
    ['again', hostKey, 1, 0, ...fieldsAt('z'), '/Z'],
    ['again', hostKey, 2, 9, ...fieldsAt('x')],
  ]);
  const [band] = kindOf(state, 'band');
  assert.deepEqual(band!.slice(0, 4), ['band', hostKey, 5, 3]);
  const head = Number(band![4]);
  const grant = { kind: 'grant', leaseId: 1, hostKey, again: 0, deadlineMs: 95, delayMs: 96 } as const;
  state.apply({ ...grant, frontQueues: [[5, 1]] });
  assert.deepEqual(kindOf(state, 'band')[0]!.slice(0, 5), ['band', hostKey, 5, 2, head + 1]);
  const queued = kindOf(state, 'everQueued')[0]!;
  state.apply(admit(entryAt('4')));
  const more = kindOf(state, 'everQueued')[0]!;
  assert.equal(Number(more[1]), Number(queued[1]) + 1);
  assert.notDeepEqual(more.slice(2), queued.slice(2));
});

test('a lease is described with its unresolved URLs, and what visits showed of them', () => {
  const state = stateOf(admit(entryAt('1'), entryAt('2'), entryAt('3')), {
    ...{ kind: 'grant', leaseId: 8, hostKey, again: 0, frontQueues: [[5, 3]], deadlineMs: 95, delayMs: 96 },
  });
  const lease = state.leases.get(8)!;
  const page = { record: {} as never, frontQueue: 0, visitedAtMs: 2, changedAtMs: 3, signature: 's', failures: 4 };
  lease.pages.set(0, { ...page, history: { ...noHistory, changes: 6 } });
  lease.pages.set(2, { ...page, history: noHistory, gain: { urls: 7, seconds: 8, visits: 9 } });
  lease.entries[1] = null;
  assert.deepEqual(kindOf(state, 'lease', 'leased', 'leasedPage'), [
    ['lease', 8, hostKey, 95, 96],
    ['leased', 8, 0, ...fieldsAt('1')],
    ['leased', 8, 2, ...fieldsAt('3')],
    ['leasedPage', 8, 0, 2, 3, 's', 6, 0, 0, 0, 0, 1, 0],
    ['leasedPage', 8, 2, 2, 3, 's', 0, 0, 0, 0, 0, 1, 0, 7, 8, 9],
  ]);
  assert.deepEqual(kindOf(state, 'next'), [['next', 9, 0]]);
  assert.equal(kindOf(state, 'host')[0]![2], 8);
});

test('the schedule is included if there is one', () => {
  const round = { dueS: 81, sinceS: 82, tries: 83, secure: true };
  const state = stateOf({ kind: 'sitemaps', hostKey, round }, { kind: 'price', price: -71, atMs: 72 });
  state.recrawl.trust.set(0, { fromSitemap: 3, proved: 2, lastDueS: 1 });
  state.recrawl.credit = 5;
  const none = ['schedule', 0, 0, ...state.recrawl.table.sum.words];
  assert.deepEqual(kindOf(state, 'schedule', 'trust', 'sitemaps'), [
    [...none, -71, 72, 5],
    ['trust', hostKey, 3, 2, 1],
    ['sitemaps', hostKey, 81, 82, 83, 1],
  ]);
  state.apply({ kind: 'sitemaps', hostKey, round: { ...round, secure: false } });
  assert.deepEqual(kindOf(state, 'sitemaps'), [['sitemaps', hostKey, 81, 82, 83, 0]]);
  assert.deepEqual(kindOf(stateOf(), 'schedule'), []);
});

test('seen fingerprints and moved cash change their sums', () => {
  const [empty, one] = [stateOf(), stateOf(admit(entryAt('1')))];
  const seen = (state: FrontierState) => kindOf(state, 'seen')[0]!;
  assert.deepEqual([seen(empty)[1], seen(one)[1]], [0, 1]);
  assert.notDeepEqual(seen(one).slice(2), seen(empty).slice(2));
  const paid = stateOf({ kind: 'cash', amount: 0.25, isNew: true, fingerprints: [1, 2] });
  assert.notDeepEqual(kindOf(paid, 'cash'), kindOf(empty, 'cash'));
});

/** The sum of rows, each hashed by itself as whole numbers of any size. */
function summed(rows: readonly CanonicalRow[]): string {
  let sum = 0n;
  for (const row of rows) {
    const one = new RowSum();
    one.add(row);
    sum += BigInt(`0x${one.hex()}`);
  }
  return (sum % 2n ** 128n).toString(16).padStart(32, '0');
}

test('a digest is the sum of its rows modulo 2^128, in any order', () => {
  const state = stateOf(admit(entryAt('1')), facts({ pages: 3 }));
  assert.match(digest(state), /^[0-9a-f]{32}$/);
  assert.equal(digest(state), summed(rowsOf(state)));
  assert.equal(new RowSum().hex(), '0'.repeat(32));
  const [all, halves, half] = [new RowSum(), new RowSum(), new RowSum()];
  const rows = Array.from({ length: 200 }, (_, n): CanonicalRow => ['counter', 'x', n]);
  for (const row of rows) all.add(row);
  for (const [n, row] of rows.entries()) (n % 2 === 0 ? halves : half).add(row);
  halves.addSum(half);
  assert.deepEqual([all.hex(), halves.hex()], [summed(rows), summed(rows)]);
});

test('a row has the same hash in every release, since snapshots keep digests', () => {
  const sum = new RowSum();
  sum.add(['host', 'a.test', 1]);
  assert.equal(sum.hex(), '5345c5ea9e6d7375c2bb846554f43023');
});

test('ambiguously concatenated fields make different rows', () => {
  assert.notEqual(summed([['tags', 'ab', 'c']]), summed([['tags', 'a', 'bc']]));
});

test('a served queue has a row of its counts, and rescheduled URLs as a sum', () => {
  const served: Change = { kind: 'policy', version: 1, json: '{"sink":"pull"}' };
  const payload = Buffer.from([0]);
  const [x, y] = [again('x', 9, { payload }), again('y', 8, { payload })];
  const state = stateOf(served, x, y, again('z', 0));
  assert.equal(kindOf(state, 'pulled')[0]![1], hostKey);
  const [rescheduled] = kindOf(state, 'rescheduled');
  assert.deepEqual(rescheduled!.slice(0, 3), ['rescheduled', hostKey, 2]);
  assert.deepEqual(kindOf(stateOf(x), 'pulled', 'rescheduled'), []);
  // Earlier versions told them URL by URL, behind what came back.
  const others = rowsOf(state).filter(([kind]) => kind !== 'rescheduled');
  const waits = (order: number, dueAtMs: number, path: string): CanonicalRow => [
    ...(['again', hostKey, order, dueAtMs, ...fieldsAt(path), 'AA=='] as const),
  ];
  assert.equal(earlierDigest(state), summed([...others, waits(1, 8, 'y'), waits(2, 9, 'x')]));
  assert.notEqual(earlierDigest(state), digest(state));
  assert.equal(earlierDigest(stateOf(served)), digest(stateOf(served)));
  // Once their rows are on disk, that is not known any more.
  state.pull.known.take();
  assert.notEqual(earlierDigest(state), undefined);
  state.pull.known.written();
  assert.equal(earlierDigest(state), undefined);
});
