/** What clients are given of queues, and what becomes of it where they don't answer. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HostFacts } from '../../../../../topology/frontier/changes/changes.ts';
import type { PutItem } from '../../../../../topology/frontier/decide/pull/calls.ts';
import { decideLapses } from '../../../../../topology/frontier/decide/pull/gets.ts';
import { frontierLimits } from '../../../../../topology/frontier/frontier-limits.ts';
import { payloadOf } from '../../../../../topology/frontier/pull/payload.ts';
import { pullLimits } from '../../../../../topology/frontier/pull/pull-limits.ts';
import { budgetQueue } from '../../../../../topology/frontier/queues/held-queues.ts';
import { type Decided, type Deciding, entryAt, filled, key, ofKind } from '../deciding.ts';
import { get, itemAt, pulled, put } from './pulled.ts';

const many = (count: number, more: Partial<PutItem> = {}) => Array.from({ length: count }, (_, n) => itemAt(n, more));
const grantsOf = (said: Decided) => ofKind(said, 'grant');
const queuesOf = (said: Decided) => grantsOf(said).map(({ hostKey }) => hostKey);

describe('a get for any queue', () => {
  it('a get for any queue gives as many queues as requested, and as many URLs of each', () => {
    const deciding = pulled();
    for (const hostKey of ['a.test', 'b.test', 'c.test']) put(deciding, many(4, { key: hostKey }));
    const said = get(deciding, { queues: 2, urlsPerQueue: 3 });
    assert.deepEqual([grantsOf(said).length, said.isDone, said.call.queues, said.call.leases], [2, true, 0, [1, 2]]);
    assert.deepEqual(grantsOf(said)[0]!.frontQueues, [[3, 3]]);
    assert.deepEqual([grantsOf(said)[0]!.deadlineMs, grantsOf(said)[0]!.delayMs], [deciding.nowMs + 5_000, 0]);
    assert.equal(ofKind(said, 'host')[0]!.facts.readyAtMs, deciding.nowMs, 'a delay that comes later counts from here');
    const rest = get(deciding, { queues: 5, urlsPerQueue: 3 });
    assert.deepEqual([grantsOf(rest).length, rest.isDone, rest.call.queues], [1, true, 4]);
    assert.deepEqual(grantsOf(get(deciding, { queues: 0, urlsPerQueue: 30 })), []);
  });

  it('a get for any queue gives returned URLs before found ones, best front queues first, deferred ones never', () => {
    const deciding = pulled();
    put(deciding, [itemAt(0, { known: true, dueAtMs: 1 }), itemAt(1, { known: true, dueAtMs: 2 })]);
    put(deciding, [itemAt(2, { frontQueue: 5 }), itemAt(3, { frontQueue: 0 }), itemAt(4, { frontQueue: 5 })]);
    put(deciding, [itemAt(5, { known: true, dueAtMs: deciding.nowMs + 1 })]);
    deciding.admit(entryAt(9, { frontQueue: budgetQueue }));
    const [lease] = grantsOf(get(deciding, { urlsPerQueue: 4 }));
    assert.deepEqual(
      [lease!.again, lease!.frontQueues],
      [
        2,
        [
          [0, 1],
          [5, 1],
        ],
      ],
    );
    const two = pulled();
    put(two, [itemAt(0, { known: true, dueAtMs: 1 }), itemAt(1, { known: true, dueAtMs: 2 }), itemAt(2)]);
    const [first] = grantsOf(get(two, { urlsPerQueue: 1 }));
    assert.deepEqual([first!.again, first!.frontQueues], [1, []]);
  });

  it('a get for any queue skips a queue at its limit of URLs out', () => {
    const deciding = pulled();
    put(deciding, many(9));
    assert.equal(grantsOf(get(deciding, { urlsPerQueue: 3 })).length, 1);
    assert.equal(grantsOf(get(deciding, { urlsPerQueue: 3 })).length, 0);
    assert.deepEqual(grantsOf(get(deciding, { urlsPerQueue: 4 }))[0]!.frontQueues, [[3, 4]], 'fewer are out than that');
    assert.equal(grantsOf(get(deciding, { urlsPerQueue: 7 })).length, 0);
    put(deciding, [itemAt(0, { known: true })]);
    assert.equal(grantsOf(get(deciding, { urlsPerQueue: 7 })).length, 1);
  });

  it('a get for any queue waits for the delay of a queue since its last get', () => {
    const deciding = pulled({ delayMs: 100 });
    put(deciding, many(9));
    assert.equal(grantsOf(get(deciding, { urlsPerQueue: 1 }))[0]!.delayMs, 100);
    deciding.nowMs += 99;
    assert.deepEqual(grantsOf(get(deciding, { urlsPerQueue: 5 })), []);
    deciding.nowMs += 1;
    assert.equal(grantsOf(get(deciding, { urlsPerQueue: 5 })).length, 1);
  });

  it('a get for any queue skips queues with a closed window, until it opens', () => {
    const windows = [{ hosts: ['a.test'], fromHour: 1, toHour: 2, utcOffsetMinutes: 0 }];
    const deciding = pulled({ windows });
    put(deciding, many(2));
    put(deciding, many(2, { key: 'b.test' }));
    assert.deepEqual(queuesOf(get(deciding, { queues: 5 })), ['b.test']);
    assert.equal(deciding.state.clock.readyAtMs(deciding.host().id), 3_600_000);
    assert.deepEqual(grantsOf(get(deciding, { key })), []);
    deciding.nowMs = 3_600_000;
    assert.deepEqual(queuesOf(get(deciding, { queues: 5 })), ['a.test']);
  });

  it('a get for any queue gives nothing of a crawl that is paused, or has no policy', () => {
    const paused = pulled({ paused: true });
    put(paused, many(2));
    assert.deepEqual([get(paused).isDone, get(paused).changes], [true, []]);
    const none = pulled();
    put(none, many(2));
    none.policy = null;
    assert.deepEqual([get(none).isDone, get(none).changes], [true, []]);
  });

  it('a get for any queue waits if the commit is full', () => {
    const deciding = pulled();
    for (const hostKey of ['a.test', 'b.test']) put(deciding, many(4, { key: hostKey }));
    const full = get(deciding, { queues: 2 }, pullLimits.commitBytesForGets);
    assert.deepEqual([full.isDone, full.call.leases], [false, []]);
    const room = get(deciding, { queues: 2 }, pullLimits.commitBytesForGets - 1);
    assert.deepEqual([room.isDone, room.call.leases.length], [false, 1]);
  });

  it('a get for any queue gives at most ten thousand of a queue', () => {
    const deciding = pulled();
    const entries = Array.from({ length: 10_001 }, (_, n) => entryAt(n));
    deciding.admit(...entries);
    assert.deepEqual(grantsOf(get(deciding, { urlsPerQueue: 99_999 }))[0]!.frontQueues, [[3, 10_000]]);
  });
});

describe('a get for one queue', () => {
  it('a get for one queue gives its URLs, if it may', () => {
    const of = (before: Partial<HostFacts>, ...items: PutItem[]) => {
      const deciding = pulled({ delayMs: 100 });
      put(deciding, many(2, { key: 'b.test' }));
      put(deciding, items);
      deciding.facts(before);
      const said = get(deciding, { key, queues: 3 });
      assert.equal(said.isDone, true);
      return queuesOf(said);
    };
    assert.deepEqual(of({}, itemAt(0)), [key]);
    assert.deepEqual(of({}), []);
    assert.deepEqual(of({ hold: 'blocked' }, itemAt(0)), []);
    const now = pulled().nowMs;
    assert.deepEqual(of({ readyAtMs: now - 99 }, itemAt(0)), []);
    assert.deepEqual(of({ readyAtMs: now - 100 }, itemAt(0)), [key]);
    assert.deepEqual(of({}, itemAt(0, { known: true, dueAtMs: now + 1 })), []);
    assert.deepEqual(of({}, itemAt(0, { known: true, dueAtMs: now })), [key]);
    const nobody = pulled();
    assert.deepEqual([get(nobody, { key }).isDone, get(nobody, { key }).changes], [true, []]);
  });

  it('a get for one queue gives none at its limit of URLs out', () => {
    const deciding = pulled();
    put(deciding, many(9));
    get(deciding, { key, urlsPerQueue: 3 });
    assert.deepEqual(grantsOf(get(deciding, { key, urlsPerQueue: 3 })), []);
    assert.deepEqual(grantsOf(get(deciding, { key, urlsPerQueue: 4 }))[0]!.frontQueues, [[3, 4]]);
  });
});

describe('an unanswered lease', () => {
  const lapse = (deciding: Deciding) => deciding.decide(decideLapses);

  it('an unanswered lease expires at its deadline; its URLs wait again, with the same attempts', () => {
    const deciding = pulled();
    put(deciding, many(3));
    const leaseId = get(deciding).call.leases[0]!;
    put(deciding, [itemAt(1, { known: true })]);
    deciding.nowMs += 4_999;
    assert.deepEqual(lapse(deciding).changes, []);
    deciding.nowMs += 1;
    const payload = payloadOf(1_000, Buffer.from('m'));
    const again = (n: number, index: number) => {
      const entry = entryAt(n, { depth: 0, attempts: 1, payload });
      return { kind: 'resolve', leaseId, index, disposition: { to: 'again', dueAtMs: 0, entry }, record: null };
    };
    assert.deepEqual(lapse(deciding).changes, [again(0, 0), again(2, 2), { kind: 'release', leaseId, expired: true }]);
    assert.deepEqual(lapse(deciding).changes, []);
  });

  it('an unanswered lease expires once the commit has room', () => {
    for (const [bytes, kinds] of [
      [frontierLimits.commitBytesSoft, []],
      [frontierLimits.commitBytesSoft - 1, ['resolve']],
    ] as const) {
      const deciding = pulled();
      put(deciding, many(1));
      get(deciding);
      deciding.nowMs += 5_000;
      const said = deciding.decide((decision) => decideLapses(filled(decision, bytes)));
      assert.deepEqual(
        said.changes.slice(2).map(({ kind }) => kind),
        kinds,
      );
      assert.equal(lapse(deciding).changes.at(-1)!.kind, 'release');
    }
  });

  it('an unanswered lease too large for one commit expires after the next', () => {
    const deciding = pulled();
    const metadata = Buffer.alloc(60_000);
    for (let n = 0; n < 6; n += 3)
      put(
        deciding,
        [0, 1, 2].map((i) => itemAt(n + i, { metadata })),
      );
    get(deciding);
    deciding.nowMs += 5_000;
    assert.deepEqual(
      lapse(deciding).changes.map(({ kind }) => kind),
      new Array(5).fill('resolve'),
    );
    assert.deepEqual(
      lapse(deciding).changes.map(({ kind }) => kind),
      ['resolve', 'release'],
    );
  });
});
