/** One exchange by hand: how long each of its parts may take, and what it tells of its connection. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { BodyRoom } from '../../../../services/fetcher/http/body-room.ts';
import { type ConnectionState, Exchange } from '../../../../services/fetcher/http/exchange.ts';
import { requestLimits } from '../../../../services/fetcher/http/request-limits.ts';
import type { WireResponse } from '../../../../services/fetcher/http/wire-response.ts';
import { createFakeClock } from '../fake-clock.ts';

const times = { connectTimeoutMs: 10_000, headersTimeoutMs: 20_000, bodyIdleTimeoutMs: 30_000, totalTimeoutMs: 90_000 };
const nothing = () => undefined;

function begin(given: Partial<typeof times> = {}, connection: Partial<ConnectionState> = {}) {
  const reported: WireResponse[] = [];
  const exchange = new Exchange({
    connection: { socket: null, address: '', served: 0, ...connection },
    limits: { ...requestLimits, ...times, ...given },
    ...{ clock: createFakeClock(), room: new BodyRoom(requestLimits.bodiesBytesMax), bodyBytesMax: 100 },
    ...{ wants: () => true, sink: undefined, settle: (response: WireResponse) => reported.push(response) },
  });
  /** Does `act` leave the exchange so long from its moment? */
  const gives = (act: () => unknown, ms: number) => {
    const before = performance.now();
    act();
    const left = [exchange.deadlineMs - performance.now(), exchange.deadlineMs - before];
    assert.ok(left[0]! <= ms && left[1]! >= ms, `${left} are not about ${ms} ms`);
  };
  return { exchange, reported, gives };
}

describe('an exchange', () => {
  it('an exchange has a time limit for each phase, from the phase’s start', () => {
    const before = performance.now();
    const { exchange, gives } = begin();
    assert.ok(exchange.deadlineMs >= before + times.connectTimeoutMs);
    assert.ok(exchange.deadlineMs <= performance.now() + times.connectTimeoutMs);
    gives(() => exchange.onConnect(nothing), times.headersTimeoutMs);
    gives(() => exchange.onHeaders(200, [], nothing), times.bodyIdleTimeoutMs);
    gives(() => exchange.onData(Buffer.alloc(10)), times.bodyIdleTimeoutMs);
  });

  it('an exchange ends at its total time limit, whatever its phases may use', () => {
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

  it('an exchange ignores an informational response and waits for the final headers', () => {
    const { exchange, reported } = begin();
    exchange.onConnect(nothing);
    const { deadlineMs } = exchange;
    assert.equal(exchange.onHeaders(103, [], nothing), true);
    assert.equal(exchange.deadlineMs, deadlineMs);
    exchange.onHeaders(204, [], nothing);
    exchange.onComplete();
    assert.deepEqual([reported.length, reported[0]!.status], [1, 204]);
  });

  for (const served of [0, 1, 2])
    it(`an exchange that breaks before its headers met a stale connection, if that connection had served before: ${served} times`, () => {
      const { exchange, reported } = begin({}, { served });
      exchange.onConnect(nothing);
      exchange.onError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
      assert.deepEqual([reported[0]!.failure?.kind, reported[0]!.staleConnection], ['connectionFailed', served > 0]);
    });

  it('an exchange that broke after its headers did not meet a stale connection', () => {
    const { exchange, reported } = begin({}, { served: 3 });
    exchange.onConnect(nothing);
    exchange.onHeaders(200, [], nothing);
    exchange.onError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    assert.equal(reported[0]!.staleConnection, false);
  });
});

interface Begun {
  readonly limits?: Partial<Record<keyof typeof requestLimits, number>>;
  readonly connection?: Partial<ConnectionState>;
  readonly more?: Partial<ConstructorParameters<typeof Exchange>[0]>;
}

/** An exchange whose headers have come; what it has told, and what broke it off. */
function answered(headers: readonly string[] = [], { limits = {}, connection: of = {}, more = {} }: Begun = {}) {
  const reported: WireResponse[] = [];
  const aborts: Error[] = [];
  let resumed = 0;
  const clock = createFakeClock();
  const connection: ConnectionState = { socket: null, address: '192.0.2.1', served: 0, ...of };
  const room = new BodyRoom(1_000);
  const exchange = new Exchange({
    ...{ connection, clock, room, bodyBytesMax: 100, wants: () => true, sink: undefined },
    limits: { ...requestLimits, ...times, ...limits },
    settle: (response) => reported.push(response),
    ...more,
  });
  const start = () => exchange.onConnect((error) => aborts.push(error!));
  const raw = headers.map((text) => Buffer.from(text));
  const head = (status = 200) => exchange.onHeaders(status, raw, () => (resumed += 1), 'OK');
  const add = (bytes: number) => exchange.onData(Buffer.alloc(bytes, 'x'));
  return { exchange, reported, aborts, clock, connection, room, start, head, add, resumed: () => resumed };
}
function begun(...args: Parameters<typeof answered>) {
  const one = answered(...args);
  one.start();
  one.head();
  return one;
}

describe('a body', () => {
  it('a body is whole up to its limit, and cut beyond it', () => {
    const whole = begun();
    for (const bytes of [60, 40]) assert.equal(whole.add(bytes), true);
    whole.exchange.onComplete();
    const { body, truncated, failure, pieces } = whole.reported[0]!;
    assert.deepEqual([body.toString(), truncated, failure, pieces], ['x'.repeat(100), false, null, 2]);
    assert.deepEqual(whole.aborts, []);
    const cut = begun();
    cut.add(60);
    cut.add(41);
    assert.deepEqual(
      cut.reported.map((one) => [one.body.length, one.truncated, one.failure, one.pieces]),
      [[100, true, null, 2]],
    );
    assert.equal(cut.aborts.length, 1);
    cut.add(1);
    cut.exchange.onError(new Error('over'));
    cut.exchange.onComplete();
    assert.equal(cut.reported.length, 1, 'it is told once');
  });

  it('a body that breaks off yields the received bytes and the failure', () => {
    const { exchange, reported, add } = begun();
    add(10);
    exchange.onError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    assert.deepEqual(
      [reported[0]!.body.length, reported[0]!.failure?.kind, reported[0]!.unreached],
      [10, 'connectionFailed', false],
    );
  });

  it('a body that nobody wants is drained while that is cheap, whatever happens to it', () => {
    const unwanted = { more: { wants: () => false }, limits: { drainBytesMax: 50 } };
    const cheap = begun(['content-length', '50'], unwanted);
    cheap.add(50);
    assert.deepEqual(cheap.aborts, []);
    cheap.exchange.onError(new Error('reset'));
    assert.deepEqual(
      [cheap.reported[0]!.failure, cheap.reported[0]!.body.length, cheap.reported[0]!.truncated],
      [null, 0, false],
    );
    const longer = begun([], unwanted);
    longer.add(50);
    longer.add(1);
    assert.deepEqual(
      [longer.aborts.length, longer.reported[0]!.failure, longer.reported[0]!.truncated],
      [1, null, false],
    );
    const known = begun(['content-length', '51'], unwanted);
    assert.deepEqual(
      [known.aborts.length, known.reported[0]!.status, known.reported[0]!.truncated],
      [1, 200, false],
      'its length is said before',
    );
    const stalled = begun([], unwanted);
    stalled.exchange.expire();
    assert.equal(stalled.reported[0]!.failure, null);
  });

  it('a body is wanted or not by status and headers', () => {
    const asked: unknown[] = [];
    const wants = (...args: unknown[]) => {
      asked.push(args);
      return true;
    };
    begun(['X-A', 'b'], { more: { wants } });
    assert.deepEqual(asked, [[200, ['x-a', 'b']]]);
  });

  it('a body in a transfer coding that was not requested is a bad response', () => {
    for (const coding of ['chunked', 'Chunked', 'identity', '']) {
      const { head, reported, start } = answered(['transfer-encoding', coding]);
      start();
      assert.equal(head(), true, coding);
      assert.deepEqual(reported, []);
    }
    const { head, start, reported, aborts } = answered(['transfer-encoding', 'gzip']);
    start();
    assert.equal(head(), false);
    assert.deepEqual([reported[0]!.failure?.kind, aborts.length], ['badResponse', 1]);
  });
});

describe('memory for long bodies', () => {
  it('long bodies claim memory and wait until some is free', async () => {
    const { exchange, add, room, resumed, reported } = begun([], {
      limits: { bodyFreeBytes: 20 },
      more: { bodyBytesMax: 600 },
    });
    const other = { bytes: 0 };
    room.take(other, 500, () => {});
    assert.equal(add(20), true);
    assert.equal(room.taken, 500);
    assert.equal(add(1), false, 'it waits');
    assert.ok(exchange.deadlineMs > performance.now() + times.totalTimeoutMs - 1_000, 'by no fault of the server');
    room.release(other);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([resumed(), room.taken], [1, 600]);
    assert.ok(exchange.deadlineMs < performance.now() + times.bodyIdleTimeoutMs + 1_000);
    assert.equal(add(500), true);
    exchange.onComplete();
    assert.equal(reported[0]!.body.length, 521);
    exchange.free();
    assert.equal(room.taken, 0);
  });

  it('an exchange that gets no memory in time counts as never requested', () => {
    const { exchange, add, room, reported } = begun([], { limits: { bodyFreeBytes: 20 } });
    room.take({ bytes: 0 }, 1_000, () => {});
    add(21);
    exchange.expire();
    assert.equal(reported[0]!.failure?.kind, 'aborted');
  });
});

describe('a body that goes to a sink', () => {
  function sink() {
    const chunks: Buffer[] = [];
    const writes: (() => void)[] = [];
    const writable = new Writable({
      highWaterMark: 10,
      write: (chunk: Buffer, _, done) => {
        chunks.push(chunk);
        writes.push(done);
      },
    });
    return { writable, length: () => Buffer.concat(chunks).length, done: () => writes.shift()?.() };
  }

  it('a body for a sink comes no faster than the sink takes it, and is not kept in memory', async () => {
    const { writable, length, done } = sink();
    const { exchange, add, reported, resumed } = begun([], { more: { sink: writable } });
    assert.equal(add(9), true);
    assert.equal(add(1), false);
    assert.ok(exchange.deadlineMs > performance.now() + times.totalTimeoutMs - 1_000);
    for (let n = 0; n < 2; n++) {
      done();
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(resumed(), 1);
    exchange.onComplete();
    assert.deepEqual([length(), reported[0]!.body.length, reported[0]!.truncated], [10, 0, false]);
  });

  it('a body for a sink is cut at its limit, and when the sink wants no more', async () => {
    const long = sink();
    const cut = begun([], { more: { sink: long.writable } });
    cut.add(101);
    assert.deepEqual([long.length(), cut.reported[0]!.truncated], [100, true]);
    const gone = sink();
    const closed = begun([], { more: { sink: gone.writable } });
    closed.add(5);
    gone.writable.destroy();
    closed.add(4);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([gone.length(), closed.reported[0]!.truncated, closed.aborts.length], [5, true, 1]);
    const later = sink();
    const over = begun([], { more: { sink: later.writable } });
    over.exchange.onComplete();
    later.writable.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([over.reported[0]!.truncated, over.aborts], [false, []]);
  });
});

describe('a body for an archive', () => {
  const archive = { what: 'all', bodyBytesMax: 80, messageBytesMax: 60 } as const;

  it('a body for an archive continues after the sink wants no more', async () => {
    const writable = new Writable({ highWaterMark: 10, write: () => {} });
    const { exchange, add, reported, resumed } = begun([], { more: { sink: writable, archive } });
    assert.equal(add(10), false);
    writable.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([resumed(), reported], [1, []]);
    assert.equal(add(20), true);
    exchange.onComplete();
    assert.deepEqual([reported[0]!.kept?.length, reported[0]!.truncated, reported[0]!.failure], [30, true, null]);
  });

  it('a body for an archive takes memory like one that is parsed, and waits for it', async () => {
    const whole = { ...archive, bodyBytesMax: 600, messageBytesMax: 600 };
    const more = { archive: whole, wants: () => false };
    const { add, room, exchange, reported } = begun([], { limits: { bodyFreeBytes: 20 }, more });
    assert.equal(add(21), true);
    assert.equal(room.taken, 600);
    exchange.onComplete();
    assert.equal(reported[0]!.kept?.length, 21);
    const waiting = begun([], { limits: { bodyFreeBytes: 20 }, more });
    const other = { bytes: 0 };
    waiting.room.take(other, 1_000, () => {});
    assert.equal(waiting.add(21), false);
    waiting.room.release(other);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(waiting.resumed(), 1);
  });

  it('a body for an archive is kept whole, however much of it is parsed', () => {
    for (const [what, wanted, bytes, body, kept, isCut] of [
      ['all', true, 50, 50, 50, false],
      ['all', true, 101, 100, 60, true],
      ['all', false, 50, 0, 50, false],
      ['all', false, 61, 0, 60, false],
      ['pages', true, 50, 50, 50, false],
      ['pages', false, 50, 0, undefined, false],
    ] as const) {
      const { add, exchange, reported } = begun([], { more: { archive: { ...archive, what }, wants: () => wanted } });
      add(bytes);
      exchange.onComplete();
      const [one] = reported;
      assert.deepEqual(
        [one!.body.length, one!.kept?.length, one!.truncated],
        [body, kept, isCut],
        `${what} ${wanted} ${bytes}`,
      );
    }
  });

  it('a body for an archive records what was sent on the wire', () => {
    const sent = { method: 'GET', target: '/', headers: [], body: null, secrets: [] };
    const spoken = { protocols: ['http/1.1'], cipherSuite: '' };
    const wire = (more: Begun['more']) => {
      const { exchange, reported } = begun(['X', 'y'], { connection: { spoken }, more: more! });
      exchange.onComplete();
      return reported[0]!.wire;
    };
    assert.equal(wire({}), undefined);
    assert.deepEqual(wire({ sent }), { sent, spoken, statusText: 'OK', rawHeaders: [] });
    assert.deepEqual(wire({ sent, archive })!.rawHeaders.map(String), ['X', 'y']);
  });
});

describe('an exchange that is given up', () => {
  const kinds = (reported: readonly WireResponse[]) =>
    reported.map(({ failure, unreached }) => [failure?.kind, failure?.detail, unreached]);

  it('an aborted exchange says what it waited for', () => {
    const before = answered();
    before.exchange.expire();
    assert.deepEqual(kinds(before.reported), [['connectionFailed', 'no connection in time', true]]);
    assert.equal(before.reported[0]!.wire, undefined);
    assert.throws(before.start, /before it was sent/);
    const headers = answered();
    headers.start();
    headers.exchange.expire();
    assert.deepEqual(kinds(headers.reported), [['timeout', 'no response headers in time', false]]);
    const body = begun();
    body.exchange.expire();
    assert.deepEqual(kinds(body.reported), [['timeout', 'the body stalled', false]]);
    const whole = begun([], { limits: { totalTimeoutMs: 0 } });
    whole.exchange.expire();
    assert.deepEqual(kinds(whole.reported), [['timeout', 'not complete in time', false]]);
    const ended = begun();
    ended.exchange.abort();
    assert.deepEqual(kinds(ended.reported), [['aborted', 'shutting down', false]]);
    assert.match(ended.aborts[0]!.message, /shutting down/);
  });

  it('an exchange whose end is the closed connection is complete when the connection closes', () => {
    const socketOf = (closed: boolean, destroyed: boolean) =>
      Object.assign(new EventEmitter(), { closed, destroyed, destroy() {} });
    for (const [closed, destroyed, waits] of [
      [false, true, true],
      [true, true, false],
      [false, false, false],
    ] as const) {
      const socket = socketOf(closed, destroyed);
      const { exchange, reported, clock } = begun([], { connection: { socket } });
      exchange.abort();
      assert.equal(reported.length, waits ? 0 : 1);
      clock.leap(70);
      socket.emit('close');
      socket.emit('close');
      assert.equal(reported.length, 1);
      assert.equal(reported[0]!.endMs - reported[0]!.startMs, waits ? 70 : 0);
    }
  });

  it('an exchange is aborted if its host may no longer be contacted once the connection is open', () => {
    const barred = answered([], { more: { mayStart: () => false } });
    assert.throws(barred.start, /before it was sent/);
    assert.deepEqual(
      kinds(barred.reported).map(([kind]) => kind),
      ['aborted'],
    );
    const free = answered([], { more: { mayStart: () => true } });
    free.start();
    assert.deepEqual(free.reported, []);
  });
});

describe('the record of an exchange', () => {
  it('the record of an exchange has its times and its connection', () => {
    const { start, head, exchange, clock, reported, connection } = answered(['X', 'y'], { connection: { served: 2 } });
    clock.leap(5);
    start();
    clock.leap(7);
    head(404);
    clock.leap(9);
    exchange.onComplete();
    const { status, headers, connectMs, firstByteMs, startMs, endMs, address, staleConnection } = reported[0]!;
    assert.deepEqual(
      [status, headers, connectMs, firstByteMs, endMs - startMs, address, staleConnection],
      [404, ['x', 'y'], 5, 12, 21, '192.0.2.1', false],
    );
    assert.equal(connection.served, 3);
    const quick = begun();
    quick.exchange.onComplete();
    assert.deepEqual([quick.reported[0]!.firstByteMs, quick.reported[0]!.connectMs], [1, 0]);
  });
});
