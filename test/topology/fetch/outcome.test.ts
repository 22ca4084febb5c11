import assert from 'node:assert/strict';
import { it } from 'node:test';
import { outcomeKinds } from '../../../schemas/types.ts';
import {
  classify,
  failsHost,
  isGoodAnswer,
  isHostFailure,
  isNotRead,
  isPressure,
  isRetriable,
  isServerError,
  isTerminal,
  serverErrorsAfter,
} from '../../../topology/fetch/outcome.ts';

it('each status has its outcome', () => {
  const table: Record<number, string> = {
    200: 'fetched',
    204: 'fetched',
    206: 'badResponse',
    226: 'badResponse',
    300: 'clientError',
    301: 'clientError',
    304: 'notModified',
    305: 'clientError',
    400: 'clientError',
    401: 'clientError',
    403: 'clientError',
    404: 'gone',
    408: 'timeout',
    410: 'gone',
    425: 'serverError',
    429: 'throttled',
    451: 'clientError',
    500: 'serverError',
    503: 'throttled',
    599: 'serverError',
    600: 'badResponse',
    101: 'badResponse',
    0: 'connectionFailed',
  };
  for (const [status, kind] of Object.entries(table)) assert.equal(classify({ status: Number(status) }), kind, status);
});

it('a redirect needs a target', () => {
  for (const status of [301, 302, 303, 307, 308]) {
    assert.equal(classify({ status, redirectUrl: 'http://example.com/' }), 'redirect');
    assert.equal(classify({ status, redirectUrl: null }), 'clientError');
  }
  assert.equal(classify({ status: 305, redirectUrl: 'http://example.com/' }), 'clientError');
});

it('a failure wins over the status of the response that broke off', () => {
  assert.equal(classify({ status: 200, failure: 'timeout' }), 'timeout');
  assert.equal(classify({ failure: 'dnsFailed' }), 'dnsFailed');
});

it('the retriable outcomes are those that the results schema names', () => {
  assert.deepEqual(outcomeKinds.filter(isRetriable).sort(), [
    'badResponse',
    'connectionFailed',
    'dnsFailed',
    'robotsUnreachable',
    'serverError',
    'throttled',
    'timeout',
    'tlsFailed',
  ]);
});

it('no outcome is both retriable and terminal; an outcome that returns the URL to its queue is neither', () => {
  const neither = outcomeKinds.filter((kind) => !isRetriable(kind) && !isTerminal(kind));
  assert.deepEqual(neither, ['crawlDelayTooLong', 'returned', 'unknown']);
  assert.ok(outcomeKinds.every((kind) => !(isRetriable(kind) && isTerminal(kind))));
});

it('a failure of the host is retriable', () => {
  const failures = outcomeKinds.filter(isHostFailure);
  assert.deepEqual(failures, ['connectionFailed', 'dnsFailed', 'tlsFailed', 'robotsUnreachable']);
  assert.ok(failures.every(isRetriable));
  assert.ok(outcomeKinds.filter(isPressure).every(isRetriable));
});

it('a successful response of an unsupported type is distinguished from a refusal before the request', () => {
  assert.equal(isNotRead('refused', 200), true);
  assert.equal(isNotRead('refused', 0), false);
  assert.equal(isNotRead('gone', 404), false);
});

it('a failure wins over the status, no status means no connection, and only some statuses with a target redirect', () => {
  assert.equal(classify({}), 'connectionFailed');
  assert.equal(classify({ failure: 'timeout' }), 'timeout');
  assert.equal(classify({ status: 200, failure: 'tooLarge' }), 'tooLarge');
  const redirectUrl = 'http://a.test/';
  const kinds = (statuses: readonly number[]) => statuses.map((status) => classify({ status, redirectUrl }));
  assert.deepEqual(new Set(kinds([301, 302, 303, 307, 308])), new Set(['redirect']));
  assert.deepEqual(new Set(kinds([300, 305, 306, 309, 399])), new Set(['clientError']));
  assert.deepEqual(kinds([199, 200, 299, 304, 400, 402, 499, 500, 501, 502, 504, 600]), [
    ...['badResponse', 'fetched', 'fetched', 'notModified', 'clientError', 'paymentRequired', 'clientError'],
    ...['serverError', 'serverError', 'serverError', 'serverError', 'badResponse'],
  ]);
});

it('each kind of outcome has its meaning for the host', () => {
  const reported = (asks: (kind: (typeof outcomeKinds)[number]) => boolean) => outcomeKinds.filter(asks).sort();
  const failures = ['connectionFailed', 'dnsFailed', 'robotsUnreachable', 'tlsFailed'];
  assert.deepEqual(reported(isHostFailure), failures);
  assert.deepEqual(
    reported((kind) => failsHost({ kind, originOnly: false })),
    failures,
  );
  assert.deepEqual(
    reported((kind) => failsHost({ kind, originOnly: true })),
    [],
    'one origin alone',
  );
  assert.deepEqual(reported(isPressure), ['throttled', 'timeout']);
  const errorAt = (status: number) => reported((kind) => isServerError({ kind, status }));
  assert.deepEqual([errorAt(425), errorAt(499), errorAt(500)], [[], [], ['serverError']]);
  const good = (status: number, originOnly = false) => reported((kind) => isGoodAnswer({ kind, status, originOnly }));
  assert.deepEqual(good(0), []);
  const bad = ['crawlDelayTooLong', 'returned', 'unknown', 'throttled', 'timeout', 'serverError', ...failures];
  assert.deepEqual(good(500), [...outcomeKinds].filter((kind) => !bad.includes(kind)).sort());
  assert.deepEqual(good(425), [...outcomeKinds].filter((kind) => kind === 'serverError' || !bad.includes(kind)).sort());
  assert.deepEqual(
    good(200, true),
    [...outcomeKinds].filter((kind) => [...failures, 'serverError'].includes(kind) || !bad.includes(kind)).sort(),
  );
});

it('a response is unsupported if it is a success of another type', () => {
  assert.deepEqual(
    [199, 200, 299, 300].map((status) => isNotRead('refused', status)),
    [false, true, true, false],
  );
  assert.equal(isNotRead('fetched', 200), false);
});

it('consecutive server errors are counted by first tries, and end with a good response', () => {
  const after = (kind: 'serverError' | 'fetched' | 'timeout' | 'returned', status: number, isFirstTry: boolean) =>
    serverErrorsAfter(3, { kind, status, originOnly: false }, isFirstTry);
  assert.deepEqual([after('serverError', 500, true), after('serverError', 500, false)], [4, 3]);
  assert.deepEqual([after('fetched', 200, true), after('fetched', 200, false)], [0, 0]);
  assert.deepEqual([after('timeout', 0, true), after('timeout', 200, true), after('returned', 200, true)], [3, 3, 3]);
  assert.equal(after('serverError', 425, true), 0, 'of one request');
});
