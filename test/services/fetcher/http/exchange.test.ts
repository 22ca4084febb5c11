/** One exchange by hand: how long each of its parts may take, and what it tells of its connection. */
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { describe, it } from 'node:test';
import { BodyRoom } from '../../../../services/fetcher/http/body-room.ts';
import { type ConnectionState, Exchange, type WireResponse } from '../../../../services/fetcher/http/exchange.ts';
import { requestLimits } from '../../../../services/fetcher/http/request-limits.ts';
import { createFakeClock } from '../fake-clock.ts';

const times = { connectTimeoutMs: 10_000, headersTimeoutMs: 20_000, bodyIdleTimeoutMs: 30_000, totalTimeoutMs: 90_000 };
const nothing = () => undefined;

function begin(given: Partial<typeof times> = {}, connection: Partial<ConnectionState> = {}) {
  const told: WireResponse[] = [];
  const exchange = new Exchange({
    connection: { socket: null, address: '', served: 0, ...connection },
    limits: { ...requestLimits, ...times, ...given },
    ...{ clock: createFakeClock(), room: new BodyRoom(requestLimits.bodiesBytesMax), bodyBytesMax: 100 },
    ...{ wants: () => true, sink: undefined, settle: (response: WireResponse) => told.push(response) },
  });
  /** Does `act` leave the exchange so long from its moment? */
  const gives = (act: () => unknown, ms: number) => {
    const before = performance.now();
    act();
    const left = [exchange.deadlineMs - performance.now(), exchange.deadlineMs - before];
    assert.ok(left[0]! <= ms && left[1]! >= ms, `${left} are not about ${ms} ms`);
  };
  return { exchange, told, gives };
}

describe('an exchange', () => {
  it('gives each part its own time, from when it begins', () => {
    const before = performance.now();
    const { exchange, gives } = begin();
    assert.ok(exchange.deadlineMs >= before + times.connectTimeoutMs);
    assert.ok(exchange.deadlineMs <= performance.now() + times.connectTimeoutMs);
    gives(() => exchange.onConnect(nothing), times.headersTimeoutMs);
    gives(() => exchange.onHeaders(200, [], nothing), times.bodyIdleTimeoutMs);
    gives(() => exchange.onData(Buffer.alloc(10)), times.bodyIdleTimeoutMs);
  });

  it('ends at its total time, whatever its parts may have', () => {
    for (const totalTimeoutMs of [5_000, 15_000, 25_000]) {
      const before = performance.now();
      const { exchange } = begin({ totalTimeoutMs });
      const latestMs = performance.now() + totalTimeoutMs;
      exchange.onConnect(nothing);
      exchange.onHeaders(200, [], nothing);
      exchange.onData(Buffer.alloc(10));
      assert.ok(exchange.deadlineMs >= before + totalTimeoutMs && exchange.deadlineMs <= latestMs);
    }
  });

  it('an informational answer is none: the headers are waited for as before', () => {
    const { exchange, told } = begin();
    exchange.onConnect(nothing);
    const { deadlineMs } = exchange;
    assert.equal(exchange.onHeaders(103, [], nothing), true);
    assert.equal(exchange.deadlineMs, deadlineMs);
    exchange.onHeaders(204, [], nothing);
    exchange.onComplete();
    assert.deepEqual([told.length, told[0]!.status], [1, 204]);
  });

  for (const served of [0, 1, 2])
    it(`that breaks off before its headers came over a stale connection, if that had served before: ${served} times`, () => {
      const { exchange, told } = begin({}, { served });
      exchange.onConnect(nothing);
      exchange.onError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
      assert.deepEqual([told[0]!.failure?.kind, told[0]!.staleConnection], ['connectionFailed', served > 0]);
    });

  it('that broke off after its headers came did not meet a stale connection', () => {
    const { exchange, told } = begin({}, { served: 3 });
    exchange.onConnect(nothing);
    exchange.onHeaders(200, [], nothing);
    exchange.onError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    assert.equal(told[0]!.staleConnection, false);
  });
});
