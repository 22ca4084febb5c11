import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetcherLimits } from '../../../../services/fetcher/fetcher-limits.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import type { RequestPath } from '../../../../services/fetcher/pace/paced-request.ts';
import {
  costOf,
  createProcessorShare,
  holdBack,
  readingCost,
} from '../../../../services/fetcher/pace/processor-share.ts';

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

test('the processor time of a response beyond that of an ordinary one delays its host by twice as much, up to a limit', () => {
  const share = createProcessorShare(
    () => 100,
    () => true,
  );
  assert.equal(share.waitMs(ordinaryCostMs), 0);
  assert.equal(share.waitMs(ordinaryCostMs + 20), 4_000);
  assert.equal(share.waitMs(10_000), processorWaitMaxMs);
});

test('no host waits while the processor has time to spare', () => {
  const share = createProcessorShare(
    () => 100,
    () => false,
  );
  assert.equal(share.waitMs(10_000), 0);
});

test('an ordinary page never delays its host, however long the busy machine took to parse it', () => {
  assert.ok(costOf(response(12_600), 0.2) < ordinaryCostMs);
  assert.ok(costOf(response(12_600), 500) < ordinaryCostMs);
});

test('large bodies, slow markup and broken responses delay their host', () => {
  assert.ok(costOf(response(2 * 1024 * 1024), 1) > ordinaryCostMs);
  assert.ok(costOf(response(100_000), 5) > ordinaryCostMs);
  assert.ok(costOf(response(20_000), 0.2, 20_000) > 100 * ordinaryCostMs);
  assert.ok(costOf({ ...response(8_192), pieces: 8_192 }, 0) > ordinaryCostMs);
  assert.ok(costOf(response(0, { kind: 'badResponse', detail: '' }), 0) > ordinaryCostMs);
  assert.ok(costOf(response(0, { kind: 'timeout', detail: '' }), 0) < ordinaryCostMs);
});

test('the event loop reports whether it is busy', () => {
  const share = createProcessorShare(() => 100);
  const untilMs = performance.now() + 300;
  while (performance.now() < untilMs);
  assert.ok(share.waitMs(1_000) > 0);
});

test('the cost of a response is the sum of its parts', () => {
  const { brokenCostMs, linkCostMs, pieceCostMs } = fetcherLimits;
  const near = (cost: number, expected: number) => assert.ok(Math.abs(cost - expected) < 1e-9, `${cost} ${expected}`);
  near(costOf(response(0), 5), 0);
  near(costOf(response(0), 0, 3), 3 * linkCostMs);
  near(costOf({ ...response(0), pieces: 4 }, 0), 4 * pieceCostMs);
  near(costOf(response(0, { kind: 'badResponse', detail: '' }), 0), brokenCostMs);
  near(costOf(response(1_000), 0), 2_000 * 3e-6);
  near(costOf({ ...response(1_000), body: Buffer.alloc(5_000) }, 0), 6_000 * 3e-6);
  // Reading counts as far as 60 ns a byte account for it.
  near(readingCost(0, 1_000, 0.05), 1_000 * 3e-6 + 0.05);
  near(readingCost(0, 1_000, 0.07), 1_000 * 3e-6 + 0.06);
});

test('the processor wait grows with the number of hosts and is a whole number', () => {
  const wait = (costMs: number, hosts: number) =>
    createProcessorShare(
      () => hosts,
      () => true,
    ).waitMs(costMs);
  assert.deepEqual([wait(ordinaryCostMs + 10, 1), wait(ordinaryCostMs + 10, 3)], [20, 60]);
  assert.equal(wait(ordinaryCostMs + 0.3, 2), 1);
  assert.equal(wait(ordinaryCostMs - 1, 100), 0);
});

test('a host is held back for its processor wait, and not at all without one', () => {
  const holds: unknown[] = [];
  const pacer = { hold: (hostKey: string, untilMs: number) => holds.push([hostKey, untilMs]) };
  const requestPath = { pacer, ownClock: { nowMs: () => 1_000 } } as unknown as RequestPath;
  holdBack(requestPath, { waitMs: (costMs) => costMs * 2 }, 'a.test', 35);
  holdBack(requestPath, { waitMs: () => 0 }, 'a.test', 35);
  assert.deepEqual(holds, [['a.test', 1_070]]);
});
