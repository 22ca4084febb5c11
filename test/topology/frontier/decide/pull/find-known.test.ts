/** Where URLs of a served crawl's queue are: in memory, and in rows. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RowsInMemory } from '../../../../../lab/model/rows-in-memory.ts';
import type { Entry } from '../../../../../topology/frontier/changes/entry.ts';
import {
  findForgotten,
  findKnown,
  findOut,
  inAgain,
  isThere,
  type KnownPlace,
  nowhere,
  placeName,
  type ReadPlaces,
  readPlaces,
} from '../../../../../topology/frontier/decide/pull/find-known.ts';
import { lookUp } from '../../../../../topology/frontier/decide/pull/look-up.ts';
import { payloadOf } from '../../../../../topology/frontier/pull/payload.ts';
import { key, urlAt } from '../deciding.ts';
import { get, itemAt, order, pulled, put } from './pulled.ts';
import { Served } from './served.ts';

const payload = payloadOf(1_000, Buffer.from('m'));
const entryOf = (n: number, more: Partial<Entry> = {}): Entry => ({
  ...{ url: urlAt(n), depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue: 3, payload },
  ...more,
});
/** As its own row has it: where it waited is not in there. */
const inRow = (n: number) => entryOf(n, { frontQueue: 0 });
const rows = new RowsInMemory();

/** A lease of two, three that wait, one that is done, one that was forgotten, one that is to be had again. */
function queue() {
  const deciding = pulled();
  put(deciding, [itemAt(0), itemAt(1), itemAt(9)]);
  const [lease] = get(deciding).call.leases as [number];
  order(deciding, { kind: 'forget', key, urls: [{ from: { in: 'lease', a: lease, b: 2 }, entry: entryOf(9) }] });
  const read = { known: new Map(), forgotten: new Map([2, 3, 4].map((n) => [placeName(key, urlAt(n)), null])) };
  put(deciding, [itemAt(2), itemAt(3), itemAt(4)], read);
  const dueAtMs = deciding.nowMs + 7_000;
  put(deciding, [itemAt(5, { known: true }), itemAt(6, { known: true, dueAtMs, frontQueue: 4 })]);
  const { state } = deciding;
  const host = deciding.host();
  const { frontQueues } = state.queues;
  const frontQueue = host.queue.frontQueues()[0]!.frontQueue;
  return { deciding, state, host, lease, dueAtMs, head: frontQueues.head(frontQueue), frontQueue, frontQueues };
}

describe('a known URL', () => {
  it('a known URL is found on its lease while it is there', () => {
    const { deciding, state, host, lease } = queue();
    assert.deepEqual(findOut(state, host, urlAt(1)), { from: { in: 'lease', a: lease, b: 1 }, entry: entryOf(1) });
    assert.deepEqual(findKnown(state, host, urlAt(1), new Map()), findOut(state, host, urlAt(1)));
    assert.equal(findOut(state, host, urlAt(9)), undefined);
    assert.equal(findOut(state, host, urlAt(2)), undefined);
    put(deciding, [itemAt(1, { known: true })]);
    assert.equal(findOut(state, host, urlAt(1)), undefined);
  });

  it('a known URL is found on the second of two leases, and on a large one', () => {
    for (const count of [32, 33, 40]) {
      const deciding = pulled();
      const numbers = Array.from({ length: count }, (_, n) => n);
      put(
        deciding,
        numbers.map((n) => itemAt(n)),
      );
      get(deciding, { urlsPerQueue: 99 });
      put(deciding, [itemAt(100)]);
      get(deciding, { urlsPerQueue: 99 });
      const { state } = deciding;
      const host = deciding.host();
      for (const n of numbers) assert.deepEqual(findOut(state, host, urlAt(n))?.from, { in: 'lease', a: 1, b: n });
      assert.deepEqual(findOut(state, host, urlAt(100))?.from, { in: 'lease', a: 2, b: 0 });
      assert.equal(findOut(state, host, urlAt(101)), undefined);
      put(deciding, [itemAt(7, { known: true })]);
      assert.equal(findOut(state, host, urlAt(7)), undefined);
    }
  });

  it('a known URL is found among returned URLs', () => {
    const { deciding, state, host } = queue();
    state.queues.putAgain(host.id, 0, entryOf(50));
    const { seq } = host.queue.again[0]!;
    const place = { from: { in: 'again', a: 0, b: seq }, entry: entryOf(50) };
    assert.deepEqual(findKnown(state, host, urlAt(50), new Map()), place);
    assert.equal(findForgotten(state, host, urlAt(50), new Map()), undefined);
    assert.deepEqual(rows.run(lookUp(state, key, urlAt(50))), { ...place, dueAtMs: 0 });
    assert.deepEqual(inAgain(seq), place.from);
    assert.ok(deciding.nowMs > 0);
  });

  it('a known URL is found by its row: done, forgotten, or due for refetch', () => {
    const { state, host, dueAtMs } = queue();
    const none: ReadPlaces = new Map();
    assert.deepEqual(findKnown(state, host, urlAt(5), none), { from: { in: 'done', a: 0, b: 0 }, entry: inRow(5) });
    const forgotten = { from: { in: 'forgotten', a: 0, b: 0 }, entry: inRow(9) };
    assert.deepEqual(findKnown(state, host, urlAt(9), none), forgotten);
    assert.deepEqual(findForgotten(state, host, urlAt(9), none), forgotten);
    assert.equal(findForgotten(state, host, urlAt(5), none), undefined);
    assert.equal(findForgotten(state, host, urlAt(1), none), undefined, 'it is on a lease');
    const seq = host.queue.rescheduled!.first!.seq;
    const waits = { from: { in: 'again', a: dueAtMs, b: seq }, entry: entryOf(6, { frontQueue: 4 }) };
    assert.deepEqual(findKnown(state, host, urlAt(6), none), waits);
    assert.equal(findForgotten(state, host, urlAt(6), none), undefined);
  });

  it('a known URL is searched in the read rows, which are useless once it has moved', () => {
    const { deciding, state, host, head } = queue();
    assert.equal(findKnown(state, host, urlAt(3), new Map()), 'unread');
    assert.equal(findForgotten(state, host, urlAt(3), new Map()), 'unread');
    const name = placeName(key, urlAt(3));
    const place: KnownPlace = { from: { in: 'frontQueue', a: 3, b: head + 1 }, entry: entryOf(3) };
    assert.deepEqual(findKnown(state, host, urlAt(3), new Map([[name, place]])), place);
    assert.deepEqual(findKnown(state, host, urlAt(3), new Map([[name, null]])), nowhere);
    assert.equal(findForgotten(state, host, urlAt(3), new Map([[name, null]])), undefined);
    assert.equal(findForgotten(state, host, urlAt(3), new Map([[name, place]])), undefined);
    const gone = { from: { in: 'forgotten' as const, a: 0, b: 0 }, entry: inRow(3) };
    assert.deepEqual(findForgotten(state, host, urlAt(3), new Map([[name, gone]])), gone);
    get(deciding, { urlsPerQueue: 4 });
    assert.equal(state.leases.size, 2);
    assert.deepEqual(findKnown(state, host, urlAt(77), new Map([[placeName(key, urlAt(77)), place]])), nowhere);
  });
});

describe('rows that are read for a search', () => {
  it('rows that are read for a search cover all requested URLs', () => {
    const { state, dueAtMs, host, head } = queue();
    const wanted = [5, 9, 6, 3, 77].map((n) => ({ key, url: urlAt(n) }));
    const seq = host.queue.rescheduled!.first!.seq;
    const expected = [
      { from: { in: 'done', a: 0, b: 0 }, entry: inRow(5) },
      { from: { in: 'forgotten', a: 0, b: 0 }, entry: inRow(9) },
      { from: { in: 'again', a: dueAtMs, b: seq }, entry: entryOf(6, { frontQueue: 4 }) },
      { from: { in: 'frontQueue', a: 3, b: head + 1 }, entry: entryOf(3) },
      null,
    ];
    const places = rows.run(readPlaces(state, wanted));
    assert.deepEqual(
      [...places.keys()],
      wanted.map(({ url }) => placeName(key, url)),
    );
    assert.deepEqual([...places.values()], expected);
    const inRows = rows.run(readPlaces(state, wanted, false));
    assert.deepEqual([...inRows.values()], [...expected.slice(0, 3), null, null]);
    assert.deepEqual(readPlaces(state, []).next([]), { done: true, value: new Map() });
  });

  it('rows that are read for a search come from disk if they are no longer in memory', () => {
    const served = new Served(1);
    served.put([0, 1], true);
    served.put([2], true, 2_000_000);
    served.put([3, 4]);
    served.save();
    served.rig.reopen(served.nowMs, false);
    const wanted = [0, 2, 4, 8].map((n) => ({ key, url: `http://${key}/${n}` }));
    const places = [...served.rig.rows.run(readPlaces(served.state, wanted)).values()];
    assert.deepEqual(
      places.map((place) => place?.from.in),
      ['done', 'again', 'frontQueue', undefined],
    );
    assert.equal(places[1]!.from.a, 2_000_000);
  });

  it('rows of a URL that moved on are found where it is now', () => {
    const { deciding, state, host, dueAtMs } = queue();
    deciding.nowMs = dueAtMs;
    get(deciding, { urlsPerQueue: 99 });
    assert.equal(host.queue.rescheduled, undefined);
    assert.deepEqual([...rows.run(readPlaces(state, [{ key, url: urlAt(6) }])).values()], [null]);
    assert.equal(findKnown(state, host, urlAt(6), new Map())!.valueOf() !== 'unread', true);
  });
});

describe('a single URL', () => {
  it('a single URL is found wherever it is', () => {
    const { state, lease, dueAtMs, head, host } = queue();
    const look = (n: number, of = key) => rows.run(lookUp(state, of, urlAt(n)));
    assert.deepEqual(look(0), { from: { in: 'lease', a: lease, b: 0 }, entry: entryOf(0), dueAtMs: 0 });
    assert.deepEqual(look(2), { from: { in: 'frontQueue', a: 3, b: head }, entry: entryOf(2), dueAtMs: 0 });
    assert.deepEqual(look(5), { from: { in: 'done', a: 0, b: 0 }, entry: inRow(5), dueAtMs: 0 });
    const { seq } = host.queue.rescheduled!.first!;
    assert.deepEqual(look(6), {
      ...{ from: { in: 'again', a: dueAtMs, b: seq }, entry: entryOf(6, { frontQueue: 4 }), dueAtMs },
    });
    assert.deepEqual([look(9), look(77), look(0, 'nobody.test')], [undefined, undefined, undefined]);
  });
});

describe('the place of a URL', () => {
  it('the place of a URL is in its front queue, from its head to before its tail, unless it was removed', () => {
    const { state, host, head } = queue();
    const there = (a: number, b: number) => isThere(state, host, { from: { in: 'frontQueue', a, b }, entry: null });
    assert.deepEqual(
      [-1, 0, 1, 2, 3].map((n) => there(3, head + n)),
      [false, true, true, true, false],
    );
    assert.equal(there(4, head), false);
    state.queues.frontQueues.remove(state.queues.frontQueues.list.find(host.id, 3), head + 1);
    assert.deepEqual(
      [0, 1, 2].map((n) => there(3, head + n)),
      [true, false, true],
    );
  });

  it('the place of a URL is among returned URLs, by its number and URL', () => {
    const { state, host } = queue();
    state.queues.putAgain(host.id, 0, entryOf(50));
    const { seq } = host.queue.again[0]!;
    const there = (b: number, entry: Entry | null) => isThere(state, host, { from: { in: 'again', a: 0, b }, entry });
    assert.deepEqual(
      [there(seq, entryOf(50)), there(seq, entryOf(51)), there(seq + 1, entryOf(50))],
      [true, false, false],
    );
    const bare = pulled();
    put(bare, [itemAt(0)]);
    assert.equal(isThere(bare.state, bare.host(), { from: { in: 'again', a: 0, b: 1 }, entry: entryOf(0) }), false);
  });

  it('the place of a URL is among rescheduled URLs', () => {
    const { state, host, dueAtMs } = queue();
    const { seq } = host.queue.rescheduled!.first!;
    const there = (a: number, b: number, entry: Entry | null) =>
      isThere(state, host, { from: { in: 'again', a, b }, entry });
    assert.equal(there(dueAtMs, seq, entryOf(6)), true);
    assert.equal(there(dueAtMs, seq, entryOf(7)), false);
    assert.equal(there(dueAtMs, seq, null), false);
    assert.equal(there(dueAtMs + 1, seq, entryOf(6)), false);
    assert.equal(there(dueAtMs, seq + 1, entryOf(6)), false);
  });

  it('the place of a URL is on its lease', () => {
    const { state, host, lease } = queue();
    const there = (a: number, b: number, entry: Entry | null) =>
      isThere(state, host, { from: { in: 'lease', a, b }, entry });
    assert.equal(there(lease, 1, entryOf(1)), true);
    assert.equal(there(lease, 0, entryOf(1)), false);
    assert.equal(there(lease, 2, entryOf(9)), false);
    assert.equal(there(lease + 1, 1, entryOf(1)), false);
  });

  it('the place of a URL is done, forgotten or unknown', () => {
    const { state, host } = queue();
    for (const place of ['done', 'forgotten', 'new'] as const)
      assert.equal(isThere(state, host, { from: { in: place, a: 0, b: 0 }, entry: null }), true);
  });
});
