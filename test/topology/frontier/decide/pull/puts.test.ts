/** What becomes of URLs that clients put: found ones, and those whose outcome they tell. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Entry } from '../../../../../topology/frontier/changes/entry.ts';
import { type PutItem, putStatuses } from '../../../../../topology/frontier/decide/pull/calls.ts';
import { placeName } from '../../../../../topology/frontier/decide/pull/find-known.ts';
import { decidePuts } from '../../../../../topology/frontier/decide/pull/puts.ts';
import { payloadOf } from '../../../../../topology/frontier/pull/payload.ts';
import { type Decided, key, ofKind, urlAt } from '../deciding.ts';
import { get, itemAt, nothingRead, order, pulled, put } from './pulled.ts';

const { ok, skipped, fail } = putStatuses;
const createdSec = 1_000;
const entryOf = (n: number, more: Partial<Entry> = {}): Entry => ({
  ...{ url: urlAt(n), depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue: 3 },
  payload: payloadOf(createdSec, Buffer.from('m')),
  ...more,
});
const admit = (hostKey: string, ...entries: Entry[]) => ({ kind: 'admit', hostKey, known: false, entries });
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('a found URL', () => {
  it('a found URL is admitted once, with its neighbours of a queue in one change', () => {
    const deciding = pulled();
    const other = { key: 'b.test' };
    const items = [itemAt(0), itemAt(1, { frontQueue: 5 }), itemAt(0), itemAt(0, other), itemAt(2), itemAt(1)];
    const said = put(deciding, items);
    assert.deepEqual(said.statuses, [ok, ok, skipped, ok, ok, skipped]);
    assert.deepEqual(said.changes, [
      admit(key, entryOf(0), entryOf(1, { frontQueue: 5 })),
      admit('b.test', entryOf(0)),
      admit(key, entryOf(2)),
    ]);
    assert.deepEqual([said.tallies, said.stop, said.call.next], [{ discovered: 6, duplicates: 2 }, null, 6]);
    assert.deepEqual(put(deciding, items).statuses, new Array(6).fill(skipped), 'each is known by its own name');
    const again = put(deciding, [itemAt(0)]);
    assert.deepEqual([again.statuses, again.changes, again.tallies], [[skipped], [], { discovered: 1, duplicates: 1 }]);
    assert.deepEqual(put(deciding, [itemAt(7)]).tallies, { discovered: 1 });
    assert.deepEqual(put(deciding, []).tallies, {});
  });

  it('a found URL is distinguished from those put with it', () => {
    const items = [0, 1, 2, 1, 0, 2, 3].map((n) => itemAt(n));
    assert.deepEqual(put(pulled(), items).statuses, [ok, ok, ok, skipped, skipped, skipped, ok]);
  });

  it('found URLs are grouped, 64 at most', () => {
    const { changes } = put(
      pulled(),
      numbers(65).map((n) => itemAt(n)),
    );
    assert.deepEqual(
      changes.map((change) => change.kind === 'admit' && change.entries.length),
      [64, 1],
    );
  });

  it('a found URL fails while the queue is full', () => {
    const said = put(pulled({ queuedMax: 2 }), [itemAt(0)]);
    assert.deepEqual(said.statuses, [ok]);
    const deciding = pulled({ queuedMax: 2 });
    put(deciding, [itemAt(0), itemAt(1)]);
    assert.deepEqual(put(deciding, [itemAt(2), itemAt(0)]).statuses, [fail, skipped]);
  });

  it('a found URL waits for the next step if the commit is full', () => {
    // Of 64 KiB each.
    const items = numbers(6).map((n) => itemAt(n, { metadata: Buffer.alloc(65_536 - 6 - 2 - urlAt(n).length) }));
    const deciding = pulled();
    const said = put(deciding, items);
    assert.deepEqual([said.call.next, said.stop], [4, null]);
    assert.deepEqual(said.statuses, [ok, ok, ok, ok, 9, 9]);
    assert.deepEqual(said.tallies, { discovered: 4 });
    const rest = deciding.decide((decision) => decidePuts(decision, said.call, nothingRead()));
    assert.deepEqual([said.call.next, rest.tallies], [6, { discovered: 2 }]);
    // Of 60,000 bytes each, in two queues by turns: each is counted once.
    const turns = numbers(6).map((n) => itemAt(n, { key: `${n % 2}.test`, metadata: Buffer.alloc(60_000) }));
    assert.equal(put(pulled(), turns).call.next, 5);
    const smaller = numbers(6).map((n) => itemAt(n, { metadata: Buffer.alloc(65_535 - 6 - 2 - urlAt(n).length) }));
    assert.equal(put(pulled(), smaller).call.next, 5);
  });

  it('a forgotten URL that is found again is due at once, with its new payload', () => {
    const deciding = pulled();
    put(deciding, [itemAt(0), itemAt(1)]);
    const { leases } = get(deciding).call;
    const entry = entryOf(0);
    order(deciding, { kind: 'forget', key, urls: [{ from: { in: 'lease', a: leases[0]!, b: 0 }, entry }] });
    deciding.nowMs += 5_000;
    const said = put(deciding, [itemAt(5), itemAt(1), itemAt(0, { metadata: Buffer.from('new'), frontQueue: 1 })]);
    assert.deepEqual(said.statuses, [ok, skipped, ok]);
    const payload = payloadOf(createdSec + 5, Buffer.from('new'));
    const from = { in: 'forgotten', a: 0, b: 0 };
    assert.deepEqual(said.changes, [
      admit(key, entryOf(5, { payload: payloadOf(createdSec + 5, Buffer.from('m')) })),
      {
        kind: 'known',
        hostKey: key,
        from,
        to: 'again',
        dueAtMs: deciding.nowMs,
        entry: entryOf(0, { payload, frontQueue: 1 }),
      },
    ]);
    assert.deepEqual(put(deciding, [itemAt(0)]).statuses, [skipped], 'it waits');
  });

  it('a found URL in a queue with forgotten ones is searched in rows', () => {
    const deciding = pulled();
    put(deciding, [itemAt(0), itemAt(1)]);
    const { leases } = get(deciding, { urlsPerQueue: 1 }).call;
    order(deciding, { kind: 'forget', key, urls: [{ from: { in: 'lease', a: leases[0]!, b: 0 }, entry: entryOf(0) }] });
    const unread = put(deciding, [itemAt(9), itemAt(1), itemAt(8)]);
    assert.deepEqual([unread.stop, unread.call.next, unread.statuses], ['unread', 1, [ok, 9, 9]]);
    assert.deepEqual(unread.tallies, { discovered: 1 });
    const read = nothingRead();
    const forgotten = new Map([[placeName(key, urlAt(1)), null]]);
    assert.deepEqual(put(deciding, [itemAt(1)], { ...read, forgotten }).statuses, [skipped]);
  });
});

describe('a URL with a reported outcome', () => {
  const known = (n: number, more: Partial<PutItem> = {}) => itemAt(n, { known: true, ...more });
  const move = (from: object, to: 'done' | 'again', dueAtMs: number, entry: Entry) => ({
    ...{ kind: 'known', hostKey: key, from, to, dueAtMs, entry },
  });

  it('an unknown URL with a reported outcome is known from then on', () => {
    const deciding = pulled();
    const said = put(deciding, [itemAt(5), known(0), known(1, { dueAtMs: 7_000_000 })]);
    const from = { in: 'new', a: 0, b: 0 };
    assert.deepEqual(said.changes, [
      admit(key, entryOf(5)),
      move(from, 'done', 0, entryOf(0)),
      move(from, 'again', 7_000_000, entryOf(1)),
    ]);
    assert.deepEqual([said.statuses, said.tallies], [[ok, ok, ok], { discovered: 3 }]);
    const first = put(pulled(), [known(0)]);
    assert.deepEqual(first.changes, [move(from, 'done', 0, entryOf(0))], 'the first of its queue, too');
  });

  it('a URL with a reported outcome leaves its lease, which ends with its last URL, and keeps its first put time', () => {
    const deciding = pulled();
    put(deciding, [itemAt(0), itemAt(1)]);
    const [a] = get(deciding).call.leases;
    deciding.nowMs += 9_000;
    const said = put(deciding, [known(1, { metadata: Buffer.from('x') })]);
    const payload = payloadOf(createdSec, Buffer.from('x'));
    assert.deepEqual(said.changes, [move({ in: 'lease', a, b: 1 }, 'done', 0, entryOf(1, { payload }))]);
    const last = put(deciding, [known(0, { dueAtMs: 2_000_000 })]);
    assert.deepEqual(last.changes, [
      move({ in: 'lease', a, b: 0 }, 'again', 2_000_000, entryOf(0)),
      { kind: 'release', leaseId: a, expired: false },
    ]);
  });

  it('a done URL with a repeated outcome counts once', () => {
    const deciding = pulled();
    put(deciding, [known(0)]);
    const again = put(deciding, [known(0)]);
    assert.deepEqual(again.changes, [move({ in: 'done', a: 0, b: 0 }, 'done', 0, entryOf(0))]);
    assert.equal(deciding.state.pull.doneOf(deciding.host().id), 1);
  });

  it('a waiting URL with a reported outcome is searched first', () => {
    const deciding = pulled();
    put(deciding, [itemAt(0)]);
    const said = put(deciding, [known(0)]);
    assert.deepEqual([said.stop, said.changes, said.tallies, said.call.next], ['unread', [], {}, 0]);
    const { number, seq } = { number: 3, seq: 0 };
    const place = { from: { in: 'frontQueue' as const, a: number, b: seq }, entry: entryOf(0) };
    const read = { known: new Map([[placeName(key, urlAt(0)), place]]), forgotten: new Map() };
    assert.deepEqual(put(deciding, [known(0)], read).changes, [move(place.from, 'done', 0, entryOf(0))]);
    assert.equal(read.known.size, 0, 'it is not there any more');
  });

  it('a URL with a reported outcome stops its queue at the limit of done URLs, and restarts it when one is rescheduled', () => {
    const deciding = pulled();
    deciding.facts({ pagesMax: 2 });
    const holds = (said: Decided) => ofKind(said, 'host').map(({ facts }) => facts.hold);
    assert.deepEqual(holds(put(deciding, [known(0)])), []);
    assert.deepEqual(holds(put(deciding, [known(1)])), ['limit']);
    assert.deepEqual(holds(put(deciding, [known(2)])), []);
    assert.deepEqual(holds(put(deciding, [known(1, { dueAtMs: 9 })])), []);
    assert.deepEqual(holds(put(deciding, [known(2, { dueAtMs: 9 })])), ['']);
    const blocked = pulled();
    blocked.facts({ pagesMax: 1, hold: 'blocked' });
    assert.deepEqual(holds(put(blocked, [known(0)])), []);
  });

  it('a rescheduled URL that was not done does not restart its queue', () => {
    const deciding = pulled();
    put(deciding, [known(0)]);
    deciding.facts({ pagesMax: 1 });
    assert.deepEqual(ofKind(put(deciding, [known(1, { dueAtMs: 9 })]), 'host'), []);
    assert.deepEqual(ofKind(put(deciding, [known(2)]), 'host').length, 1);
  });
});
