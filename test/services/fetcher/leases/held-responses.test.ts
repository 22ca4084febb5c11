/** What archives are given of a URL's responses, once its page was read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageUsage } from '../../../../schemas/types.ts';
import { createHeldResponses } from '../../../../services/fetcher/leases/held-responses.ts';
import type { RequestPath } from '../../../../services/fetcher/pace/paced-request.ts';

const bars = (fromMs: number) => ({ use: 'archive', preference: 'deny', fromMs }) as PageUsage;

function played(more: Partial<RequestPath> = {}) {
  const reported: unknown[] = [];
  const held = createHeldResponses({
    onResponse: (request: unknown, response: unknown, noArchiveFromMs: unknown) =>
      reported.push([request, response, noArchiveFromMs]),
    onUnpublished: (response: unknown) => reported.push(response),
    ...more,
  } as unknown as RequestPath);
  held?.take('q1' as never, 'r1' as never);
  held?.take('q2' as never, 'r2' as never);
  return { held: held!, reported };
}

test('responses are held until the page is parsed, then published in order with what bars their archiving', () => {
  const { held, reported } = played();
  assert.deepEqual(reported, []);
  held.release(true, [bars(9)]);
  assert.deepEqual(reported, [
    ['q1', 'r1', 9],
    ['q2', 'r2', 9],
  ]);
  const free = played();
  free.held.release(true, []);
  assert.deepEqual(free.reported, [
    ['q1', 'r1', -1],
    ['q2', 'r2', -1],
  ]);
});

test('responses of a page that is not published are marked as having none', () => {
  const { held, reported } = played();
  held.release(false, [bars(0)]);
  assert.deepEqual(reported, ['r1', 'r2']);
  played({ onUnpublished: undefined as never }).held.release(false, []);
});

test('nothing is held if no responses are wanted', () => {
  assert.equal(played({ onResponse: undefined as never }).held, undefined);
});
