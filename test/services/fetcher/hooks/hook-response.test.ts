/** A response as hooks see it, and what they may change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hookResponse, withHookResponse } from '../../../../services/fetcher/hooks/hook-response.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';

const response = {
  ...{ status: 200, body: Buffer.from('abc'), truncated: true },
  headers: ['x-a', '1', '__proto__', 'p', 'x-b', '2', 'x-a', '3', 'x-a', '4'],
} as unknown as HttpResponse;

test('hooks get headers by name, with repeated ones as a list', () => {
  const { headers, ...rest } = hookResponse('http://a.test/', response);
  assert.deepEqual(rest, { url: 'http://a.test/', status: 200, body: response.body });
  assert.deepEqual(Object.entries(headers), [
    ['x-a', '1, 3, 4'],
    ['__proto__', 'p'],
    ['x-b', '2'],
  ]);
});

test('a response hook replaces the fields that it returns and keeps the rest', () => {
  assert.deepEqual(withHookResponse(response, {}), response);
  const { headers } = withHookResponse(response, { headers: { 'X-A': '9', new: 7 as never } });
  assert.deepEqual(headers, ['__proto__', 'p', 'x-b', '2', 'x-a', '9', 'new', '7']);
  const body = new Uint8Array(Uint8Array.from([0, 120, 121, 0]).buffer, 1, 2);
  const changed = withHookResponse(response, { status: 404, body });
  assert.deepEqual([changed.status, changed.body, changed.truncated], [404, Buffer.from('xy'), true]);
});

test('an invalid status or a body that is not bytes is an error of the plugin', () => {
  for (const status of [100, 599]) assert.equal(withHookResponse(response, { status }).status, status);
  for (const status of [99, 600, 200.5, Number.NaN, '200'])
    assert.throws(() => withHookResponse(response, { status: status as never }), /status/);
  for (const body of ['text', [1], null])
    assert.throws(() => withHookResponse(response, { body: body as never }), /body/);
});
