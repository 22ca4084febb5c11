import assert from 'node:assert/strict';
import { it } from 'node:test';
import { outcomeKinds } from '../../../schemas/types.ts';
import {
  classify,
  isHostFailure,
  isNotRead,
  isPressure,
  isRetriable,
  isTerminal,
} from '../../../topology/fetch/outcome.ts';

it('each status has its outcome', () => {
  const table: Record<number, string> = {
    200: 'fetched',
    204: 'fetched',
    206: 'fetched',
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

it('a redirect is one only if it leads somewhere', () => {
  for (const status of [301, 302, 303, 307, 308]) {
    assert.equal(classify({ status, redirectUrl: 'http://example.com/' }), 'redirect');
    assert.equal(classify({ status, redirectUrl: null }), 'clientError');
  }
  assert.equal(classify({ status: 305, redirectUrl: 'http://example.com/' }), 'clientError');
});

it('a failure outweighs the status of the response that broke off', () => {
  assert.equal(classify({ status: 200, failure: 'timeout' }), 'timeout');
  assert.equal(classify({ failure: 'dnsFailed' }), 'dnsFailed');
});

it('the retriable outcomes are those the results schema names', () => {
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

it('no outcome is both retriable and terminal; what goes back to its queue is neither', () => {
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

it('an answer of success whose type is not read is told from what was refused before it was asked', () => {
  assert.equal(isNotRead('refused', 200), true);
  assert.equal(isNotRead('refused', 0), false);
  assert.equal(isNotRead('gone', 404), false);
});
