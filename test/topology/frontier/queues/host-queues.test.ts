/** One host's queue: what is in it, what may go when, and what leaves it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Entry } from '../../../../topology/frontier/changes/entry.ts';
import { FrontQueues } from '../../../../topology/frontier/queues/front-queues.ts';
import { HostQueue, HostQueues } from '../../../../topology/frontier/queues/host-queues.ts';

const host = 1;
const entryOf = (n: number, frontQueue = 3): Entry => ({
  ...{ url: `https://a.test/${n}`, depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue },
});
const one = (seq: number, dueAtMs: number, frontQueue = 0) => ({ dueAtMs, seq, hi: seq, lo: 7, frontQueue, said: 0 });

/** So many entries in each front queue, what came back by when it is due, and what is rescheduled. */
function queue(
  fronts: Readonly<Record<number, number>> = {},
  again: readonly (readonly [dueAtMs: number, frontQueue: number])[] = [],
  rescheduled: readonly (readonly [dueAtMs: number, frontQueue: number])[] = [],
  opened: readonly number[] = [],
) {
  const frontQueues = new FrontQueues(2 ** 21, () => 'a.test');
  frontQueues.list.fitHost(2);
  const queues = new HostQueues(frontQueues);
  let n = 0;
  for (const [number, count] of Object.entries(fronts))
    for (let left = count; left > 0; left--) frontQueues.push(host, 'a.test', entryOf(n++, Number(number)));
  for (const [dueAtMs, frontQueue] of again) queues.putAgain(host, dueAtMs, entryOf(n++, frontQueue));
  for (const [dueAtMs, frontQueue] of rescheduled)
    queues.listOf(host).put(one(queues.nextSeq(host), dueAtMs, frontQueue));
  if (opened.length > 0) queues.opened.set(host, opened);
  return { queues, frontQueues, queue: new HostQueue(queues, host) };
}

describe('a queue', () => {
  it('an empty queue has nothing', () => {
    const { queue: empty, queues } = queue();
    assert.deepEqual(
      [empty.size, empty.frontSize, empty.sizeOf(3), empty.frontQueues(), empty.again],
      [0, 0, 0, [], []],
    );
    assert.deepEqual([empty.dueAtMs, empty.dueCount(9), empty.bestFrontQueue], [undefined, 0, 8]);
    assert.deepEqual([empty.cameBack, empty.rescheduled, empty.opened], [undefined, undefined, []]);
    assert.deepEqual([queues.nextSeq(host), queues.takeAgain(host, 5), queues.takeRescheduled(host, 5)], [1, [], []]);
    assert.deepEqual(queues.takeRescheduledRows(host), []);
  });

  it('a queue counts all waiting URLs, and those that wait only for their turn', () => {
    const { queue: full } = queue(
      { 0: 2, 3: 1, 8: 4, 16: 5, 17: 6 },
      [
        [0, 3],
        [5, 3],
      ],
      [[9, 3]],
      [17],
    );
    assert.deepEqual([full.size, full.frontSize], [21, 12]);
    assert.deepEqual(
      [0, 1, 3, 8, 16, 17, 18].map((number) => full.sizeOf(number)),
      [2, 0, 1, 4, 5, 6, 0],
    );
    assert.deepEqual(
      full.frontQueues().map(({ number, size }) => [number, size]),
      [
        [0, 2],
        [3, 1],
        [8, 4],
        [16, 5],
        [17, 6],
      ],
    );
    assert.deepEqual(
      [0, 7, 8, 16, 17].map((number) => full.isHeld(number)),
      [false, false, true, true, false],
    );
    const { queue: opened } = queue({ 8: 4 }, [], [], [8]);
    assert.deepEqual(
      [opened.frontSize, opened.isHeld(8)],
      [0, false],
      'what is beyond a budget is deferred all the same',
    );
    const { queue: last } = queue({ 7: 2 });
    assert.equal(last.frontSize, 2);
  });

  it('a queue omits front queues whose entries are all gone', () => {
    const { queue: some, frontQueues } = queue({ 0: 1, 3: 1 });
    const first = frontQueues.list.find(host, 0);
    // All that it holds was taken, and its rows are not read yet.
    frontQueues.savedRow(first, frontQueues.unsaved(first).pointer, 1);
    const loaded = new FrontQueues(2 ** 21, () => 'a.test');
    loaded.list.fitHost(2);
    loaded.load(host, frontQueues.saved(first));
    loaded.queuedEver = 2;
    loaded.push(host, 'a.test', entryOf(1));
    loaded.take(loaded.list.find(host, 0), 1, () => {});
    const next = new HostQueue(new HostQueues(loaded), host);
    assert.deepEqual(
      next.frontQueues().map(({ number }) => number),
      [3],
    );
    assert.deepEqual([next.bestFrontQueue, next.dueAtMs, next.size], [3, 0, 1]);
    assert.equal(some.size, 2);
  });

  it('a queue may go at once while a front queue, or the open queue of a trap, has something', () => {
    assert.equal(queue({ 0: 1 }).queue.dueAtMs, 0);
    assert.equal(queue({ 7: 1 }, [[5, 0]]).queue.dueAtMs, 0);
    assert.equal(queue({ 8: 1 }).queue.dueAtMs, undefined);
    assert.equal(queue({ 17: 1 }).queue.dueAtMs, undefined);
    assert.equal(queue({ 17: 1 }, [], [], [16, 17]).queue.dueAtMs, 0);
    assert.equal(queue({ 17: 1 }, [[5, 0]], [], [16]).queue.dueAtMs, 5);
    assert.equal(
      queue({}, [
        [5, 0],
        [3, 0],
      ]).queue.dueAtMs,
      3,
    );
    assert.equal(
      queue(
        {},
        [],
        [
          [9, 0],
          [8, 0],
        ],
      ).queue.dueAtMs,
      8,
    );
    assert.equal(queue({}, [[5, 0]], [[3, 0]]).queue.dueAtMs, 5, 'what came back goes first');
  });

  it('a queue is as urgent as its most urgent entry', () => {
    const best = (...args: Parameters<typeof queue>) => queue(...args).queue.bestFrontQueue;
    assert.equal(best({ 2: 1, 5: 1 }), 2);
    assert.equal(best({ 5: 1 }, [[0, 2]]), 2);
    assert.equal(best({ 1: 1 }, [[0, 2]]), 1);
    assert.equal(best({ 2: 1 }, [[0, 2]]), 2);
    assert.equal(best({}, [[5, 4]]), 4);
    assert.equal(
      best({}, [
        [5, 4],
        [1, 6],
      ]),
      6,
      'by what is due first',
    );
    assert.equal(best({}, [], [[5, 1]]), 1);
    assert.equal(best({}, [[5, 4]], [[1, 1]]), 4);
    assert.equal(best({ 8: 1 }), 8);
    assert.equal(best({ 8: 1 }, [], [], [8]), 7, 'deferred URLs count with the last of the front queues');
    assert.equal(best({ 17: 1 }, [], [], [17]), 7);
    assert.equal(best({}, [[5, 8]]), 7);
    assert.equal(best({}, [[5, 17]]), 7, 'as one of a trap that was released, which came back');
    assert.equal(best({}, [], [[5, 17]]), 7);
    assert.equal(best({ 7: 1 }, [[5, 17]]), 7);
  });

  it('a queue counts due entries, returned and rescheduled, up to the requested number', () => {
    const { queue: some } = queue(
      { 3: 9 },
      [
        [1, 0],
        [5, 0],
      ],
      [
        [3, 0],
        [5, 0],
        [6, 0],
      ],
    );
    assert.deepEqual(
      [0, 1, 3, 5, 6].map((nowMs) => some.dueCount(nowMs)),
      [0, 1, 2, 4, 5],
    );
    assert.deepEqual(
      [1, 2, 3, 4, 9].map((most) => some.dueCount(6, most)),
      [1, 2, 3, 4, 5],
    );
  });
});

describe('a returned URL', () => {
  it('a returned URL gets a number above all existing ones', () => {
    const { queues } = queue(
      {},
      [
        [5, 0],
        [5, 0],
      ],
      [
        [9, 0],
        [9, 0],
      ],
    );
    assert.equal(queues.nextSeq(host), 5);
    queues.putAgain(host, 7, entryOf(9));
    assert.equal(queues.again.get(host)!.all.at(-1)!.seq, 5);
    assert.equal(queues.nextSeq(host), 6);
    assert.equal(queue({}, [[5, 0]]).queues.nextSeq(host), 2);
    assert.equal(
      queue(
        {},
        [],
        [
          [5, 0],
          [6, 0],
        ],
      ).queues.nextSeq(host),
      3,
    );
  });

  it('a returned URL is taken from the head, and its list forgotten with the last', () => {
    const { queues } = queue({}, [
      [5, 0],
      [3, 0],
      [4, 0],
    ]);
    assert.deepEqual(queues.takeAgain(host, 0), []);
    assert.deepEqual(
      queues.takeAgain(host, 2).map(({ dueAtMs }) => dueAtMs),
      [3, 4],
    );
    assert.equal(queues.again.has(host), true);
    assert.deepEqual(
      queues.takeAgain(host, 9).map(({ dueAtMs }) => dueAtMs),
      [5],
    );
    assert.equal(queues.again.has(host), false);
  });

  it('a returned URL is removed from the middle, with its due time', () => {
    const { queues } = queue({}, [
      [5, 0],
      [3, 0],
    ]);
    assert.equal(queues.takeOut(host, { frontQueue: null, seq: 1 }), 5);
    assert.equal(queues.again.has(host), true);
    assert.equal(queues.takeOut(host, { frontQueue: null, seq: 2 }), 3);
    assert.equal(queues.again.has(host), false);
    assert.throws(() => queues.takeOut(host, { frontQueue: null, seq: 2 }), /has no returned URL with number 2/);
  });
});

describe('a URL in a front queue', () => {
  it('a URL in a front queue is removed by its place', () => {
    const { queues, queue: some, frontQueues } = queue({ 3: 3 });
    assert.equal(queues.takeOut(host, { frontQueue: 3, seq: 1 }), 0);
    assert.deepEqual([some.sizeOf(3), frontQueues.goneOf(frontQueues.list.find(host, 3))], [2, [1]]);
  });
});

describe('a rescheduled URL', () => {
  it('a rescheduled URL is taken from the head; an emptied list leaves its rows to be removed', () => {
    const { queues } = queue(
      {},
      [],
      [
        [5, 0],
        [3, 0],
        [4, 0],
      ],
    );
    assert.equal(queues.takeRescheduledRows(host).length, 1);
    assert.deepEqual(queues.takeRescheduledRows(host), []);
    assert.deepEqual(queues.takeRescheduled(host, 0), []);
    assert.deepEqual(
      queues.takeRescheduled(host, 2).map(({ dueAtMs }) => dueAtMs),
      [3, 4],
    );
    assert.deepEqual(
      queues.takeRescheduled(host, 9).map(({ dueAtMs }) => dueAtMs),
      [5],
    );
    assert.equal(queues.rescheduled.has(host), false);
    assert.deepEqual(
      queues.takeRescheduledRows(host).map(({ value }) => value),
      [null],
    );
    assert.deepEqual(queues.takeRescheduledRows(host), []);
  });

  it('a list of rescheduled URLs that is emptied and filled again has its rows rewritten', () => {
    const { queues } = queue({}, [], [[5, 0]]);
    queues.takeRescheduledRows(host);
    queues.takeRescheduled(host, 1);
    queues.listOf(host).put(one(4, 9));
    const rows = queues.takeRescheduledRows(host);
    assert.deepEqual(rows.map(({ value }) => value === null).sort(), [false, true], 'the old row goes');
    assert.equal(queues.rescheduled.get(host)!.size, 1);
    queues.dropRescheduled(host);
    assert.equal(queues.rescheduled.has(host), false);
    assert.deepEqual(
      queues.takeRescheduledRows(host).map(({ value }) => value),
      [null],
    );
    queues.dropRescheduled(host);
    assert.deepEqual(queues.takeRescheduledRows(host), []);
  });

  it('a rescheduled URL is removed from the middle, with its due time', () => {
    const { queues } = queue(
      {},
      [[1, 0]],
      [
        [5, 0],
        [3, 0],
      ],
    );
    assert.equal(queues.takeOut(host, { frontQueue: null, seq: 3, dueAtMs: 3 }), 3);
    assert.equal(queues.takeOut(host, { frontQueue: null, seq: 2 }), 5, 'wherever it stands');
    assert.equal(queues.rescheduled.has(host), false);
    assert.throws(
      () => queues.takeOut(host, { frontQueue: null, seq: 3, dueAtMs: 3 }),
      /has no returned URL with number 3/,
    );
    assert.equal(queues.takeOut(host, { frontQueue: null, seq: 1 }), 1);
  });
});
