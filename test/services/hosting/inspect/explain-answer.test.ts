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
  return answerOf(facts as unknown as Facts, '--data d');
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
