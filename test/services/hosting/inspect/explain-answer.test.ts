/** The sentence of `explain` where the newest visit is not what the URL ended with. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf } from '../../../../services/hosting/inspect/explain-answer.ts';

type Facts = Parameters<typeof answerOf>[0];

const at = (day: number) => Date.UTC(2026, 0, day);
const url = 'http://a.test/';
const answered = {
  ...{ redirectUrl: '', bytes: 1_200, truncated: false, detail: '', kind: 'fetched', status: 200, atMs: at(1) },
};
const cameTo = { atMs: at(1), outcome: 'fetched', httpStatus: 200, attempts: 0, status: 'page' };

function answer(status: string, newest: object | null, outcomes: readonly object[] = [cameTo]): string {
  const facts = {
    ...{ normalize: { url }, filter: { admitted: true }, purged: null, usage: null, target: null },
    ...{ queue: { in: 'end', status }, newest, outcomes },
  };
  return answerOf(facts as unknown as Facts, '--data d', at(9));
}

test('a page whose newest visit failed is fetched on the day of its last good visit, with the failure named', () => {
  assert.equal(answer('page', answered), 'fetched on 2026-01-01T00:00:00.000Z: 200, 1,200 bytes');
  for (const [kind, status, cause] of [
    ['serverError', 503, 'the server answered 503'],
    ['timeout', 0, 'no answer in time'],
    ['robotsDenied', 0, 'robots.txt disallows it'],
  ] as const) {
    const failed = { ...answered, kind, status, bytes: 0, truncated: true, atMs: at(2) };
    const again = { ...cameTo, outcome: kind, httpStatus: status, status: 'again', atMs: at(2) };
    assert.equal(
      answer('page', failed, [cameTo, again]),
      `fetched on 2026-01-01T00:00:00.000Z: 200; the visit on 2026-01-02T00:00:00.000Z failed: ${cause}`,
    );
  }
});

test('a page whose newest visit found it unchanged is fetched on the day of that visit', () => {
  const unchanged = { ...answered, kind: 'notModified', status: 304, bytes: 0, atMs: at(2) };
  assert.equal(answer('page', unchanged), 'fetched on 2026-01-02T00:00:00.000Z: 304');
});

test('a page that a plugin took away is fetched and not published, with the name of the plugin', () => {
  for (const more of ['', '; plugin other left out 2 links: http://a.test/b']) {
    const dropped = { ...answered, detail: `not published: plugin mine drops it${more}` };
    const said = 'fetched on 2026-01-01T00:00:00.000Z, and not published: plugin mine drops it';
    assert.equal(answer('page', dropped), said);
  }
  const leftOut = { ...answered, detail: 'plugin other left out 1 link: http://a.test/b' };
  assert.equal(answer('page', leftOut), 'fetched on 2026-01-01T00:00:00.000Z: 200, 1,200 bytes');
});

test('a page that a plugin took away stays so after visits that found it unchanged, or failed', () => {
  const fetchedDetail = 'not published: plugin mine drops it';
  const unchanged = { ...answered, kind: 'notModified', status: 304, atMs: at(2), fetchedDetail };
  assert.equal(
    answer('page', unchanged),
    'fetched on 2026-01-02T00:00:00.000Z, and not published: plugin mine drops it',
  );
  const failed = { ...answered, kind: 'serverError', status: 503, atMs: at(2), fetchedDetail };
  assert.equal(
    answer('page', failed),
    'fetched on 2026-01-01T00:00:00.000Z, and not published: plugin mine drops it; the visit on 2026-01-02T00:00:00.000Z failed: the server answered 503',
  );
});

test('a page that a plugin took away on a later visit may have an earlier record, and the answer says that it stays', () => {
  const dropped = { ...answered, detail: 'not published: plugin mine drops it', atMs: at(2) };
  assert.equal(
    answer('page', dropped, [cameTo, { ...cameTo, atMs: at(2) }]),
    'fetched on 2026-01-02T00:00:00.000Z, and not published: plugin mine drops it; the page of an earlier visit, if there is one, stays',
  );
});

test('a redirect whose newest visit failed is redirected on the day of the redirect', () => {
  const failed = { ...answered, kind: 'serverError', status: 503, atMs: at(2) };
  const moved = { ...cameTo, outcome: 'redirect', httpStatus: 301, status: 'redirected' };
  assert.equal(
    answer('redirected', failed, [moved]),
    'redirected on 2026-01-01T00:00:00.000Z; its target is not stored any more',
  );
});

/** The answer of a URL that waits, on the third day. */
function waits(queue: object, host: object): string {
  const facts = {
    ...{ normalize: { url }, filter: { admitted: true }, purged: null, trap: null, newest: null },
    ...{ queue, host: { readyAtMs: at(2), why: 'the delay', held: false, ...host } },
  };
  return answerOf(facts as unknown as Facts, '--data d', at(3));
}

test('a URL that waits has no time in the past as its next one, but what it waits for', () => {
  const queued = { in: 'frontQueue', ahead: 0, deferred: false };
  assert.equal(
    waits(queued, {}),
    'queued, first of its host, which has been free since 2026-01-02T00:00:00.000Z: it waits for a fetcher',
  );
  assert.equal(
    waits(queued, { readyAtMs: at(4) }),
    'queued, first of its host, from 2026-01-04T00:00:00.000Z (the delay)',
  );
  assert.equal(
    waits(queued, { held: true, why: 'the crawl is paused' }),
    'queued, first of its host (the crawl is paused)',
  );
  const again = (dueAtMs: number) => ({ in: 'again', dueAtMs, ahead: 0 });
  assert.equal(waits(again(at(5)), {}), 'waits for a retry from 2026-01-05T00:00:00.000Z');
  assert.equal(
    waits(again(at(1)), { readyAtMs: at(4) }),
    'waits for a retry from 2026-01-04T00:00:00.000Z (the delay)',
  );
  assert.equal(waits(again(at(1)), {}), 'waits for a retry since 2026-01-01T00:00:00.000Z, until a fetcher takes it');
  assert.equal(waits(again(at(1)), { held: true, why: 'it is on lease 4' }), 'waits for a retry (it is on lease 4)');
  assert.equal(waits(again(0), {}), 'waits for a retry as soon as its host is free');
});
