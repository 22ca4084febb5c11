/** What a crawl came to, by its commits and requests. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankRequest } from '../../../../schemas/blank.ts';
import { CrawlTally } from '../../../../topology/extras/what-if/crawl-tally.ts';
import type { Change } from '../../../../topology/frontier/changes/changes.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';

const page = (n: number, host = 'a.test') => `https://${host}/${n}`;
const admit = (frontQueue: number, ...urls: readonly string[]) =>
  ({
    kind: 'admit',
    hostKey: 'a.test',
    known: false,
    entries: urls.map((url) => ({ url, frontQueue })),
  }) as unknown as Change;
const came = (kind: 'resolve' | 'finish', url: string, status = 'page') =>
  ({ kind, record: { url, status } }) as unknown as Change;
const visit = (url: string, status = 'page') =>
  ({ kind: 'visit', page: { record: { url, status } } }) as unknown as Change;
const moved = (kind: 'raise' | 'expedite', url: string, frontQueue: number) =>
  ({ kind, entry: { url, frontQueue } }) as unknown as Change;

function tallyOf(mass: Readonly<Record<string, number>> = {}) {
  const tally = new CrawlTally(new Map(Object.entries(mass)));
  const counters = zeroCounters();
  return {
    tally,
    at: (nowMs: number, ...changes: readonly Change[]) => tally.commit(0, { counters, nowMs }, changes),
  };
}

describe('the tally of a crawl', () => {
  it('the tally of a crawl counts its pages, each once, by the last front queue', () => {
    const { tally, at } = tallyOf();
    at(0, admit(2, page(0), page(1)), admit(0, page(2)), moved('raise', page(1), 1), moved('expedite', page(2), 3));
    at(1_000, came('resolve', page(0)), came('finish', page(1)), visit(page(2)), came('resolve', page(3)));
    at(2_000, visit(page(2)), visit(page(0), 'failed'), came('finish', page(9), 'failed'));
    const { pages, pagesByFrontQueue, visitsPerPage, meanAgeSeconds } = tally.summary(0, 3_000);
    assert.deepEqual(
      { pages, pagesByFrontQueue, visitsPerPage, meanAgeSeconds },
      { pages: 4, pagesByFrontQueue: [1, 1, 1, 1], visitsPerPage: 1.25, meanAgeSeconds: 1.75 },
    );
  });

  it('the tally of a crawl without fetches is empty', () => {
    const { pages, meanAgeSeconds, visitsPerPage, coverage, hosts, peakPerSecond } = tallyOf().tally.summary(0, 1);
    assert.deepEqual([pages, meanAgeSeconds, visitsPerPage, hosts, peakPerSecond], [0, 0, 0, [], 0]);
    assert.deepEqual(coverage, new Array(10).fill(0));
  });

  it('the tally of a crawl has the share of the links’ mass fetched by each tenth of it', () => {
    const { tally, at } = tallyOf({ [page(0)]: 1, [page(1)]: 2, [page(2)]: 4, [page(3)]: 1 });
    for (const [n, nowMs] of [
      [0, 1_000],
      [1, 1_100],
      [2, 1_101],
      [7, 1_500],
      [3, 2_000],
    ] as const)
      at(nowMs, visit(page(n)));
    at(1_999, visit(page(2)));
    assert.deepEqual(tally.summary(1_000, 2_000).coverage, [0.375, ...new Array(8).fill(0.875), 1]);
    assert.equal(tally.summary(2_000, 2_000).coverage.at(-1), 1);
  });

  it('the tally of a crawl has that share at its very end, to four digits, however short it was', () => {
    const { tally, at } = tallyOf({ [page(0)]: 1, [page(1)]: 2 });
    at(1, visit(page(0)));
    assert.deepEqual(tally.summary(0, 1).coverage, [...new Array(9).fill(0), 0.3333]);
    at(7, visit(page(1)));
    assert.deepEqual(tally.summary(0, 2).coverage.slice(3), [0, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 1]);
    const one = tallyOf({ [page(0)]: 1 });
    one.at(0, visit(page(0)));
    assert.deepEqual(one.tally.summary(0, 10).coverage, new Array(10).fill(1));
  });

  it('the tally of a crawl has its copies’ mean age in seconds, to two digits', () => {
    const { tally, at } = tallyOf();
    at(0, visit(page(0)));
    assert.equal(tally.summary(0, 4).meanAgeSeconds, 0);
    assert.equal(tally.summary(0, 10_000_000).meanAgeSeconds, 10_000);
    assert.equal(tally.summary(0, 1_234).meanAgeSeconds, 1.23);
  });

  it('the tally of a crawl counts traps, each once, and the partitions’ counters', () => {
    const tally = new CrawlTally(new Map());
    const trap = (hostKey: string, pattern: string) => ({ kind: 'trap', hostKey, pattern }) as unknown as Change;
    const counts = { admitted: 1, trapped: 2, filtered: 10, outOfScope: 20, tooDeep: 30, tooLong: 40, invalid: 50 };
    const counters = { ...zeroCounters(), ...counts, dead: 3, queued: 100, retrying: 200, leased: 400 };
    tally.commit(0, { counters: { ...counters, dead: 9 }, nowMs: 0 }, []);
    tally.commit(0, { counters, nowMs: 0 }, [trap('a.test', '/x/'), trap('a.test', '/x/'), trap('b.test', '/x/')]);
    tally.commit(1, { counters, nowMs: 0 }, []);
    const { admitted, traps, trapped, refused, deadLettered, queuedAtEnd } = tally.summary(0, 1);
    assert.deepEqual(
      { admitted, traps, trapped, refused, deadLettered, queuedAtEnd },
      { admitted: 2, traps: 2, trapped: 4, refused: 300, deadLettered: 6, queuedAtEnd: 1_400 },
    );
  });

  it('the tally of a crawl has how busy hosts were, in total and in their busiest window, largest first', () => {
    const { tally, at } = tallyOf();
    at(0, visit(page(0)), visit(page(1)), visit(page(0, 'c.test')), visit(page(0, 'b.test')));
    const of = (...starts: readonly number[]) =>
      starts.map((startMs) => ({ ...blankRequest, kind: 'page' as const, startMs }));
    tally.requests('a.test', [...of(0, 9_999, 10_000, 15_000), { ...blankRequest, kind: 'robots', startMs: 90_000 }]);
    tally.requests('a.test', of(19_999, 40_000));
    tally.requests('b.test', of(5_000, 5_100));
    const { hosts, peakPerSecond } = tally.summary(0, 1);
    assert.deepEqual(hosts, [
      { host: 'a.test', pages: 2, requests: 6, meanPerSecond: 0.15, peakPerSecond: 0.3 },
      { host: 'b.test', pages: 1, requests: 2, meanPerSecond: 2, peakPerSecond: 0.2 },
      { host: 'c.test', pages: 1, requests: 0, meanPerSecond: 0, peakPerSecond: 0 },
    ]);
    assert.equal(peakPerSecond, 0.3);
  });

  it('the tally of a crawl has ten requests a second for a hundred in ten seconds, and more than two for seven in three', () => {
    const { tally } = tallyOf();
    const of = (count: number, everyMs: number) =>
      Array.from({ length: count }, (_, n) => ({ ...blankRequest, kind: 'page' as const, startMs: n * everyMs }));
    tally.requests('a.test', of(201, 100));
    tally.requests('b.test', of(7, 500));
    const rates = tally.summary(0, 1).hosts.map((one) => [one.meanPerSecond, one.peakPerSecond]);
    assert.deepEqual(rates, [
      [10.05, 10],
      [2.33, 0.7],
    ]);
  });

  it('the tally of a crawl lists hosts with equal pages by name', () => {
    const { tally, at } = tallyOf();
    for (const host of ['d', 'b', 'e', 'c', 'a']) at(0, visit(page(0, `${host}.test`)));
    assert.deepEqual(
      tally.summary(0, 1).hosts.map(({ host }) => host),
      ['a.test', 'b.test', 'c.test', 'd.test', 'e.test'],
    );
  });
});
