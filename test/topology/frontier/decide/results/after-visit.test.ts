/** What a visit tells of its page. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankOutcome } from '../../../../../schemas/blank.ts';
import type { Outcome } from '../../../../../schemas/types.ts';
import { feedSignature } from '../../../../../topology/content/feed-signature.ts';
import type { UrlRecord } from '../../../../../topology/frontier/changes/changes.ts';
import type { PageRecord } from '../../../../../topology/frontier/changes/page-record.ts';
import { afterVisit, visitedOf } from '../../../../../topology/frontier/decide/results/after-visit.ts';
import { noHistory } from '../../../../../topology/policy/recrawl/history.ts';
import type { Recrawl, Visited } from '../../../../../topology/policy/recrawl/schedule.ts';
import type { FreshnessInputs } from '../../../../../topology/policy/score/inputs.ts';

const atMs = 1_000_000_000;
const record: UrlRecord = {
  ...{ url: 'https://a.test/', status: 'page', outcome: 'fetched', httpStatus: 200, atMs, attempts: 1, depth: 0 },
  ...{ etag: '"new"', lastModified: '', contentHash: 'h2', soft404: false },
};
const before: PageRecord = {
  record: { ...record, etag: '"old"', lastModified: 'then', contentHash: 'h1' },
  ...{ frontQueue: 5, visitedAtMs: atMs - 60_000, changedAtMs: atMs - 90_000, history: noHistory, signature: '' },
  failures: 3,
};
const outcome: Outcome = { ...blankOutcome, kind: 'fetched', contentHash: 'h2', etag: '"new"' };

function after(
  own: { outcome?: Partial<Outcome>; record?: Partial<UrlRecord>; before?: Partial<PageRecord> | undefined } = {},
  recrawl: Recrawl | null = null,
) {
  const known = 'before' in own && own.before === undefined ? undefined : { ...before, ...own.before };
  const seen = { outcome: { ...outcome, ...own.outcome }, atMs, frontQueue: 2, record: { ...record, ...own.record } };
  return afterVisit(recrawl, known, seen, 0.5);
}

describe('a page after a visit', () => {
  it('a new page has nothing to be compared with', () => {
    const { page, changed, delayS } = after({ before: undefined, outcome: { textSignature: 's' } });
    assert.deepEqual([changed, delayS], [null, null]);
    assert.deepEqual(page, {
      ...{
        record,
        frontQueue: 2,
        visitedAtMs: atMs,
        changedAtMs: atMs,
        history: noHistory,
        signature: 's',
        failures: 0,
      },
    });
    const failed = after({ before: undefined, record: { status: 'failed' } }).page;
    assert.deepEqual([failed.visitedAtMs, failed.changedAtMs], [0, 0]);
  });

  it('a page is not requested again while it is fresh, and no sooner than its schedule says', () => {
    const hourly = (config = {}) =>
      ({ config, next: () => ({ intervalS: 3_600, delayS: 3_600 }) }) as unknown as Recrawl;
    const delay = (own: Parameters<typeof after>[0], config = {}) => after(own, hourly(config)).delayS;
    assert.equal(delay({}), 3_600);
    assert.equal(delay({ outcome: { freshForMs: 86_400_000 } }), 86_400);
    assert.equal(delay({ outcome: { kind: 'notModified', freshForMs: 7_200_500 } }), 7_201);
    assert.equal(delay({ outcome: { freshForMs: 60_000 } }), 3_600);
    assert.equal(delay({ outcome: { freshForMs: 365 * 86_400_000 } }), 30 * 86_400);
    // The policy says for how long it may.
    assert.equal(delay({ outcome: { freshForMs: 86_400_000 } }, { freshMsMax: 7_200_000 }), 7_200);
    assert.equal(delay({ outcome: { freshForMs: 86_400_000 } }, { freshMsMax: 0 }), 3_600);
    // What says so is an error's page.
    assert.equal(delay({ outcome: { freshForMs: 86_400_000 }, record: { status: 'failed', outcome: 'gone' } }), 3_600);
  });

  it('a page has changed if its body has', () => {
    const { page, changed } = after();
    assert.equal(changed, true);
    const longAgo = after({ before: { visitedAtMs: atMs - 5_000_000 } }).page.history;
    assert.equal(longAgo.changedS, 5_000);
    const { history, ...rest } = page;
    assert.deepEqual(rest, {
      ...{ record, frontQueue: 2, visitedAtMs: atMs, changedAtMs: atMs, signature: '', failures: 0 },
    });
    assert.deepEqual([history.changes, history.changedS, history.unchanged], [1, 60, 0]);
  });

  it('a page has not changed if its body is the same, or its server says so', () => {
    for (const own of [{ outcome: { contentHash: 'h1' } }, { outcome: { kind: 'notModified' } as const }]) {
      const { page, changed } = after(own);
      assert.equal(changed, false);
      assert.deepEqual([page.changedAtMs, page.visitedAtMs, page.history.unchangedS], [atMs - 90_000, atMs, 60]);
    }
  });

  it('a page keeps its last body’s validators if a server sends none', () => {
    const said = { etag: '', lastModified: '', contentHash: '' };
    const { page } = after({ outcome: { kind: 'notModified' }, record: said });
    const { etag, lastModified, contentHash } = page.record;
    assert.deepEqual({ etag, lastModified, contentHash }, { etag: '"old"', lastModified: 'then', contentHash: 'h1' });
    const now = after({
      outcome: { kind: 'notModified' },
      record: { etag: '"e"', lastModified: 'l', contentHash: 'c' },
    });
    assert.deepEqual(
      [now.page.record.etag, now.page.record.lastModified, now.page.record.contentHash],
      ['"e"', 'l', 'c'],
    );
    assert.equal(after({ record: said }).page.record.etag, '', 'a body that says nothing says nothing');
  });

  it('a page without a body hash is identified by a strong ETag', () => {
    for (const none of [
      { outcome: { contentHash: '' } },
      { before: { record: { ...before.record, contentHash: '' } } },
    ]) {
      assert.equal(after(none).changed, true);
      assert.equal(after({ ...none, outcome: { ...none.outcome, etag: '"old"' } }).changed, false);
    }
    const weak = { before: { record: { ...before.record, etag: 'W/"old"' } }, outcome: { contentHash: '' } };
    assert.equal(after(weak).changed, null);
    assert.deepEqual(after(weak).page.history, noHistory, 'a visit that could not tell counts for nothing');
    assert.deepEqual(after(weak).page.changedAtMs, atMs);
  });

  it('a page that failed, or was never visited, reveals no change, and is kept for comparison', () => {
    const { page, changed } = after({ record: { status: 'failed', contentHash: '', etag: '' } });
    assert.equal(changed, null);
    const kept = {
      ...before,
      record: { ...record, status: 'failed', etag: '"old"', lastModified: 'then', contentHash: 'h1' },
    };
    assert.deepEqual(page, { ...kept, failures: 0 });
    assert.equal(after({ before: { visitedAtMs: 0 } }).changed, null);
    assert.equal(after({ before: { visitedAtMs: 1 } }).changed, true);
  });

  it('a page keeps the signature of its last change', () => {
    const same = { contentHash: 'h1', textSignature: 'now' };
    assert.equal(after({ before: { signature: 'then' }, outcome: same }).page.signature, 'then');
    assert.equal(after({ before: { signature: '' }, outcome: same }).page.signature, 'now');
    assert.equal(after({ before: { signature: '' }, outcome: { textSignature: 'now' } }).page.signature, 'now');
  });
});

describe('a feed', () => {
  const feed = (...urls: string[]) => feedSignature(urls, 0);
  const reported = (before: string, now: string) =>
    after({ before: { signature: before }, outcome: { textSignature: now } });

  it('a feed has changed if it has a new entry, and keeps its current ones', () => {
    assert.equal(reported(feed('a', 'b'), feed('b', 'c')).changed, true);
    const same = reported(feed('a', 'b'), feed('b'));
    assert.deepEqual([same.changed, same.page.signature], [false, feed('b')]);
  });

  it('a feed and a page never count as equal', () => {
    assert.equal(reported(feed('a'), 'text').changed, true);
    assert.equal(reported('text', feed('a')).changed, true);
  });

  it('a feed is requested as often as it asks to be', () => {
    const asked: Visited[] = [];
    const next = (visit: Visited) => {
      asked.push(visit);
      return null;
    };
    const recrawl = { config: {}, next } as unknown as Recrawl;
    after({ outcome: { textSignature: feedSignature(['a'], 90_000) } }, recrawl);
    after({}, recrawl);
    assert.deepEqual(
      [asked[0]!.kind, asked[0]!.pollS, asked[1]!.kind, 'pollS' in asked[1]!],
      ['feed', 90, 'page', false],
    );
  });
});

describe('a rescored page', () => {
  /** What its score is told, and the front queue that comes of it. */
  function scored(known: Partial<PageRecord> | null, now: Partial<UrlRecord> = {}) {
    const reported: FreshnessInputs[] = [];
    const seen = { outcome, atMs, frontQueue: 2, record: { ...record, ...now } };
    const scoreAgain = (freshness: FreshnessInputs) => reported.push(freshness);
    const { page } = afterVisit(
      null,
      known === null ? undefined : { ...before, ...known },
      { ...seen, scoreAgain },
      null,
    );
    return { fromSitemap: reported, frontQueue: page.frontQueue };
  }

  it('a rescored page is scored by the time since its visit, and by its changes', () => {
    const { fromSitemap: reported, frontQueue } = scored({});
    assert.deepEqual([reported[0]!.ageMs, reported[0]!.changedShare, frontQueue], [60_000, 1, 1]);
    assert.ok(reported[0]!.changesPerDay! > 0);
    const none = { changesPerDay: null, changedShare: null };
    assert.deepEqual(scored(null).fromSitemap, [{ ageMs: null, ...none }]);
    assert.deepEqual(scored({ visitedAtMs: 0 }).fromSitemap, [{ ageMs: null, ...none }]);
    assert.equal(scored({ visitedAtMs: 1 }).fromSitemap[0]!.ageMs, atMs - 1);
    assert.equal(scored({ visitedAtMs: atMs + 5 }).fromSitemap[0]!.ageMs, 0);
    assert.equal(scored({ visitedAtMs: atMs }).fromSitemap[0]!.ageMs, 0);
  });

  it('a page is not rescored after a failed visit, or without a score', () => {
    assert.deepEqual(scored({}, { status: 'failed' }), { fromSitemap: [], frontQueue: 5 });
    assert.equal(after().page.frontQueue, 2);
  });
});

describe('new URLs of a page', () => {
  const gainOf = (known: Partial<PageRecord>, gained: number | undefined) => {
    const seen = { outcome, atMs, frontQueue: 2, record, ...(gained !== undefined && { gained }) };
    return afterVisit(null, { ...before, ...known }, seen, null).page.gain;
  };

  it('new URLs of a page count from its second visit on, by the time between two', () => {
    assert.deepEqual(gainOf({}, 3), { urls: 3, seconds: 60, visits: 1 });
    assert.deepEqual(gainOf({ visitedAtMs: 1 }, 3), { urls: 3, seconds: 1_000_000, visits: 1 });
    assert.deepEqual(gainOf({ gain: { urls: 1, seconds: 7, visits: 1 } }, 3), { urls: 4, seconds: 67, visits: 2 });
    assert.equal(gainOf({}, 0), undefined);
    assert.equal(gainOf({}, undefined), undefined);
    assert.equal(gainOf({ visitedAtMs: 0 }, 3), undefined);
  });
});

describe('a plugin-free recrawl policy', () => {
  const asked: Visited[] = [];
  const recrawl = {
    config: {},
    next: (visit: Visited, price: number | null) => {
      asked.push(visit);
      return price === 0.5 ? { intervalS: 70, delayS: 65 } : null;
    },
  } as unknown as Recrawl;

  it('a recrawl policy says when to revisit', () => {
    const { page, delayS } = after({}, recrawl);
    assert.deepEqual([delayS, page.history.intervalS], [65, 70]);
  });

  it('a recrawl policy gets the visit’s findings', () => {
    const kinds = [{}, { status: 'failed' }, { status: 'failed', outcome: 'gone' }, { soft404: true }] as const;
    assert.deepEqual(
      kinds.map((own) => {
        after({ record: own }, recrawl);
        return asked.at(-1)!.kind;
      }),
      ['page', 'error', 'gone', 'gone'],
    );
  });
});

describe('the time since a page changed', () => {
  const since = (lastModified: string, changed: boolean | null = false, changedAtMs = atMs - 90_400) =>
    visitedOf({ ...before, changedAtMs, record: { ...record, lastModified } }, 'page', changed, atMs).sinceChangeS;
  const date = (ms: number) => new Date(ms).toUTCString();

  it('the time since a page changed is the server’s, if that is possible', () => {
    assert.equal(since(date(atMs - 5_000)), 5);
    assert.equal(since(date(atMs)), 0);
    assert.equal(since(date(1_000)), 999_999);
    assert.equal(since(date(0)), 90);
    for (const wrong of ['', 'nonsense', date(atMs + 1_000), date(0)]) assert.equal(since(wrong), 90, wrong);
  });

  it('the time since a page changed is zero if it has changed now, and never negative', () => {
    assert.equal(since('', true), 0);
    assert.equal(since('', null), 90);
    assert.equal(since('', false, atMs + 5_000), 0);
  });
});
