import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UrlRecord } from '../../../../topology/frontier/changes/changes.ts';
import type { PageRecord } from '../../../../topology/frontier/changes/page-record.ts';
import { neverDue } from '../../../../topology/frontier/changes/sitemap-rounds.ts';
import { type Due, noRate } from '../../../../topology/frontier/recrawl/due-table.ts';
import {
  finalStatusOf,
  freeVisit,
  pricedAs,
  RecrawlState,
} from '../../../../topology/frontier/recrawl/recrawl-state.ts';
import { defaultRecrawl } from '../../../../topology/policy/recrawl/recrawl-config.ts';

const fingerprint = (lo: number) => Uint32Array.of(7, lo);
const nothingChanged = { changes: 0, changedS: 0, changedSquares: 0, unchanged: 0, unchangedS: 0, recent: 0 };
const record: UrlRecord = {
  ...{ url: 'http://a.test/', status: 'page', outcome: 'fetched', httpStatus: 200, atMs: 5, attempts: 1, depth: 2 },
  ...{ etag: '', lastModified: '', contentHash: '', soft404: false },
};
const page: PageRecord = {
  ...{ record, frontQueue: 3, visitedAtMs: 1_999, changedAtMs: 1_000, signature: 'abc', failures: 1 },
  history: { ...nothingChanged, intervalS: 0 },
};
const plain: Due = {
  ...{ hi: 7, lo: 1, host: 0, dueS: 1e9, visitedS: 9e8, rateClass: noRate, status: 0, frontQueue: 0, gained: 0 },
  ...{ fromSitemap: false, out: false, pushed: false, duplicate: false },
};

function withRows(...rows: readonly Partial<Due>[]): RecrawlState {
  const state = new RecrawlState();
  for (const row of rows) state.table.put({ ...plain, ...row });
  return state;
}

function rowOf(state: RecrawlState, lo: number, hi = 7): Due {
  return state.table.at(state.table.find(hi, lo));
}

test('a page is on the schedule from its first row on, until it leaves', () => {
  const state = new RecrawlState();
  assert.ok(!state.isScheduled(fingerprint(1)));
  for (const lo of [1, 2]) state.table.put({ ...plain, lo });
  assert.deepEqual(
    [1, 2, 3].map((lo) => state.isScheduled(fingerprint(lo))),
    [true, true, false],
  );
  state.table.remove(state.table.find(7, 1));
  assert.ok(!state.isScheduled(fingerprint(1)));
  state.table.remove(state.table.find(7, 2));
  assert.ok(!state.isScheduled(fingerprint(2)));
});

test('the schedule is empty until something is scheduled, a host has sitemaps, or credit or a price exists', () => {
  assert.equal(new RecrawlState().isEmpty, true);
  const full = (fill: (state: RecrawlState) => void) => {
    const state = new RecrawlState();
    fill(state);
    return state.isEmpty;
  };
  assert.equal(
    full((state) => state.table.put(plain)),
    false,
  );
  assert.equal(
    full((state) => state.setRound(0, { dueS: neverDue, sinceS: 0, tries: 0, secure: false })),
    false,
  );
  assert.equal(
    full((state) => {
      state.credit = 1;
    }),
    false,
  );
  assert.equal(
    full((state) => state.setPrice(0, 1)),
    false,
  );
});

test('a price is kept as its logarithm, 1024 steps to the octave; a free visit has its own value', () => {
  assert.deepEqual([8, 1, 0.5, 0, -1].map(pricedAs), [3_072, 0, -1_024, freeVisit, freeVisit]);
  assert.equal(freeVisit, -1_048_576);
  const state = new RecrawlState();
  assert.equal(state.visitPrice, null);
  state.setPrice(pricedAs(8), 1);
  assert.equal(state.visitPrice, 8);
  state.setPrice(pricedAs(0), 2);
  assert.equal(state.visitPrice, 0);
  assert.equal(state.pricedAtMs, 2);
});

test('only changed parts are written: rows, prices, rounds, trust, credit', () => {
  const changes: readonly ((state: RecrawlState) => unknown)[] = [
    (state) => state.setPrice(0, 1),
    (state) => state.setRound(0, { dueS: 1, sinceS: 0, tries: 0, secure: false }),
    (state) => state.learn(0, false),
    (state) => state.take(0, { kind: 'grantSitemaps', frontQueues: [[0, 1]], again: 0 } as never),
    (state) => state.table.put(plain),
    (state) => {
      state.trust.set(9, { fromSitemap: 1, proved: 0, lastDueS: 0 });
      state.forgetHost(9);
    },
  ];
  for (const [at, change] of changes.entries()) {
    const state = new RecrawlState();
    state.setPolicy({ ...defaultRecrawl, share: 0.5 });
    assert.equal(state.isUnsaved, false);
    change(state);
    assert.equal(state.isUnsaved, true, `change ${at}`);
    state.written();
    state.table.unsaved.clear();
    assert.equal(state.isUnsaved, false);
  }
  const state = new RecrawlState();
  state.forgetHost(9);
  assert.equal(state.isUnsaved, false);
});

test('a row has what the page does: its due time rounded up, its visit down, its class by rate and weight', () => {
  const state = new RecrawlState();
  state.put(7, 1, 4, page, 5_001);
  assert.deepEqual(rowOf(state, 1), {
    ...{ hi: 7, lo: 1, host: 4, dueS: 6, visitedS: 1, status: 0, frontQueue: 3, rateClass: noRate },
    ...{ fromSitemap: false, out: false, pushed: false, duplicate: false, gained: 0 },
  });
  assert.equal(finalStatusOf(0), 'page');
  assert.equal(state.pageAt(7, 1), page);
  // One change a day is 2^13 times the slowest rate: class 4 * 13 of a front queue's 80, less a part for the doubt.
  const daily = { ...nothingChanged, changes: 40, changedS: 40 * 86_400, changedSquares: 40 * 86_400 ** 2 };
  const failed: UrlRecord = { ...record, status: 'failed' };
  state.put(7, 2, 4, { ...page, record: failed, history: { ...daily, intervalS: 0 }, frontQueue: 7 }, 5_000);
  const { dueS, status, frontQueue, rateClass } = rowOf(state, 2);
  assert.deepEqual([dueS, finalStatusOf(status), frontQueue], [5, 'failed', 7]);
  assert.ok(rateClass >= 7 * 80 + 52 && rateClass < 8 * 80, `${rateClass}`);
  const feed = { ...page, signature: 'feed/0/', history: { ...daily, intervalS: 0 } };
  state.put(7, 3, 4, feed, 5_000);
  assert.equal(rowOf(state, 3).rateClass, noRate);
  // A front queue of the schedule has three bits.
  state.put(7, 4, 4, { ...page, frontQueue: 8 }, 5_000);
  assert.equal(rowOf(state, 4).frontQueue, 7);
});

test('a failed visit keeps what was gained since the last one; another visit starts over', () => {
  const state = new RecrawlState();
  state.put(7, 1, 0, page, 5_000);
  state.gain(fingerprint(1), 3);
  state.put(7, 1, 0, page, 9_000);
  assert.equal(rowOf(state, 1).gained, 3);
  state.put(7, 1, 0, { ...page, visitedAtMs: 2_000 }, 9_000);
  assert.equal(rowOf(state, 1).gained, 0);
});

test('gains are counted up to 31, and not for unscheduled URLs', () => {
  const state = withRows({});
  state.gain(fingerprint(1), 30);
  state.gain(fingerprint(1), 1);
  assert.equal(rowOf(state, 1).gained, 31);
  state.gain(fingerprint(1), 5);
  assert.equal(rowOf(state, 1).gained, 31);
  state.gain(fingerprint(2), 5);
  assert.equal(state.table.size, 1);
});

test('scheduled means waiting: URLs that are not on lease, and hosts with sitemaps to read', () => {
  const state = withRows({ lo: 1 }, { lo: 2, dueS: 2e9 }, { lo: 3, host: 1 });
  state.setRound(5, { dueS: 1, sinceS: 0, tries: 0, secure: false });
  assert.equal(state.scheduled, 4);
  state.table.take(0, 1);
  assert.equal(state.scheduled, 3);
});

test('a host is due with its first URL or its sitemaps, whichever comes first', () => {
  const state = withRows({ host: 1, dueS: 50 }, { lo: 2, host: 2, dueS: 70 });
  assert.deepEqual([state.dueAtMs(0), state.dueAtMs(1), state.dueAtMs(2)], [undefined, 50_000, 70_000]);
  const round = { sinceS: 0, tries: 0, secure: true };
  state.setRound(0, { ...round, dueS: 30 });
  state.setRound(1, { ...round, dueS: 40 });
  state.setRound(2, { ...round, dueS: 80 });
  assert.deepEqual([state.dueAtMs(0), state.dueAtMs(1), state.dueAtMs(2)], [30_000, 40_000, 70_000]);
  const alone = new RecrawlState();
  alone.setRound(0, { ...round, dueS: 30 });
  assert.equal(alone.dueAtMs(0), 30_000);
  assert.equal(withRows({ dueS: 50 }).dueAtMs(0), 50_000);
});

test('a URL is moved to its new time; one on lease is marked instead', () => {
  const state = withRows({ host: 3 }, { lo: 2, host: 4, out: true });
  state.move(fingerprint(1), 60, false);
  assert.deepEqual([rowOf(state, 1).dueS, rowOf(state, 1).fromSitemap, rowOf(state, 1).pushed], [60, false, false]);
  assert.equal(state.trust.size, 0);
  state.move(fingerprint(1), 70, true);
  assert.deepEqual([rowOf(state, 1).dueS, rowOf(state, 1).fromSitemap], [70, true]);
  assert.deepEqual([...state.trust], [[3, { fromSitemap: 0, proved: 0, lastDueS: 70 }]]);
  state.move(fingerprint(2), 80, false);
  assert.deepEqual([rowOf(state, 2).dueS, rowOf(state, 2).pushed, rowOf(state, 2).out], [1e9, true, true]);
});

test('trust counts dates and proofs; at 64 both are halved first', () => {
  const state = new RecrawlState();
  state.learn(1, true);
  state.learn(1, false);
  assert.deepEqual(state.trust.get(1), { fromSitemap: 2, proved: 1, lastDueS: 0 });
  state.trust.set(1, { fromSitemap: 63, proved: 21, lastDueS: 9 });
  state.learn(1, true);
  assert.deepEqual(state.trust.get(1), { fromSitemap: 64, proved: 22, lastDueS: 9 });
  state.learn(1, true);
  assert.deepEqual(state.trust.get(1), { fromSitemap: 33, proved: 12, lastDueS: 9 });
});

test('a near-duplicate page counts in the front queue of such pages, downward, and in its class', () => {
  const state = withRows({ rateClass: 2 * 80 + 13, frontQueue: 2 }, { lo: 2, frontQueue: 6, rateClass: 6 * 80 + 1 });
  state.table.put({ ...plain, lo: 3 });
  const config = { ...defaultRecrawl, demote: { waitFactor: 4, frontQueue: 5 } };
  state.setPolicy(config);
  // A page that is no duplicate stays where it is.
  state.judge(fingerprint(1), false);
  assert.equal(rowOf(state, 1).frontQueue, 2);
  for (const lo of [1, 2, 3, 4]) state.judge(fingerprint(lo), true);
  const reported = (lo: number) => {
    const { duplicate, frontQueue, rateClass } = rowOf(state, lo);
    return [duplicate, frontQueue, rateClass];
  };
  assert.deepEqual([1, 2, 3].map(reported), [
    [true, 5, 5 * 80 + 13],
    [true, 6, 6 * 80 + 1],
    [true, 5, noRate],
  ]);
  assert.equal(state.table.size, 3);
  // It is taken back; the front queue stays until the next visit.
  state.judge(fingerprint(1), false);
  assert.deepEqual(reported(1), [false, 5, 5 * 80 + 13]);
  // A visit keeps the verdict, and counts by it.
  state.put(7, 3, 0, page, 5_000);
  assert.deepEqual(reported(3), [true, 5, noRate]);
  state.put(7, 1, 0, page, 5_000);
  assert.deepEqual(reported(1), [false, 3, noRate]);
  // Without a policy that demotes, the verdict alone is kept.
  state.setPolicy({ ...config, demote: undefined });
  state.put(7, 5, 0, page, 5_000);
  state.judge(fingerprint(5), true);
  assert.deepEqual(reported(5), [true, 3, noRate]);
  state.put(7, 6, 0, { ...page, frontQueue: 0 }, 5_000);
  state.judge(fingerprint(6), true);
  assert.deepEqual(reported(6), [true, 0, noRate]);
});

test('credit is how far revisits are behind their share of leases, in thousandths, at most 64 fetches', () => {
  const grant = (due: number, counts: readonly number[], again = 0) =>
    ({ kind: 'grantDue', due, frontQueues: counts.map((count, at) => [at, count]), again }) as never;
  const fresh = new RecrawlState();
  fresh.take(0, grant(0, [5]));
  assert.equal(fresh.credit, 0);
  const state = withRows({ lo: 2, dueS: 20 }, { lo: 1, dueS: 10 }, { lo: 3, dueS: 30 });
  state.setPolicy({ ...defaultRecrawl, share: 0.2504 });
  assert.equal(state.share, 250);
  assert.deepEqual(
    state.take(0, grant(2, [3, 1], 4)).map(({ lo, dueS }) => [lo, dueS]),
    [
      [1, 10],
      [2, 20],
    ],
  );
  assert.deepEqual([state.credit, rowOf(state, 1).out, rowOf(state, 3).out], [250 * 10 - 2_000, true, false]);
  assert.deepEqual(state.take(0, { kind: 'grant', frontQueues: [[0, 2]], again: 0, due: 9 } as never), []);
  assert.equal(state.credit, 1_000);
  state.take(0, grant(0, [1_000]));
  assert.equal(state.credit, 64_000);
  state.credit = -63_900;
  state.setPolicy(undefined);
  assert.equal(state.share, 0);
  // Nothing is due, and refresh has no share: nothing to reckon.
  state.written();
  state.table.unsaved.clear();
  assert.deepEqual(state.take(0, grant(0, [5])), []);
  assert.deepEqual([state.credit, state.isUnsaved], [-63_900, false]);
  state.take(0, grant(1, []));
  assert.equal(state.credit, -64_000);
});

test('a page on lease is read from its row if it is not in memory', () => {
  const state = new RecrawlState();
  const pages = new Map<number, PageRecord>();
  state.put(7, 1, 0, page, 5_000);
  const entry = state.enter({ ...plain, lo: 1 }, 11, 2, pages);
  assert.deepEqual(entry, { url: record.url, depth: 2, hop: 0, attempts: 1, expiries: 0, frontQueue: 3 });
  assert.deepEqual([[...pages], state.reads], [[[2, page]], []]);
  assert.equal(state.enter({ ...plain, lo: 2 }, 11, 3, pages).url, '');
  assert.deepEqual([pages.size, state.reads], [1, [{ leaseId: 11, index: 3, hi: 7, lo: 2 }]]);
});

test('URLs still on lease at its end are due again, from the next whole second', () => {
  const state = withRows({ out: true, fromSitemap: true, pushed: true }, { lo: 2, dueS: 50 });
  state.endLeases(60_001);
  assert.deepEqual([rowOf(state, 1).dueS, rowOf(state, 1).out, rowOf(state, 2).dueS], [61, false, 50]);
  assert.equal(state.table.out, 0);
});

test('a leased URL leaves the schedule, and no other does', () => {
  const state = withRows({ out: true }, { lo: 2 });
  for (const lo of [1, 2, 3]) state.drop(fingerprint(lo));
  assert.deepEqual(
    [1, 2].map((lo) => state.isScheduled(fingerprint(lo))),
    [false, true],
  );
});

test('a URL is forgotten with its page, leased or not; a host with all its URLs, trust and sitemaps', () => {
  const state = new RecrawlState();
  for (const [lo, host] of [
    [1, 0],
    [2, 1],
    [3, 0],
    [4, 1],
  ] as const)
    state.put(7, lo, host, page, 5_000);
  state.table.take(1, 1);
  state.forgetUrl(7, 1);
  state.forgetUrl(7, 9);
  assert.deepEqual([state.table.size, state.pageAt(7, 1), state.pageAt(7, 3)], [3, undefined, page]);
  state.learn(0, true);
  state.learn(1, true);
  state.setRound(1, { dueS: 5, sinceS: 4, tries: 3, secure: true });
  state.forgetHost(1);
  assert.deepEqual(
    [state.table.size, state.table.out, state.pageAt(7, 2), state.pageAt(7, 4)],
    [1, 0, undefined, undefined],
  );
  assert.deepEqual([...state.trust.keys()], [0]);
  assert.deepEqual(state.sitemaps.of(1), { dueS: neverDue, sinceS: 4, tries: 3, secure: true });
  state.forgetHost(5);
  assert.deepEqual([state.table.size, state.sitemaps.size], [1, 1]);
  const first = withRows({ host: 2 });
  first.forgetHost(2);
  assert.equal(first.table.size, 0);
});

test('pages are found while they are being written, and not after that; a newer one stays', () => {
  const state = new RecrawlState();
  state.put(7, 1, 0, page, 5_000);
  state.put(7, 2, 0, page, 5_000);
  state.beginSaving();
  const { saving } = state;
  assert.deepEqual([state.pages.size, saving.size, state.pageAt(7, 1)], [0, 2, page]);
  const newer = { ...page, failures: 2 };
  state.put(7, 2, 0, newer, 6_000);
  assert.equal(state.pageAt(7, 2), newer);
  state.endSaving(new Map());
  assert.equal(state.pageAt(7, 1), page);
  state.endSaving(saving);
  assert.deepEqual([state.pageAt(7, 1), state.pageAt(7, 2)], [undefined, newer]);
  state.forget(fingerprint(2));
  assert.equal(state.pageAt(7, 2), undefined);
  // Fingerprints are two words, and no two share a page.
  state.put(1, 23, 0, page, 5_000);
  assert.deepEqual([state.pageAt(12, 3), state.pageAt(23, 1)], [undefined, undefined]);
});
