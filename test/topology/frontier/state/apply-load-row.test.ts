/** What another crawl knew, as a state takes it: each row has its place in the counts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import type { UrlRecord } from '../../../../topology/frontier/changes/changes.ts';
import type { LoadRow } from '../../../../topology/frontier/changes/load-row.ts';
import { seenVerdicts } from '../../../../topology/frontier/seen/seen-test.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { defaultRecrawl } from '../../../../topology/policy/recrawl/recrawl-config.ts';

const host = 'a.test';
const urlOf = (n: number) => `https://${host}/${n}`;
const none = { queued: 0, retrying: 0, deferred: 0, leased: 0, page: 0, redirected: 0, denied: 0, failed: 0, dead: 0 };

const recordOf = (n: number, status: UrlRecord['status'] | 'known') => ({
  ...{ url: urlOf(n), status, outcome: 'fetched' as const, httpStatus: 200, atMs: 5, attempts: 1, depth: 0 },
  ...{ etag: '', lastModified: '', contentHash: '', soft404: false },
});

function loaded(...rows: readonly object[]): FrontierState {
  const state = new FrontierState({ hi: 1, lo: 2 });
  for (const row of rows) state.apply({ kind: 'load', row: row as LoadRow });
  return state;
}

/** Where URLs are, and what else is counted. */
function countsOf({ counters }: FrontierState) {
  const { admitted, imported, quotaSpent, scheduled } = counters;
  const places = Object.fromEntries(Object.keys(none).map((place) => [place, counters[place as keyof typeof none]]));
  return { admitted, imported, quotaSpent, scheduled, places };
}

const isSeen = (state: FrontierState, n: number) => {
  const [hi, lo] = state.fingerprintOf(urlOf(n));
  return state.seen.test(hi!, lo!) === seenVerdicts.seen;
};

describe('a loaded row', () => {
  it('a loaded row of finished URLs marks each as seen and stored, and counts it by its outcome; pages count against the quota', () => {
    const urls = (['page', 'page', 'failed', 'dead', 'known'] as const).map((status, n) => recordOf(n, status));
    const state = loaded({ row: 'known', urls });
    assert.deepEqual(countsOf(state), {
      ...{ admitted: 4, imported: 1, quotaSpent: 2, scheduled: 0 },
      places: { ...none, page: 2, failed: 1, dead: 1 },
    });
    assert.deepEqual(state.unsaved.records, urls);
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5].map((n) => isSeen(state, n)),
      [true, true, true, true, true, false],
    );
  });

  it('a loaded row of a repeatedly fetched URL counts each time', () => {
    const state = loaded(
      { row: 'repeated', status: 'page', count: 3 },
      { row: 'repeated', status: 'denied', count: 2 },
    );
    assert.deepEqual(countsOf(state), {
      ...{ admitted: 5, imported: 0, quotaSpent: 3, scheduled: 0 },
      places: { ...none, page: 3, denied: 2 },
    });
  });

  it('a loaded row of a waiting URL keeps its due time, and marks its normal spelling as seen', () => {
    const entry = (n: number) => ({ url: urlOf(n), depth: 1, hop: 0, attempts: 1, expiries: 0, frontQueue: 2 });
    const row = { row: 'again', hostKey: host };
    const state = loaded(
      { ...row, known: false, dueAtMs: 7_000, entry: entry(1), normal: urlOf(2) },
      { ...row, known: true, dueAtMs: 0, entry: entry(3), normal: urlOf(3) },
    );
    assert.deepEqual(countsOf(state), {
      ...{ admitted: 2, imported: 0, quotaSpent: 0, scheduled: 0 },
      places: { ...none, queued: 1, retrying: 1 },
    });
    assert.deepEqual(
      [1, 2, 3].map((n) => isSeen(state, n)),
      [false, true, false],
    );
    const { queue, id } = state.hosts.get(host)!;
    assert.deepEqual(
      queue.again.map(({ dueAtMs, entry: { url } }) => [dueAtMs, url]),
      [
        [0, urlOf(3)],
        [7_000, urlOf(1)],
      ],
    );
    assert.equal(state.clock.readyAtMs(id), 0);
  });

  it('a loaded row of a revisited page marks it as seen and scheduled, and counts it by its outcome', () => {
    const hand = new Hand({ recrawl: { ...defaultRecrawl, schedule: 'fixed', intervalMs: 3_600_000 } });
    hand.links(host, 1);
    hand.report(hand.lease());
    const there = hand.rig.core.state;
    const [hi, lo] = there.fingerprintOf(urlOf(0));
    const state = loaded({ row: 'page', hostKey: host, dueAtMs: 9_000, page: there.recrawl.pageAt(hi!, lo!) });
    assert.deepEqual(countsOf(state), {
      ...{ admitted: 1, imported: 0, quotaSpent: 1, scheduled: 1 },
      places: { ...none, page: 1 },
    });
    assert.deepEqual([isSeen(state, 0), isSeen(state, 1)], [true, false]);
    assert.equal(state.unsaved.hosts, 1, 'the next checkpoint has its host');
    assert.equal(state.clock.readyAtMs(state.hosts.get(host)!.id), 9_000);
  });

  it('a loaded row of the loading progress is where a restart continues', () => {
    const progress = { row: 'progress', read: 7 };
    assert.deepEqual(loaded(progress).load, progress);
  });

  it('a loaded row of purged fingerprints refuses those of its host, and no others', () => {
    const state = loaded({ row: 'purged', hostKey: host, fingerprints: [7, 8, 7, 9] });
    const refused = [
      [7, 8],
      [7, 9],
      [8, 7],
      [9, 7],
      [0, 0],
    ].map(([hi, lo]) => state.purge.refuses(state.hosts, host, hi!, lo!));
    assert.deepEqual(refused, [true, true, false, false, false]);
    assert.equal(countsOf(state).admitted, 0);
  });
});
