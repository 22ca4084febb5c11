import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RowsInMemory } from '../../../../lab/model/rows-in-memory.ts';
import { type PageRecord, urlRowKey, writePageRecord } from '../../../../topology/frontier/changes/page-record.ts';
import { writeUrlRecord } from '../../../../topology/frontier/changes/url-record-bytes.ts';
import { saveCheckpoint } from '../../../../topology/frontier/checkpoint/save-checkpoint.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { ByteWriter } from '../../../../topology/frontier/storage/bytes.ts';
import type { DumpLine } from '../../../../topology/frontier/transfer/dump-line.ts';
import {
  budgetLines,
  dumpHosts,
  repeatedLine,
  rowLine,
  tallyLine,
} from '../../../../topology/frontier/transfer/dump-state.ts';
import { loadChanges, type StateLine } from '../../../../topology/frontier/transfer/load-changes.ts';
import { noHistory } from '../../../../topology/policy/recrawl/history.ts';

const lower = (url: string) => url.toLowerCase();
const trap = (pattern: string, frontQueue: number) => ({ pattern, reason: 'steps', detail: 'd', frontQueue }) as const;

function stateOf(lines: readonly StateLine[]): FrontierState {
  const state = new FrontierState({ hi: 1, lo: 2 });
  for (const change of loadChanges(state, lines)) state.apply(change);
  return state;
}

/** Lines that hosts and their queues come to, with their rows on disk where `rows` are given. */
function dumped(state: FrontierState, rows = new RowsInMemory(), normal = (url: string) => url): DumpLine[] {
  const lines: DumpLine[] = [];
  rows.run(dumpHosts(state, normal, (line) => lines.push(line)));
  return lines;
}

const hosts: readonly StateLine[] = [
  { host: 'plain.test' },
  { host: 'met.test', facts: { fetched: 1 } },
  {
    host: 'a.test',
    facts: { readyAtMs: 5, pages: 3, hold: 'crawlDelay', deferredOpen: true },
    traps: { trapped: [trap('p', 17)], released: [trap('r', 16)] },
    purged: [1, 2, 3, 4],
    hostSlots: { own: 2, most: 3, freeAtMs: [4, 5] },
  } as never,
];
const queues: readonly StateLine[] = [
  { url: 'http://a.test/w', status: 'waiting', frontQueue: 2 },
  { url: 'http://a.test/x', status: 'waiting', frontQueue: 1, dueAtMs: 1, attempts: 1 },
  { url: 'http://a.test/1', status: 'queued', frontQueue: 3 },
  {
    ...{ url: 'http://a.test/2', status: 'queued', frontQueue: 3, depth: 1, hop: 1, attempts: 1, expiries: 1 },
    ...{ payload: 'AAE=', tags: ['t', 'u'], spelling: '/B' },
  },
  { url: 'http://b.test/3', status: 'queued', frontQueue: 5, host: 'a.test', depth: 1 },
];

test('hosts and their queues are dumped as they were loaded, with each field that is not at its default', () => {
  assert.deepEqual(dumped(stateOf([...hosts, ...queues])), [...hosts, ...queues]);
});

test('URLs on disk are dumped like those in memory, each queue in its order', () => {
  const urls: readonly StateLine[] = Array.from({ length: 8 }, (_, n) => ({
    ...{ url: `http://a.test/${n}`, status: 'queued', frontQueue: n < 3 ? 0 : 7 },
  }));
  const [state, rows] = [new FrontierState({ hi: 1, lo: 2 }), new RowsInMemory()];
  rows.run(saveCheckpoint(stateOf(urls)));
  rows.load(state);
  assert.deepEqual(dumped(state, rows), [{ host: 'a.test' }, ...urls]);
});

test('lines are dumped in turns of 4,096, so that they can be written meanwhile', () => {
  const urls: readonly StateLine[] = Array.from({ length: 4_100 }, (_, n) => ({
    ...{ url: `http://a.test/${n}`, status: 'queued', frontQueue: n % 2 },
  }));
  const state = stateOf(urls);
  const given: number[] = [];
  let lines = 0;
  const job = dumpHosts(state, lower, () => {
    lines += 1;
  });
  for (let next = job.next([]); !next.done; next = job.next([])) given.push(lines);
  assert.deepEqual(given, [4_096, 4_101]);
});

test('a rescheduled URL is dumped with its due time, page by page of rows', () => {
  const state = new FrontierState({ hi: 1, lo: 2 });
  state.setPolicy(1, JSON.stringify({ sink: 'pull' }));
  const urls: readonly StateLine[] = Array.from({ length: 513 }, (_, n) => ({
    ...{ url: `http://a.test/${n}`, status: 'waiting', frontQueue: 0, dueAtMs: 1 + n, payload: 'AA==' },
  }));
  for (const change of loadChanges(state, urls)) state.apply(change);
  assert.deepEqual(dumped(state), [{ host: 'a.test' }, ...urls]);
});

test('many hosts are dumped in turns, too', () => {
  const state = stateOf([]);
  for (let n = 0; n < 4_097; n++) state.getOrCreate(`${n}.test`);
  const given: number[] = [];
  let lines = 0;
  const job = dumpHosts(state, lower, () => {
    lines += 1;
  });
  for (let next = job.next([]); !next.done; next = job.next([])) given.push(lines);
  assert.deepEqual(given, [4_096, 4_097]);
});

test('a waiting URL has its known spelling, if that differs', () => {
  const line = { url: 'http://a.test/A', status: 'waiting', frontQueue: 2 } as const;
  const [, reported] = dumped(stateOf([line]), undefined, lower);
  assert.deepEqual(reported, { ...line, normal: 'http://a.test/a' });
});

test('an account names its hosts, or itself if none was met', () => {
  const account = (budget: string, used: number): StateLine => ({
    ...{ budget, hosts: [], period: 1, used, sources: [3, 4] },
  });
  const { sources } = [...budgetLines(stateOf([account('a.test', 0)]))][0]!;
  const lines = [account('a.test', 2), account('far.test', 5)];
  const met = [{ host: 'www.a.test' }, { host: 'b.test' }, { host: 'a.test' }];
  assert.deepEqual([...budgetLines(stateOf(met))], []);
  const state = stateOf([...met, ...lines]);
  state.budgets.setKeyMode('domain', []);
  const reported = [...budgetLines(state)];
  assert.deepEqual(reported, [
    { budget: 'a.test', hosts: ['www.a.test', 'a.test'], period: 1, used: 2, sources },
    { budget: 'far.test', hosts: ['far.test'], period: 1, used: 5, sources },
  ]);
});

const known = { url: 'http://a.test/A', status: 'page', outcome: 'fetched' } as const;
const plain = {
  ...{ ...known, httpStatus: 0, atMs: 0, attempts: 0, depth: 0, etag: '', lastModified: '', contentHash: '' },
  soft404: false,
};

function lineOf(state: FrontierState, write: (writer: ByteWriter) => void): unknown {
  const writer = new ByteWriter();
  write(writer);
  const [hi, lo] = state.fingerprintOf(known.url);
  return rowLine(state, urlRowKey(hi!, lo!), writer.take(), lower);
}

test('a known URL is dumped with its record; one that was given up, as known', () => {
  const state = stateOf([]);
  state.tagSets.add(1, ['t']);
  const reported = (change: object) => lineOf(state, (writer) => writeUrlRecord(writer, { ...plain, ...change }));
  assert.deepEqual(reported({}), known);
  const all = { atMs: 1, attempts: 1, depth: 1, etag: 'e', lastModified: 'l', contentHash: 'c', soft404: true };
  assert.deepEqual(reported({ ...all, httpStatus: 1, tags: 1, spelling: '/B' }), {
    ...{ ...known, ...all, http: 1, tags: ['t'], spelling: '/B' },
  });
  assert.deepEqual(reported({ status: 'known' }), { url: known.url, status: 'known' });
  assert.deepEqual(reported({ status: 'dead' }), { ...known, url: 'http://a.test/a', status: 'dead' });
});

test('a revisited page is dumped with its visits and due time', () => {
  const page: PageRecord = {
    ...{
      record: plain,
      frontQueue: 1,
      visitedAtMs: 2,
      changedAtMs: 3,
      failures: 4,
      signature: 's',
      history: noHistory,
    },
  };
  const state = stateOf([]);
  const [hi, lo] = state.fingerprintOf(known.url);
  state.recrawl.put(hi!, lo!, 0, page, 8_001);
  const { record: _, ...visits } = page;
  assert.deepEqual(
    lineOf(state, (writer) => writePageRecord(writer, page)),
    { ...known, visits: { ...visits, dueAtMs: 9_000 } },
  );
  // Others of the partition are as they were.
  const other = new ByteWriter();
  writeUrlRecord(other, plain);
  assert.deepEqual(rowLine(state, urlRowKey(hi!, (lo! ^ 1) >>> 0), other.take(), lower), known);
});

test('URLs that finished again after they were forced count beyond the records, by status', () => {
  const state = stateOf([{ repeated: { page: 5, denied: 2, failed: 1 } }]);
  const records = new Map([
    ['page', 3],
    ['denied', 2],
  ]);
  assert.deepEqual(repeatedLine(state, records), { repeated: { page: 2, failed: 1 } });
});

test('tallies are dumped if they count something that a load does not count itself', () => {
  const state = stateOf([{ tallies: { fetches: 6, retries: 1 } }]);
  state.counters.imported = 3;
  state.counters.scheduled = 4;
  assert.deepEqual(tallyLine(state), { tallies: { fetches: 6, retries: 1 } });
});
