/** Leases on virtual time: at the pace of the real fetcher, with the answers of a recording. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  blankHostFacts,
  blankLink,
  blankLinkGroup,
  blankOutcome,
  blankRequest,
  blankResult,
} from '../../../../schemas/blank.ts';
import type { HostFacts, LinkGroup, Outcome, Result } from '../../../../schemas/types.ts';
import { PageModel } from '../../../../topology/extras/what-if/page-model.ts';
import { Recording } from '../../../../topology/extras/what-if/recording.ts';
import { VirtualFetcher, type VirtualLease } from '../../../../topology/extras/what-if/virtual-fetcher.ts';
import { EventQueue } from '../../../../topology/fleet/event-queue.ts';

const page = (n: number) => `https://a.test/${n}`;
const tookMs = 200;

/** What pages answered, in order; `took` 0: no request was made. */
function recordingOf(answers: readonly (Partial<Outcome> & { took?: number })[], host: Partial<HostFacts> = {}) {
  const recording = new Recording();
  const outcomes = answers.map(({ took: _, ...own }, index) => ({
    ...blankOutcome,
    ...({ index, url: page(index), kind: 'fetched', status: 200, bytes: 100 + index } as const),
    ...own,
  }));
  const requests = answers.flatMap(({ took = tookMs }, outcomeIndex) =>
    took === 0 ? [] : [{ ...blankRequest, kind: 'page' as const, outcomeIndex, startMs: 9_000, endMs: 9_000 + took }],
  );
  const facts = { ...blankHostFacts, robotsStatus: 'rules' as const, ...host };
  recording.result({ ...blankResult, hostKey: 'a.test', outcomes, requests, host: facts });
  return recording;
}

const urlsOf = (count: number, own: object = {}) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ index, url: page(index), depth: 3, hop: 0, attempt: 0, cash: 0 },
    ...own,
  }));

function lease(own: Partial<VirtualLease> = {}): VirtualLease {
  return {
    ...{ partition: 2, epoch: 5, leaseId: 7, hostKey: 'a.test', urls: urlsOf(3) },
    ...{ delayMs: 1_000, delayFactor: 0, delayFactorCapMs: 0, crawlDelayCapMs: 0 },
    ...{ serverErrorsMax: 0, serverErrors: 0, notBeforeMs: 0, deadlineMs: 100_000 },
    ...own,
  };
}

function worked(recording: Recording, ...leases: readonly VirtualLease[]) {
  const events = new EventQueue();
  let nowMs = 0;
  const results: (Result & { atMs: number })[] = [];
  const found: LinkGroup[] = [];
  const fetcher = new VirtualFetcher({
    ...{ recording, model: new PageModel(recording), events, lastRequestMs: 30_000, nowMs: () => nowMs },
    report: (partition, result) => {
      assert.equal(partition, result.partition);
      results.push({ ...result, atMs: nowMs });
    },
    discover: (groups) => found.push(...groups),
  });
  for (const one of leases) fetcher.take(one);
  for (let next = events.nextMs; next !== undefined; next = events.nextMs) {
    nowMs = Math.max(nowMs, next);
    events.run();
  }
  const outcomes = results.flatMap((one) => one.outcomes);
  return {
    ...{ results, outcomes, found, answered: fetcher.answered },
    kinds: outcomes.map(({ kind }) => kind),
    starts: results.flatMap(({ requests }) => requests.map(({ startMs }) => startMs)),
  };
}

const three = [{}, {}, {}];

describe('a lease on virtual time', () => {
  it('a lease on virtual time has its delay between the end of a request and the next start', () => {
    const { results, outcomes, starts } = worked(recordingOf(three), lease());
    assert.deepEqual(starts, [0, 1_200, 2_400]);
    assert.deepEqual(
      outcomes.map(({ index, url, status }) => [index, url, status]),
      [0, 1, 2].map((n) => [n, page(n), 200]),
    );
    const { requests } = results.at(-1)!;
    const made = { kind: 'page', url: page(2), outcomeIndex: 2, startMs: 2_400, endMs: 2_600, bytes: 102, status: 200 };
    assert.deepEqual(requests, [{ ...blankRequest, ...made, delayMs: 1_000 }]);
    assert.equal(results.at(-1)!.completedAtMs, 2_600);
  });

  it('a lease on virtual time reports outcomes when the first has waited for a second, and the rest at its end', () => {
    const { results } = worked(recordingOf(three), lease());
    assert.deepEqual(
      results.map(({ atMs, last, outcomes }) => [atMs, last, outcomes.length]),
      [
        [1_400, false, 2],
        [2_600, true, 1],
      ],
    );
    const { epoch, leaseId, hostKey, fetcherId, host } = results[0]!;
    assert.deepEqual([epoch, leaseId, hostKey, fetcherId, host.robotsStatus], [5, 7, 'a.test', 'virtual', 'rules']);
    const quick = worked(recordingOf(three), lease({ delayMs: 200 }));
    assert.deepEqual(
      quick.results.map(({ atMs, outcomes }) => [atMs, outcomes.length]),
      [[1_000, 3]],
    );
    assert.equal(worked(recordingOf(three), lease({ delayMs: 800 })).results[0]!.atMs, 1_200, 'a second exactly');
  });

  it('a lease on virtual time waits for the longest of delay, Crawl-delay and a capped multiple of the response time', () => {
    const startsOf = (own: Partial<VirtualLease>, host: Partial<HostFacts> = {}) =>
      worked(recordingOf(three, host), lease({ delayMs: 100, ...own })).starts;
    assert.deepEqual(startsOf({}), [0, 300, 600]);
    assert.deepEqual(startsOf({ delayFactor: 10, delayFactorCapMs: 9_000 }), [0, 2_200, 4_400]);
    assert.deepEqual(startsOf({ delayFactor: 10, delayFactorCapMs: 1_500 }), [0, 1_700, 3_400]);
    assert.deepEqual(startsOf({}, { crawlDelayMs: 700 }), [0, 900, 1_800]);
  });

  it('a lease on virtual time begins at its start time', () => {
    assert.deepEqual(worked(recordingOf(three), lease({ notBeforeMs: 5_000 })).starts, [5_000, 6_200, 7_400]);
  });

  it('a lease on virtual time starts no request in the last half minute before its deadline, and returns the other URLs', () => {
    const until = (deadlineMs: number) => worked(recordingOf(three), lease({ deadlineMs })).kinds;
    assert.deepEqual(until(31_200), ['fetched', 'fetched', 'returned']);
    assert.deepEqual(until(31_199), ['fetched', 'returned', 'returned']);
  });

  it('a lease on virtual time requests nothing from a host with a Crawl-delay above the cap', () => {
    const kindsOf = (crawlDelayCapMs: number) =>
      worked(recordingOf(three, { crawlDelayMs: 5_000 }), lease({ crawlDelayCapMs })).kinds;
    assert.deepEqual(kindsOf(4_999), new Array(3).fill('crawlDelayTooLong'));
    assert.deepEqual(kindsOf(5_000), new Array(3).fill('fetched'));
    assert.deepEqual(kindsOf(0), new Array(3).fill('fetched'), 'no cap');
  });

  it('a lease on virtual time ends if its host is unreachable or throttles, and returns the other URLs', () => {
    for (const bad of [
      { kind: 'connectionFailed', status: 0 },
      { kind: 'throttled', status: 429 },
    ] as const)
      assert.deepEqual(worked(recordingOf([{}, bad, {}]), lease()).kinds, ['fetched', bad.kind, 'returned']);
    const origin = { kind: 'connectionFailed', status: 0, originOnly: true } as const;
    assert.deepEqual(worked(recordingOf([origin, {}, {}]), lease()).kinds, ['connectionFailed', 'fetched', 'fetched']);
  });

  it('a lease on virtual time ends after several server errors in a row, including earlier ones', () => {
    const broken = { kind: 'serverError', status: 500 } as const;
    const answers = [broken, {}, broken, broken, {}];
    const doneOf = (own: Partial<VirtualLease>) =>
      worked(recordingOf(answers), lease({ urls: urlsOf(5), ...own })).kinds.filter((kind) => kind !== 'returned')
        .length;
    assert.equal(doneOf({ serverErrorsMax: 2 }), 4);
    assert.equal(doneOf({ serverErrorsMax: 2, serverErrors: 1 }), 1);
    assert.equal(doneOf({ serverErrorsMax: 1 }), 1);
    assert.equal(doneOf({ serverErrorsMax: 3 }), 5);
    assert.equal(doneOf({ serverErrorsMax: 0, serverErrors: 9 }), 5, 'no bound');
    assert.equal(doneOf({ serverErrorsMax: 2, urls: urlsOf(5, { attempt: 1 }) }), 5, 'a second try says nothing');
  });

  it('a lease on virtual time takes no time, and has no request, for an outcome without one', () => {
    const denied = { kind: 'robotsDenied', status: 0, took: 0 } as const;
    const { starts, kinds, results } = worked(recordingOf([denied, {}, denied]), lease({ notBeforeMs: 50 }));
    assert.deepEqual(kinds, ['robotsDenied', 'fetched', 'robotsDenied']);
    assert.deepEqual(starts, [50]);
    assert.equal(results.at(-1)!.completedAtMs, 250);
    const quick = worked(recordingOf([{ took: 1 }]), lease({ urls: urlsOf(1) }));
    assert.deepEqual([quick.starts, quick.results[0]!.completedAtMs], [[0], 1], 'a millisecond is a request');
    const none = worked(recordingOf([denied, denied, denied]), lease());
    assert.deepEqual([none.results.length, none.results[0]!.completedAtMs], [1, 0]);
  });

  it('a lease on virtual time returns URLs without a known response', () => {
    const { kinds, answered, results } = worked(new Recording(), lease());
    assert.deepEqual(kinds, new Array(3).fill('returned'));
    assert.deepEqual(answered, { recorded: 0, modelled: 0, unknown: 1 });
    assert.deepEqual([results[0]!.last, results[0]!.host], [true, blankHostFacts]);
  });
});

describe('a response on virtual time', () => {
  it('a response on virtual time is a URL’s first at its first fetch, its second at the next, and then the last', () => {
    const recording = recordingOf([{ status: 201 }]);
    for (const status of [202, 203]) {
      const outcomes = [{ ...blankOutcome, url: page(0), kind: 'fetched' as const, status }];
      recording.result({ ...blankResult, hostKey: 'a.test', outcomes });
    }
    const again = [0, 1, 2, 3].map((n) => lease({ urls: urlsOf(1), notBeforeMs: 10_000 * n }));
    const { outcomes, answered } = worked(recording, ...again);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      [201, 202, 203, 203],
    );
    assert.deepEqual(answered, { recorded: 4, modelled: 0, unknown: 0 });
  });

  it('a response on virtual time is the model’s if the URL was never fetched', () => {
    const { outcomes, answered } = worked(recordingOf([{ status: 207 }]), lease({ urls: urlsOf(2) }));
    assert.deepEqual(
      outcomes.map(({ url, status }) => [url, status]),
      [
        [page(0), 207],
        [page(1), 207],
      ],
    );
    assert.deepEqual(answered, { recorded: 1, modelled: 1, unknown: 0 });
  });

  const linked = (hop: number, ...urls: readonly string[]): LinkGroup => ({
    ...{ ...blankLinkGroup, hostKey: 'b.test', sourceUrl: page(0), depth: 1, hop, discoveredAtMs: 77 },
    links: urls.map((url) => ({ ...blankLink, url })),
  });

  it('a response on virtual time gives its page’s recorded links, one deeper, each with its share of the cash', () => {
    const recording = recordingOf([{ links: 3 }]);
    recording.found(
      { groups: [linked(0, 'https://b.test/1'), linked(0, 'https://b.test/2', 'https://b.test/3')] },
      0,
      1,
    );
    const { found } = worked(recording, lease({ urls: urlsOf(1, { cash: 12 }) }));
    assert.deepEqual(
      found.map(({ depth, hop, share, discoveredAtMs, links }) => [depth, hop, share, discoveredAtMs, links.length]),
      [
        [4, 0, 4, 200, 1],
        [4, 0, 4, 200, 2],
      ],
    );
    assert.equal(worked(recording, lease({ urls: urlsOf(1) })).found[0]!.share, 0);
  });

  it('a response on virtual time leads to its redirect target, at the same depth and one hop on', () => {
    const recording = recordingOf([{ kind: 'redirect', status: 301 }]);
    recording.found({ groups: [linked(1, 'https://b.test/1')] }, 0, 1);
    const { found } = worked(recording, lease({ urls: urlsOf(1, { hop: 1, cash: 12 }) }));
    assert.deepEqual(
      found.map(({ depth, hop, share }) => [depth, hop, share]),
      [[3, 2, 12]],
    );
  });

  it('a response on virtual time gives a page’s only link all of its cash', () => {
    const recording = recordingOf([{ links: 1 }]);
    recording.found({ groups: [linked(0, 'https://b.test/1')] }, 0, 1);
    const { found } = worked(recording, lease({ urls: urlsOf(1, { cash: 1 }) }));
    assert.deepEqual(
      found.map(({ share }) => share),
      [1],
    );
  });

  it('a response on virtual time gives no links if the page had none at that time', () => {
    const recording = recordingOf([{ links: 0 }]);
    recording.found({ groups: [linked(0, 'https://b.test/1')] }, 0, 1);
    assert.deepEqual(worked(recording, lease({ urls: urlsOf(1) })).found, []);
  });
});
