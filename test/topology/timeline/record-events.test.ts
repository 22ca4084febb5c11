/** What records of other topics say of a URL, and of which URL they say it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  blankControl,
  blankDeadLetter,
  blankDuplicate,
  blankOutcome,
  blankPage,
  blankRender,
  blankRequest,
  blankResponse,
  blankResult,
  blankTask,
  blankTaskUrl,
} from '../../../schemas/blank.ts';
import type { Control } from '../../../schemas/types.ts';
import { leastDelay, ofWebmaster, takenBackDelay } from '../../../topology/frontier/decide/control-payloads.ts';
import {
  controlEvents,
  deadLetterEvents,
  duplicateEvents,
  pageEvents,
  renderEvents,
  responseEvents,
  resultEvents,
  Subject,
  seconds,
  taskEvents,
} from '../../../topology/timeline/record-events.ts';
import { inOrder, plainEvent } from '../../../topology/timeline/timeline-event.ts';

const url = 'https://a.test/?q=1';
const other = 'https://a.test/other';
const subject = new Subject(url, 'a.test', (text) =>
  text.startsWith('http') ? text.replace('A.test', 'a.test') : null,
);
const place = { topic: 'results', partition: 2, offset: 30, timestampMs: 9_000 } as const;
const reported = (events: readonly { readonly atMs: number; readonly text: string }[]) =>
  events.map(({ atMs, text }) => [atMs, text]);

describe('a matching record', () => {
  const cases = [
    [url, true],
    ['https://A.test/?q=1', true],
    ['https://A.test/?q=1&q=1', true],
    [`${url}&`, true],
    [other, false],
    ['mailto:a@a.test', false],
  ] as const;
  for (const [text, isIt] of cases)
    it(`a URL is ${isIt ? 'matched' : 'not matched'} by ${text}`, () => {
      assert.equal(subject.is(text), isIt);
      assert.equal(renderEvents(subject, { ...blankRender, url: text }, place).length, isIt ? 1 : 0);
    });
});

describe('an event of a URL’s history', () => {
  it('an event of a URL’s history has its record’s place and content', () => {
    const [event] = renderEvents(subject, { ...blankRender, url }, { ...place, topic: 'render' });
    const text = 'the page needs a browser: sent to a renderer';
    const all = { kind: 'render', topic: 'render', partition: 2, offset: 30, atMs: 9_000, text, details: {} } as const;
    assert.deepEqual(event, all);
    const { atMs: _, ...plain } = { ...all, policyVersion: 3 };
    assert.deepEqual(plainEvent({ ...all, policyVersion: 3 }), { ...plain, time: '1970-01-01T00:00:09.000Z' });
  });

  it('events of a URL’s history are ordered by time, then by their natural order, then by record', () => {
    const at = (kind: 'task' | 'leased' | 'due', atMs: number, offset: number) => ({
      ...{ kind, atMs, offset, topic: 'tasks' as const, partition: 0, text: '', details: {} },
    });
    const sorted = [at('task', 1, 9), at('leased', 2, 3), at('task', 2, 0), at('due', 2, 1), at('due', 2, 2)] as const;
    assert.deepEqual([4, 2, 0, 3, 1].map((i) => sorted[i]!).sort(inOrder), sorted);
  });

  it('an event of a task has the URL’s position in it, and the requested spelling', () => {
    const task = {
      ...blankTask,
      leaseId: 7,
      grantedAtMs: 5_000,
      deadlineMs: 8_000,
      notBeforeMs: 6_000,
      delayMs: 1_500,
    };
    const urls = (own: object) => [
      { ...blankTaskUrl, url: other },
      { ...blankTaskUrl, url, ...own },
    ];
    assert.deepEqual(taskEvents(subject, { ...task, urls: urls({}) }, place), [
      {
        ...{ kind: 'task', topic: 'results', partition: 2, offset: 30, atMs: 5_000 },
        text: 'task of lease 7 sent to the fetchers: URL 2 of 2, 1.5 s between requests',
        details: { leaseId: 7, index: 1, attempt: 0, delayMs: 1_500, deadlineMs: 8_000, notBeforeMs: 6_000 },
      },
    ]);
    const ends = [{ attempt: 1 }, { etag: '"x"' }, { lastModified: 'then' }].map(
      (own) => taskEvents(subject, { ...task, urls: urls(own) }, place)[0]!.text.split('requests')[1],
    );
    assert.deepEqual(ends, [', attempt 2', ', if it has changed', ', if it has changed']);
    assert.equal(
      taskEvents(subject, { ...task, urls: urls({}).reverse() }, place)[0]!.text.includes('URL 1 of 2'),
      true,
    );
    assert.deepEqual(taskEvents(subject, { ...task, urls: urls({}).slice(0, 1) }, place), []);
  });

  it('an event of a result has the outcome, by the URL’s own requests', () => {
    const result = { ...blankResult, leaseId: 7, fetcherId: 'f', completedAtMs: 8_500 };
    const outcome = { ...blankOutcome, index: 1, url, kind: 'fetched' } as const;
    const requests = [
      { ...blankRequest, outcomeIndex: 0, startMs: 1, endMs: 2 },
      { ...blankRequest, outcomeIndex: 1, startMs: 6_000, endMs: 6_100 },
      { ...blankRequest, outcomeIndex: 1, startMs: 7_000, endMs: 7_750 },
    ];
    const full = { ...outcome, status: 200, bytes: 10, truncated: true, links: 3, linksDropped: 2, detail: 'so' };
    const of = (own: object, requests: readonly (typeof blankRequest)[] = []) =>
      resultEvents(
        subject,
        {
          ...result,
          outcomes: [
            { ...outcome, url: other },
            { ...outcome, ...own },
          ],
          requests: [...requests],
        },
        place,
      );
    assert.deepEqual(of({ ...full, redirectUrl: other, retryAfterMs: 30_000 }, requests), [
      {
        ...{ kind: 'fetched', topic: 'results', partition: 2, offset: 30, atMs: 7_750 },
        text: `fetched (200) in 1.8 s, 10 bytes, cut at --max-body, 3 links, 2 more dropped (--links-per-page), to ${other}, Retry-After 30 s, so`,
        details: {
          ...{
            outcome: 'fetched',
            status: 200,
            bytes: 10,
            links: 3,
            startMs: 6_000,
            endMs: 7_750,
            leaseId: 7,
            index: 1,
          },
          ...{ redirectUrl: other, requests: 2, fetcherId: 'f' },
        },
      },
    ]);
    assert.deepEqual(reported(of({})), [[8_500, 'fetched']]);
    assert.deepEqual([of({})[0]!.details['startMs'], of({})[0]!.details['endMs']], [null, null]);
    assert.deepEqual(reported(of({ status: 1, bytes: 1, links: 1, linksDropped: 1, retryAfterMs: 1 })), [
      [8_500, 'fetched (1), 1 bytes, 1 links, 1 more dropped (--links-per-page), Retry-After 1 ms'],
    ]);
    const early = resultEvents(subject, { ...result, completedAtMs: 0, outcomes: [outcome] }, place);
    assert.deepEqual(reported(early), [[9_000, 'fetched']]);
  });

  it('an event of a page describes the page', () => {
    const page = {
      ...blankPage,
      url,
      contentHash: 'h',
      bytes: 5,
      language: 'en',
      canonical: other,
      fetchedAtMs: 9_500,
    };
    assert.deepEqual(pageEvents(subject, page, place), [
      {
        ...{ kind: 'page', topic: 'results', partition: 2, offset: 30, atMs: 9_500, text: 'page published' },
        details: {
          ...{ title: '', contentHash: 'h', bytes: 5, language: 'en', noindex: false, rendered: false },
          canonical: other,
        },
      },
    ]);
    const full = { ...page, title: 'T', rendered: true, noindex: true, fetchedAtMs: 1 };
    const words = 'page published: “T”, as a browser shows it, not to be indexed';
    assert.deepEqual(reported(pageEvents(subject, full, place)), [[9_000, words]]);
    assert.deepEqual(pageEvents(subject, { ...page, url: other }, place), []);
  });

  it('an event of a response describes what archives get', () => {
    const response = {
      ...blankResponse,
      url,
      status: 404,
      body: new Uint8Array(3),
      truncated: true,
      address: '192.0.2.1',
    };
    const [event] = responseEvents(subject, response, place);
    assert.deepEqual(reported([event!]), [[9_000, 'raw response published for archives: 404, 3 bytes received']]);
    assert.deepEqual(event!.details, { status: 404, bytes: 3, truncated: true, address: '192.0.2.1' });
    assert.deepEqual(responseEvents(subject, { ...response, url: other }, place), []);
  });

  it('an event of a duplicate names the original', () => {
    const duplicate = { ...blankDuplicate, url, representative: url, method: 'exact', members: 3, atMs: 0 } as const;
    const of = (own: object) => duplicateEvents(subject, { ...duplicate, ...own }, place);
    assert.deepEqual(reported(of({})), [[9_000, 'its content is not a duplicate']]);
    const like = `its content is a duplicate of ${other} (exact, 3 pages in the cluster)`;
    assert.deepEqual(reported(of({ representative: other, atMs: 4 })), [[4, like]]);
    assert.deepEqual(of({ pageOffset: 8 })[0]!.details, {
      representative: url,
      method: 'exact',
      members: 3,
      pageOffset: 8,
    });
    assert.deepEqual(of({ url: other }), []);
  });

  it('an event of a dead letter says what was given up, and why', () => {
    const deadLetter = { ...blankDeadLetter, url, reason: 'retriesExhausted', lastOutcome: 'timeout' } as const;
    const of = (own: object) => deadLetterEvents(subject, { ...deadLetter, ...own }, place);
    assert.deepEqual(reported(of({})), [[9_000, 'dead letter: retriesExhausted']]);
    const words = 'dead letter: retriesExhausted after 1 attempts, last 1, so';
    assert.deepEqual(reported(of({ attempts: 1, status: 1, detail: 'so', atMs: 4 })), [[4, words]]);
    assert.deepEqual(reported(of({ reason: 'replayed', detail: '0/5', attempts: 1 })), [
      [9_000, 'its dead letter 0/5 was replayed'],
    ]);
    const details = { reason: 'retriesExhausted', attempts: 2, lastOutcome: 'timeout', status: 0 };
    assert.deepEqual(of({ attempts: 2 })[0]!.details, details);
    assert.deepEqual([of({ url: '' }), of({ url: other })], [[], []]);
    const all = new Subject(url, 'a.test', () => url);
    assert.deepEqual(deadLetterEvents(all, { ...deadLetter, url: '' }, place), [], 'one without a URL is of none');
  });
});

describe('an operator’s order in a history', () => {
  const of = (own: Partial<Control>) => controlEvents(subject, { ...blankControl, hostKey: 'a.test', ...own }, place);
  const words: readonly (readonly [Partial<Control>, string | null])[] = [
    [{ kind: 'policy', version: 4, hostKey: '' }, 'policy version 4'],
    [{ kind: 'blockHost' }, 'host a.test blocked'],
    [{ kind: 'blockHost', payload: ofWebmaster }, 'host a.test paused by its webmaster'],
    [{ kind: 'releaseHost', payload: ofWebmaster }, 'pause of a.test ended by its webmaster'],
    [{ kind: 'blockHost', hostKey: 'b.test' }, null],
    [{ kind: 'blockHost', hostKey: '' }, null],
    [{ kind: 'releaseHost' }, 'host a.test released'],
    [{ kind: 'pauseHost', version: 5 }, 'host a.test failing: leases before 5 are returned'],
    [{ kind: 'hostDelay', amount: 2_000 }, 'delay of a.test: 2 s'],
    [{ kind: 'hostDelay', amount: 0 }, 'delay of a.test: 0 ms'],
    [{ kind: 'hostDelay', amount: 2_000, payload: leastDelay }, 'delay of a.test: at least 2 s'],
    [{ kind: 'hostDelay', amount: -1, payload: takenBackDelay(5_000) }, 'delay of a.test: 5 s, as before'],
    [{ kind: 'hostDelay', amount: -1, payload: takenBackDelay(-1) }, 'delay of a.test: as in the policy'],
    [{ kind: 'hostDelay', amount: -1 }, 'delay of a.test: as in the policy'],
    [{ kind: 'hostLimit', amount: 6 }, 'limit of a.test: 6 pages'],
    [{ kind: 'hostLeases', amount: 2 }, 'leases at once of a.test: 2'],
    [{ kind: 'budget', amount: 9 }, 'budget of a.test: 9 URLs'],
    [{ kind: 'raise', payload: JSON.stringify({ url }) }, 'raise ordered: first in its host’s queue'],
    [{ kind: 'raise', payload: JSON.stringify({ url: other }) }, null],
    [{ kind: 'raise', payload: '?' }, null],
    [{ kind: 'requeue', payload: 'failed' }, 'refetch ordered: failed'],
    [{ kind: 'requeue', hostKey: '' }, 'refetch ordered: all URLs'],
    [{ kind: 'requeue', hostKey: 'b.test' }, null],
    [{ kind: 'trap', payload: '?' }, 'a trap of a.test: ?'],
    [{ kind: 'releaseTrap', payload: JSON.stringify({ pattern: '/x/' }) }, 'no trap of a.test: /x/'],
    [{ kind: 'purge' }, 'host a.test purged'],
    [{ kind: 'purge', payload: JSON.stringify({ url }) }, 'purge ordered: its data is deleted'],
    [{ kind: 'purge', payload: JSON.stringify({ url: other }) }, null],
    [{ kind: 'purge', payload: '{"lifted":true}' }, null],
    [{ kind: 'duplicates' }, 'duplicates counted on a.test'],
    [{ kind: 'unknown' }, null],
  ];
  for (const [own, text] of words)
    it(`an operator’s order reads: ${own.kind} ${own.payload ?? ''} ${own.hostKey ?? ''} ${own.amount ?? ''}: ${text}`, () =>
      assert.deepEqual(
        of(own).map((event) => event.text),
        text === null ? [] : [text],
      ));

  it('an operator’s order has its user and time', () => {
    assert.deepEqual(reported(of({ kind: 'blockHost', by: 'me', atMs: 4 })), [[4, 'host a.test blocked, by me']]);
    const [{ details, atMs } = { details: null, atMs: 0 }] = of({ kind: 'budget', amount: 9, version: 2 });
    assert.deepEqual([atMs, details], [9_000, { event: 'budget', by: '', hostKey: 'a.test', version: 2, amount: 9 }]);
  });
});

it('times are given in the relevant unit', () => {
  const said = ['0 ms', '2 ms', '999 ms', '1 s', '1.5 s', '9.9 s', '10 s', '90 s'];
  assert.deepEqual([0, 1.6, 999, 1_000, 1_500, 9_900, 10_000, 90_400].map(seconds), said);
});
