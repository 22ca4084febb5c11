/** Orders about the queues of a served crawl. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newHostFacts } from '../../../../../topology/frontier/changes/changes.ts';
import type { KnownPlace } from '../../../../../topology/frontier/decide/pull/find-known.ts';
import { frontierLimits } from '../../../../../topology/frontier/frontier-limits.ts';
import { payloadOf } from '../../../../../topology/frontier/pull/payload.ts';
import { type Deciding, entryAt, key, ofKind } from '../deciding.ts';
import { get, itemAt, order, pulled, put } from './pulled.ts';

const count = (deciding: Deciding) => deciding.state.pull.urlsOf(deciding.host().id);

describe('an order on a queue', () => {
  it('an order on a queue sets its delay, even before it holds anything', () => {
    const deciding = pulled();
    const said = order(deciding, { kind: 'delay', key, delayMs: 70 });
    assert.deepEqual(said.changes, [{ kind: 'host', hostKey: key, facts: { ...newHostFacts, ownDelayMs: 70 } }]);
    assert.equal(said.isDone, true);
    deciding.facts({ pagesMax: 9 });
    const { facts } = ofKind(order(deciding, { kind: 'delay', key, delayMs: 7 }), 'host')[0]!;
    assert.deepEqual([facts.ownDelayMs, facts.pagesMax], [7, 9]);
  });

  it('an order on a queue blocks it for a time', () => {
    const said = order(pulled(), { kind: 'block', key, untilMs: 70 });
    assert.deepEqual([said.changes, said.isDone], [[{ kind: 'blockQueue', hostKey: key, untilMs: 70 }], true]);
  });

  it('an order on a queue stops it once as many URLs are done', () => {
    const deciding = pulled();
    put(deciding, [itemAt(0, { known: true }), itemAt(1, { known: true })]);
    const facts = (done: number) => {
      const said = order(deciding, { kind: 'limit', key, done });
      assert.equal(said.isDone, true);
      return ofKind(said, 'host').map(({ facts: { pagesMax, hold } }) => [pagesMax, hold]);
    };
    assert.deepEqual(facts(3), [[3, '']]);
    assert.deepEqual(facts(2), [
      [2, ''],
      [2, 'limit'],
    ]);
    assert.deepEqual(
      facts(0),
      [
        [-1, 'limit'],
        [-1, ''],
      ],
      'it never rests',
    );
    assert.deepEqual(facts(1), [
      [1, ''],
      [1, 'limit'],
    ]);
  });

  it('an order on a queue deletes it with all URLs and settings', () => {
    const deciding = pulled();
    put(deciding, [itemAt(0), itemAt(1), itemAt(2, { known: true }), itemAt(3, { known: true, dueAtMs: 9_000_000 })]);
    get(deciding, { urlsPerQueue: 1 });
    order(deciding, { kind: 'delay', key, delayMs: 70 });
    order(deciding, { kind: 'limit', key, done: 1 });
    order(deciding, { kind: 'block', key, untilMs: 70 });
    assert.equal(count(deciding), 4);
    const said = order(deciding, { kind: 'drop', key });
    assert.deepEqual([said.gone, said.isDone, count(deciding)], [4, true, 0]);
    assert.deepEqual(said.changes, [
      { kind: 'host', hostKey: key, facts: newHostFacts },
      { kind: 'blockQueue', hostKey: key, untilMs: 0 },
      { kind: 'dropQueue', hostKey: key },
    ]);
    const again = order(deciding, { kind: 'drop', key });
    assert.deepEqual([again.gone, again.changes, again.isDone], [0, [], true]);
    const nobody = order(deciding, { kind: 'drop', key: 'nobody.test' });
    assert.deepEqual([nobody.gone, nobody.changes, nobody.isDone], [0, [], true]);
  });

  it('an order on a queue deletes it but keeps an operator’s block', () => {
    const deciding = pulled();
    deciding.facts({ hold: 'blocked', ownDelayMs: 5 });
    const { facts } = ofKind(order(deciding, { kind: 'drop', key }), 'host')[0]!;
    assert.deepEqual(facts, { ...newHostFacts, hold: 'blocked' });
    assert.deepEqual(order(deciding, { kind: 'drop', key }).changes, [], 'nothing of it is to be changed');
    for (const one of [{ ownDelayMs: 5 }, { pagesMax: 5 }, { readyAtMs: 5 }, { hold: 'limit' as const }]) {
      deciding.facts(one);
      assert.deepEqual(ofKind(order(deciding, { kind: 'drop', key }), 'host')[0]!.facts, newHostFacts);
    }
  });
});

describe('an order on all queues', () => {
  it('an order on all queues deletes one after another, as far as a commit goes', () => {
    const deciding = pulled();
    for (const hostKey of ['a.test', 'b.test', 'c.test'])
      put(deciding, [itemAt(0, { key: hostKey }), itemAt(1, { key: hostKey })]);
    const said = order(deciding, { kind: 'dropAll' });
    assert.deepEqual([said.gone, said.isDone, said.next], [6, true, 3]);
    assert.deepEqual(
      ofKind(said, 'dropQueue').map(({ hostKey }) => hostKey),
      ['a.test', 'b.test', 'c.test'],
    );
    put(deciding, [itemAt(0), itemAt(0, { key: 'c.test' })]);
    const on = order(deciding, { kind: 'dropAll' }, 1);
    assert.deepEqual([on.gone, ofKind(on, 'dropQueue').map(({ hostKey }) => hostKey)], [1, ['c.test']]);
  });
});

describe('a long order', () => {
  const soft = frontierLimits.commitBytesSoft;
  it('a long order continues in the next commit if one is full', () => {
    const deciding = pulled();
    put(deciding, [itemAt(0), itemAt(0, { key: 'b.test' }), itemAt(5, { known: true })]);
    const urls = [
      { from: { in: 'done', a: 0, b: 0 }, entry: entryAt(5, { depth: 0, payload: Buffer.from([0]) }) },
    ] as const;
    for (const one of [{ kind: 'forget', key, urls }, { kind: 'dropAll' }] as const) {
      const full = order(deciding, one, 0, soft);
      assert.deepEqual([full.isDone, full.next, full.gone], [false, 0, 0], one.kind);
      const room = order(deciding, one, 0, soft - 1);
      assert.equal(room.next, 1, one.kind);
      assert.equal(room.isDone, one.kind === 'forget');
    }
    assert.equal(order(deciding, { kind: 'dropAll' }, 1).isDone, true);
  });
});

describe('forgotten URLs', () => {
  const done = { in: 'done', a: 0, b: 0 } as const;
  it('forgotten URLs leave their queue wherever they are', () => {
    const deciding = pulled();
    put(deciding, [itemAt(0), itemAt(1)]);
    const [a] = get(deciding).call.leases as [number];
    put(deciding, [itemAt(2), itemAt(3, { known: true })]);
    const entries = [0, 1, 2, 3].map((n) => entryAt(n, { depth: 0, payload: payloadOf(1_000, Buffer.from('m')) }));
    const at = (n: number, from: KnownPlace['from']) => ({ from, entry: entries[n]! });
    const seq = deciding.state.queues.frontQueues.head(deciding.host().queue.frontQueues()[0]!.frontQueue);
    const urls = [
      at(0, { in: 'lease', a, b: 0 }),
      at(1, { in: 'lease', a, b: 0 }),
      at(2, { in: 'frontQueue', a: 3, b: seq }),
      at(2, { in: 'frontQueue', a: 3, b: seq + 1 }),
      at(3, done),
      at(1, { in: 'lease', a, b: 1 }),
    ];
    const said = order(deciding, { kind: 'forget', key, urls });
    assert.deepEqual([said.gone, said.isDone, said.next, count(deciding)], [4, true, 6, 0]);
    const known = (n: number, from: object) => ({
      kind: 'known',
      hostKey: key,
      from,
      to: 'forgotten',
      dueAtMs: 0,
      entry: entries[n],
    });
    assert.deepEqual(said.changes, [
      known(0, urls[0]!.from),
      known(2, urls[2]!.from),
      known(3, done),
      known(1, urls[5]!.from),
      { kind: 'release', leaseId: a, expired: false },
    ]);
  });

  it('forgotten URLs may end the rest of their queue', () => {
    const deciding = pulled();
    put(deciding, [itemAt(0, { known: true })]);
    order(deciding, { kind: 'limit', key, done: 1 });
    const urls = [{ from: done, entry: entryAt(0, { depth: 0, payload: payloadOf(1_000, Buffer.from('m')) }) }];
    assert.deepEqual(
      ofKind(order(deciding, { kind: 'forget', key, urls }), 'host').map(({ facts }) => facts.hold),
      [''],
    );
  });

  it('forgotten URLs of a missing queue are ignored', () => {
    const said = order(pulled(), { kind: 'forget', key, urls: [{ from: done, entry: entryAt(0) }] });
    assert.deepEqual([said.gone, said.isDone, said.changes], [0, true, []]);
  });
});
