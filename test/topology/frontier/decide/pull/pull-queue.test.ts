/** The order in which calls are decided, and what each waits for. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RowsInMemory } from '../../../../../lab/model/rows-in-memory.ts';
import {
  type Call,
  type GetCall,
  type PutCall,
  type PutItem,
  putStatuses,
  type QueueCall,
  type QueueOrder,
} from '../../../../../topology/frontier/decide/pull/calls.ts';
import { PullQueue } from '../../../../../topology/frontier/decide/pull/pull-queue.ts';
import { pullLimits } from '../../../../../topology/frontier/pull/pull-limits.ts';
import { type Deciding, entryAt, filled, key, urlAt } from '../deciding.ts';
import { get, itemAt, order, pulled, put } from './pulled.ts';

const onDone = () => {};
const rows = new RowsInMemory();
const putOf = (...items: PutItem[]): PutCall => ({
  ...{ kind: 'put', items, statuses: new Uint8Array(items.length).fill(9), next: 0, onDone },
});
const getOf = (more: Partial<GetCall> = {}): GetCall => ({
  ...{ kind: 'get', key: null, queues: 1, urlsPerQueue: 10, leaseMs: 5_000, leases: [], urls: [], onDone },
  ...more,
});
const orderOf = (one: QueueOrder): QueueCall => ({ kind: 'queue', order: one, gone: 0, next: 0, onDone });

function waitingFor(...calls: Call[]) {
  const queue = new PullQueue();
  for (const call of calls) queue.add(call);
  return queue;
}

/** One step, and what is read after it; the calls that are answered then. */
function step(deciding: Deciding, queue: PullQueue): Call[] {
  const said = deciding.decide((decision) => queue.decide(decision));
  assert.ok(said.deadLetters.length === 0);
  // What the step granted is in memory.
  rows.run(queue.reads(deciding.state));
  return queue.takeAnswered();
}

describe('waiting calls', () => {
  it('waiting calls are puts and orders in turn, then gets', () => {
    const deciding = pulled();
    const calls = [getOf(), putOf(itemAt(0), itemAt(1)), orderOf({ kind: 'delay', key, delayMs: 1 }), getOf()] as const;
    const queue = waitingFor(...calls);
    assert.deepEqual(step(deciding, queue), [calls[1], calls[2], calls[0], calls[3]]);
    assert.deepEqual([calls[0].urls.map(({ entry }) => entry.url), calls[3].urls], [[urlAt(0), urlAt(1)], []]);
    assert.deepEqual([queue.waiting, step(deciding, queue)], [false, []]);
  });

  it('waiting calls of either kind make a step due', () => {
    assert.equal(waitingFor().waiting, false);
    assert.equal(waitingFor(getOf()).waiting, true);
    assert.equal(waitingFor(putOf()).waiting, true);
  });

  it('waiting calls wait for a policy', () => {
    const deciding = pulled();
    deciding.policy = null;
    const queue = waitingFor(putOf(itemAt(0)), getOf());
    assert.deepEqual([step(deciding, queue), queue.waiting], [[], true]);
  });

  it('waiting calls are returned if this owner decides no more, unanswered ones first', () => {
    const deciding = pulled();
    const [done, later, asking] = [putOf(itemAt(0)), putOf(itemAt(1)), getOf()];
    const queue = waitingFor(done);
    deciding.decide((decision) => queue.decide(decision));
    for (const call of [asking, later]) queue.add(call);
    assert.deepEqual(queue.takeAll(), [done, later, asking]);
    assert.deepEqual([queue.waiting, queue.takeAll()], [false, []]);
  });

  it('waiting calls wait until the next step after a deletion', () => {
    for (const deletion of [{ kind: 'drop', key } as const, { kind: 'dropAll' } as const]) {
      const deciding = pulled();
      put(deciding, [itemAt(0)]);
      const calls = [orderOf(deletion), putOf(itemAt(0))] as const;
      const queue = waitingFor(...calls);
      assert.deepEqual([step(deciding, queue), calls[1].next], [[calls[0]], 0]);
      assert.deepEqual(step(deciding, queue), [calls[1]]);
      assert.deepEqual([...calls[1].statuses], [putStatuses.ok], 'it is new again');
    }
    const other = [orderOf({ kind: 'block', key, untilMs: 0 }), putOf(itemAt(0))] as const;
    assert.deepEqual(step(pulled(), waitingFor(...other)), [...other]);
  });

  it('waiting calls continue after a full commit', () => {
    const deciding = pulled();
    const metadata = Buffer.alloc(60_000);
    const calls = [putOf(...[0, 1, 2, 3, 4, 5].map((n) => itemAt(n, { metadata }))), putOf(itemAt(6))] as const;
    const queue = waitingFor(...calls);
    assert.deepEqual([step(deciding, queue), calls[0].next, calls[1].next], [[], 5, 0]);
    assert.deepEqual(step(deciding, queue), [...calls]);
  });
});

describe('a put of a waiting URL', () => {
  it('a put of a waiting URL is decided once rows were read', () => {
    const deciding = pulled();
    put(deciding, [itemAt(0), itemAt(1)]);
    const calls = [putOf(itemAt(1, { known: true })), putOf(itemAt(7)), putOf(itemAt(0, { known: true }))] as const;
    const queue = waitingFor(...calls);
    deciding.decide((decision) => queue.decide(decision));
    assert.deepEqual([queue.isUnread, queue.takeAnswered()], [true, []]);
    rows.run(queue.reads(deciding.state));
    deciding.decide((decision) => queue.decide(decision));
    assert.deepEqual([queue.isUnread, queue.takeAnswered()], [false, [...calls]], 'one look serves all that wait');
    assert.deepEqual(deciding.state.counters.page, 2);
  });

  it('a put of a waiting URL searches at most 512 places, and not behind an order', () => {
    const deciding = pulled();
    const count = pullLimits.placesPerRead + 1;
    const numbers = Array.from({ length: count }, (_, n) => n);
    put(
      deciding,
      numbers.map((n) => itemAt(n)),
    );
    const call = putOf(...numbers.map((n) => itemAt(n, { known: true })));
    const queue = waitingFor(call);
    assert.deepEqual([step(deciding, queue), call.next], [[], 0]);
    assert.deepEqual([step(deciding, queue), call.next, queue.isUnread], [[], count - 1, true]);
    assert.deepEqual(step(deciding, queue), [call]);
    const other = pulled();
    put(other, [itemAt(0), itemAt(1)]);
    const block = orderOf({ kind: 'block', key, untilMs: 0 });
    const calls = [putOf(itemAt(0, { known: true })), block, putOf(itemAt(1, { known: true }))] as const;
    const behind = waitingFor(...calls);
    assert.deepEqual(step(other, behind), []);
    assert.deepEqual(step(other, behind), calls.slice(0, 2));
    assert.deepEqual(step(other, behind), calls.slice(2));
  });

  it('a put of a queue with forgotten URLs searches found ones, too', () => {
    const deciding = pulled();
    put(deciding, [itemAt(0), itemAt(1)]);
    const { leases } = get(deciding, { urlsPerQueue: 1 }).call;
    const entry = { ...entryAt(0, { depth: 0 }), payload: Buffer.from([0]) };
    order(deciding, { kind: 'forget', key, urls: [{ from: { in: 'lease', a: leases[0]!, b: 0 }, entry }] });
    const call = putOf(itemAt(1), itemAt(0), itemAt(5));
    const queue = waitingFor(call);
    assert.deepEqual(step(deciding, queue), []);
    assert.deepEqual(step(deciding, queue), [call]);
    assert.deepEqual([...call.statuses], [putStatuses.skipped, putStatuses.ok, putStatuses.ok]);
  });
});

describe('a get', () => {
  it('a get with URLs is answered; one without waits for the next commit, and so do those behind it', () => {
    const deciding = pulled();
    const metadata = Buffer.alloc(60_000);
    for (const from of [0, 3])
      put(
        deciding,
        [0, 1, 2].map((n) => itemAt(from + n, { key: `${from + n}.test`, metadata })),
      );
    const calls = [getOf({ queues: 2, urlsPerQueue: 1 }), getOf({ queues: 9 }), getOf()] as const;
    const queue = waitingFor(...calls);
    assert.deepEqual(step(deciding, queue), [...calls]);
    assert.deepEqual(
      calls.map(({ urls }) => urls.length),
      [2, 4, 0],
    );
    assert.deepEqual(
      calls[0].urls.map(({ key: of, entry }) => new Set([of.slice(0, 1), entry.url.slice(-1)]).size),
      [1, 1],
    );
  });

  it('a get waits if the commit is full, and so do those behind it, except one with URLs', () => {
    for (const [bytes, answered] of [
      [pullLimits.commitBytesForGets, 0],
      [pullLimits.commitBytesForGets - 1, 1],
    ] as const) {
      const deciding = pulled();
      for (const hostKey of ['a.test', 'b.test']) put(deciding, [itemAt(0, { key: hostKey })]);
      const calls = [getOf({ queues: 2 }), getOf(), putOf(itemAt(1))] as const;
      const queue = waitingFor(...calls);
      deciding.decide((decision) => queue.decide(filled(decision, bytes)));
      rows.run(queue.reads(deciding.state));
      assert.deepEqual(queue.takeAnswered(), calls.slice(0, answered));
      assert.equal(calls[0].urls.length, answered);
      assert.deepEqual(new Set(step(deciding, queue)), new Set(calls.slice(answered)));
    }
  });
});
