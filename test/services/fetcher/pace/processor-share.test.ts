import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetcherLimits } from '../../../../services/fetcher/fetcher-limits.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { costOf, createProcessorShare } from '../../../../services/fetcher/pace/processor-share.ts';

const { ordinaryCostMs, processorWaitMaxMs } = fetcherLimits;

function response(bytes: number, failure: HttpResponse['failure'] = null): HttpResponse {
  const body = Buffer.alloc(bytes);
  return {
    status: 200,
    headers: [],
    body,
    rawBody: body,
    truncated: false,
    address: '',
    startMs: 0,
    endMs: 0,
    connectMs: 0,
    firstByteMs: 0,
    failure,
    staleConnection: false,
    unreached: false,
  };
}

test('what a response cost beyond an ordinary one is waited out twice for each host, up to a limit', () => {
  const share = createProcessorShare(
    () => 100,
    () => true,
  );
  assert.equal(share.waitMs(ordinaryCostMs), 0);
  assert.equal(share.waitMs(ordinaryCostMs + 20), 4_000);
  assert.equal(share.waitMs(10_000), processorWaitMaxMs);
});

test('while the processor has time to spare, nobody waits', () => {
  const share = createProcessorShare(
    () => 100,
    () => false,
  );
  assert.equal(share.waitMs(10_000), 0);
});

test('an ordinary page never pays, however long the machine let its parsing wait', () => {
  assert.ok(costOf(response(12_600), 0.2) < ordinaryCostMs);
  assert.ok(costOf(response(12_600), 500) < ordinaryCostMs);
});

test('large bodies, slow markup and broken responses do', () => {
  assert.ok(costOf(response(2 * 1024 * 1024), 1) > ordinaryCostMs);
  assert.ok(costOf(response(100_000), 5) > ordinaryCostMs);
  assert.ok(costOf(response(20_000), 0.2, 20_000) > 100 * ordinaryCostMs);
  assert.ok(costOf({ ...response(8_192), pieces: 8_192 }, 0) > ordinaryCostMs);
  assert.ok(costOf(response(0, { kind: 'badResponse', detail: '' }), 0) > ordinaryCostMs);
  assert.ok(costOf(response(0, { kind: 'timeout', detail: '' }), 0) < ordinaryCostMs);
});

test('the event loop tells whether it is busy', () => {
  const share = createProcessorShare(() => 100);
  const untilMs = performance.now() + 300;
  while (performance.now() < untilMs);
  assert.ok(share.waitMs(1_000) > 0);
});
