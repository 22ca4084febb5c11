/** Front queues, wherever their entries are: against lists that are kept in order, and by their numbers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Chance } from '../../../../lab/model/model-script.ts';
import type { Entry } from '../../../../topology/frontier/changes/entry.ts';
import { countOf, readArena, rowKey } from '../../../../topology/frontier/queues/queue-row.ts';
import { hostKeyOf, QueuesOnDisk } from './rows-of-queues.ts';

const entryOf = (n: number, frontQueue = 2, payload?: Buffer): Entry => ({
  ...{ url: `https://${n % 2}.test/${n}`, depth: n % 4, hop: 0, attempts: 0, expiries: 0, frontQueue },
  ...(payload !== undefined && { payload }),
});

/** What they are to be: for each host and number, the entries that wait, with their places. */
class Naive {
  readonly waiting = new Map<string, { seq: number; entry: Entry }[]>();
  queuedEver = 0;

  of(host: number, number: number) {
    const name = `${host} ${number}`;
    let list = this.waiting.get(name);
    if (list === undefined) this.waiting.set(name, (list = []));
    return list;
  }

  /** The next place: behind the last one, or where the partition's count stands if nothing waits. */
  push(host: number, entry: Entry): number {
    const list = this.of(host, entry.frontQueue);
    const seq = list.length === 0 ? this.queuedEver : this.#tails.get(list)!;
    list.push({ seq, entry });
    this.#tails.set(list, seq + 1);
    return ++this.queuedEver;
  }

  readonly #tails = new WeakMap<object, number>();
}

function assertSame(disk: QueuesOnDisk, naive: Naive, what: string): void {
  const { queues } = disk;
  assert.equal(queues.queuedEver, naive.queuedEver, what);
  for (const [name, list] of naive.waiting) {
    const [host, number] = name.split(' ').map(Number) as [number, number];
    const one = disk.find(host, number);
    if (one === 0) {
      assert.equal(list.length, 0, what);
      continue;
    }
    assert.equal(queues.count(one), list.length, what);
    if (list.length === 0) continue;
    const { seq: first } = list[0]!;
    const last = list.at(-1)!.seq;
    assert.equal(queues.head(one), first, what);
    const seqs = new Map(list.map(({ seq, entry }) => [seq, entry.url]));
    const { tail, row, from } = queues.extent(one);
    assert.ok(tail > last, what);
    const gone = Array.from({ length: tail - first }, (_, n) => first + n).filter((seq) => !seqs.has(seq));
    assert.deepEqual([queues.goneOf(one), queues.goneCount(one)], [gone, gone.length], what);
    assert.deepEqual([gone.every((seq) => queues.isGone(one, seq)), queues.isGone(one, first)], [true, false], what);
    assert.ok(row <= from && from <= tail, what);
    // What is not in memory is in rows, which follow each other.
    for (let at = row; at < from; ) {
      const key = rowKey(host, number, at).toString('hex');
      assert.ok(disk.rows.has(key), `${what}: a row at ${at}`);
      at += countOf(disk.rows.get(key));
    }
    let pointer = queues.extent(one).first;
    for (let seq = from; seq < tail; seq++) {
      const url = seqs.get(seq) ?? '';
      if (url !== '' && readArena(queues.arena, pointer, hostKeyOf(host), number).url !== url)
        assert.fail(`${what}: ${url}`);
      pointer = queues.arena.next(pointer);
    }
  }
}

describe('front queues', () => {
  for (const [name, payloadBytes, memoryBytes] of [
    ['in memory', 0, 2 ** 24],
    ['that outgrow memory', 180_000, 2 ** 21],
  ] as const) {
    it(`front queues are ordered lists, wherever their entries are: ${name}`, () => {
      for (let seed = 1; seed <= (payloadBytes > 0 ? 2 : 4); seed++) {
        const chance = new Chance(seed);
        const disk = new QueuesOnDisk(2, memoryBytes);
        const naive = new Naive();
        let next = 0;
        for (let step = 0; step < (payloadBytes > 0 ? 40 : 120); step++) {
          const what = `seed ${seed}, step ${step}`;
          const [host, number] = [chance.below(2), chance.of([0, 2, 17])];
          const list = naive.of(host, number);
          const one = disk.find(host, number);
          const act = chance.below(100);
          if (act < 50) {
            for (let left = chance.of([1, 2, 5, 140]); left > 0; left--) {
              if (payloadBytes > 0 && left > 5) left = 5;
              const payload = payloadBytes > 0 ? Buffer.alloc(payloadBytes, next % 200) : undefined;
              const entry = entryOf(next++, number, payload);
              assert.equal(disk.push(host, entry), naive.push(host, entry), what);
            }
          } else if (act < 68) {
            const count = Math.min(list.length, chance.of([1, 3, 100]));
            if (count > 0) {
              const entries = list.splice(0, count).map(({ entry }) => entry);
              assert.deepEqual(disk.take(host, number, count), entries, what);
            }
          } else if (act < 74 && list.length > 0) {
            disk.queues.skip(one);
            list.shift();
            disk.read();
          } else if (act < 84 && list.length > 0) {
            const at = chance.of([0, chance.below(list.length), list.length - 1]);
            const { seq } = list[at]!;
            list.splice(at, 1);
            disk.queues.remove(one, seq);
            disk.read();
          } else if (act < 92) disk.saveRows(host, number, chance.of([1, 2, 99]));
          else if (act < 97) disk.save();
          else disk.reopen();
          assertSame(disk, naive, what);
        }
        // Once all is taken, nothing is left on disk.
        for (const [name, list] of naive.waiting) {
          const [host, number] = name.split(' ').map(Number) as [number, number];
          if (list.length > 0)
            assert.deepEqual(
              disk.take(host, number, list.length),
              list.splice(0).map(({ entry }) => entry),
            );
        }
        disk.save();
        assert.deepEqual([disk.rows.size, disk.numbersOf(0), disk.numbersOf(1)], [0, [], []]);
      }
    });
  }

  it('front queues give each entry’s host and place', () => {
    const disk = new QueuesOnDisk(1);
    const reported: object[] = [];
    disk.queues.queuedEver = 7;
    disk.queues.onPush = (host, hostKey, { url }, { number, seq }) =>
      reported.push({ host, hostKey, url, number, seq });
    disk.push(0, entryOf(1, 5));
    disk.push(0, entryOf(2, 5));
    assert.deepEqual(reported, [
      { host: 0, hostKey: '0.test', url: 'https://1.test/1', number: 5, seq: 7 },
      { host: 0, hostKey: '0.test', url: 'https://0.test/2', number: 5, seq: 8 },
    ]);
  });
});

describe('a front queue', () => {
  it('a front queue of a checkpoint is all on disk', () => {
    const disk = new QueuesOnDisk(1);
    for (let n = 0; n < 5; n++) disk.push(0, entryOf(n));
    disk.queues.remove(disk.find(0, 2), 3);
    disk.take(0, 2, 1);
    disk.save();
    const saved = { number: 2, row: 1, head: 1, tail: 5, gone: [3] };
    assert.deepEqual(disk.queues.saved(disk.find(0, 2)), saved);
    assert.equal(disk.rows.size, 1);
    disk.reopen();
    const one = disk.find(0, 2);
    assert.deepEqual(disk.queues.saved(one), saved);
    assert.deepEqual(disk.queues.extent(one), { row: 1, from: 5, tail: 5, first: 0 });
    assert.deepEqual([disk.queues.count(one), disk.queues.unsavedCount(one)], [3, 0]);
    assert.deepEqual(disk.queues.unsaved(one), { pointer: 0, seq: 5 });
    disk.push(0, entryOf(9));
    assert.deepEqual([disk.queues.unsavedCount(one), disk.queues.unsaved(one).seq], [1, 5]);
  });

  it('a front queue counts entries that are in no row', () => {
    const disk = new QueuesOnDisk(1);
    for (let n = 0; n < 300; n++) disk.push(0, entryOf(n));
    const one = disk.find(0, 2);
    assert.deepEqual([disk.queues.unsavedCount(one), disk.queues.unsaved(one).seq], [300, 0]);
    disk.saveRows(0, 2, 1);
    assert.deepEqual([disk.queues.unsavedCount(one), disk.queues.unsaved(one).seq], [172, 128]);
    disk.take(0, 2, 200);
    assert.deepEqual([disk.queues.unsavedCount(one), disk.queues.unsaved(one).seq], [100, 200]);
    disk.save();
    assert.deepEqual([disk.queues.unsavedCount(one), disk.rows.size], [0, 1]);
  });

  it('a front queue deletes a row once its last entry is taken, from memory or not', () => {
    for (const reopens of [false, true]) {
      const disk = new QueuesOnDisk(1);
      for (let n = 0; n < 300; n++) disk.push(0, entryOf(n));
      if (reopens) disk.reopen();
      else disk.save();
      const rows = () => [...disk.rows.keys()].length;
      for (const [count, left] of [
        [127, 3],
        [1, 2],
        [127, 2],
        [1, 1],
        [43, 1],
        [1, 0],
      ] as const) {
        disk.take(0, 2, count);
        disk.deleteGone();
        assert.equal(rows(), left, `${reopens}`);
      }
      assert.deepEqual(disk.numbersOf(0), [], 'it is forgotten');
    }
  });

  it('a front queue frees memory above its limit, only of entries on disk', () => {
    const pages = (memoryBytes: number, saves: boolean) => {
      const disk = new QueuesOnDisk(1, memoryBytes);
      for (let n = 0; n < 9; n++) {
        disk.push(0, entryOf(n, 2, Buffer.alloc(400_000, n)));
        if (saves) disk.save();
      }
      const { from } = disk.queues.extent(disk.find(0, 2));
      assert.deepEqual(disk.take(0, 2, 1)[0]!.payload, Buffer.alloc(400_000, 0));
      return [disk.queues.arena.pages, from];
    };
    // Two of them fill a page.
    assert.deepEqual(pages(0, true), [3, 4]);
    assert.deepEqual(pages(2 * 2 ** 20, true), [3, 4]);
    assert.deepEqual(pages(2 * 2 ** 20 + 1, true), [4, 2]);
    assert.deepEqual(pages(3 * 2 ** 20, true), [4, 2]);
    assert.deepEqual(pages(0, false), [5, 0]);
  });

  it('a front queue frees memory as soon as its content is on disk', () => {
    const disk = new QueuesOnDisk(1, 0);
    for (let n = 0; n < 9; n++) disk.push(0, entryOf(n, 2, Buffer.alloc(400_000, n)));
    assert.equal(disk.queues.arena.pages, 5);
    disk.save();
    const pages = [9, 10, 11, 12].map((n) => {
      disk.push(0, entryOf(n, 2, Buffer.alloc(400_000, n)));
      return disk.queues.arena.pages;
    });
    assert.deepEqual(pages, [4, 4, 3, 3]);
    assert.deepEqual(
      disk.take(0, 2, 13).map((entry) => entry!.payload![0]),
      Array.from({ length: 13 }, (_, n) => n),
    );
  });

  it('a front queue that restarts before its rows were read still reads them, each once', () => {
    for (const [count, more] of [
      [300, 0],
      [300, 40],
      [1, 0],
    ] as const) {
      const disk = new QueuesOnDisk(2);
      disk.push(1, entryOf(1_000, 5));
      for (let n = 0; n < count; n++) disk.push(0, entryOf(n));
      disk.reopen();
      for (let n = 0; n < more; n++) disk.push(0, entryOf(count + n));
      const all = Array.from({ length: count + more }, (_, n) => entryOf(n));
      const given = disk.take(0, 2, count + more, false);
      assert.deepEqual(given, [...new Array(count).fill(undefined), ...all.slice(count)]);
      const next = entryOf(2_000);
      disk.push(0, next);
      const one = disk.find(0, 2);
      assert.deepEqual([disk.queues.reads.size, disk.queues.leftovers.length, disk.queues.count(one)], [0, 1, 1]);
      assert.equal(disk.queues.head(one), count + more + 1, 'no number is used again');
      disk.save();
      const asked = disk.queues.leftoverToRead().toString('hex');
      assert.equal(asked, rowKey(0, 2, 1).toString('hex'));
      disk.read();
      assert.deepEqual([given, disk.queues.leftovers], [all, []]);
      disk.deleteGone();
      assert.equal(disk.rows.size, 2, 'that of the other host, and the new one');
      assert.deepEqual([disk.take(0, 2, 1), disk.take(1, 5, 1)], [[next], [entryOf(1_000, 5)]]);
      disk.deleteGone();
      assert.equal(disk.rows.size, 0);
    }
  });

  it('a front queue restarts with nothing to read if everything was in memory', () => {
    const disk = new QueuesOnDisk(1);
    disk.push(0, entryOf(0));
    disk.save();
    assert.deepEqual(disk.take(0, 2, 1, false), [entryOf(0)]);
    disk.push(0, entryOf(1));
    assert.deepEqual(disk.queues.leftovers, []);
  });

  it('a front queue can advance its head, read or not, and rows go with it', () => {
    for (const reopens of [false, true]) {
      const disk = new QueuesOnDisk(1);
      for (let n = 0; n < 130; n++) disk.push(0, entryOf(n));
      if (reopens) disk.reopen();
      else disk.save();
      const one = disk.find(0, 2);
      for (let n = 0; n < 127; n++) disk.queues.skip(one);
      disk.read();
      disk.deleteGone();
      assert.deepEqual([disk.rows.size, disk.queues.head(one)], [2, 127]);
      disk.queues.skip(one);
      disk.read();
      disk.deleteGone();
      assert.deepEqual([disk.rows.size, disk.queues.head(one)], [1, 128]);
      disk.queues.skip(one);
      disk.queues.skip(one);
      disk.read();
      disk.deleteGone();
      assert.deepEqual([disk.rows.size, disk.numbersOf(0)], [0, []]);
    }
  });

  it('a front queue is forgotten with its last entry, however that leaves', () => {
    for (const reopens of [false, true]) {
      const leave: Readonly<Record<string, (disk: QueuesOnDisk, one: number) => void>> = {
        taken: (disk) => disk.take(0, 2, 1),
        passed: (disk, one) => disk.queues.skip(one),
        removed: (disk, one) => disk.queues.remove(one, 0),
      };
      for (const [name, leaves] of Object.entries(leave)) {
        const disk = new QueuesOnDisk(1);
        disk.push(0, entryOf(0));
        if (reopens) disk.reopen();
        leaves(disk, disk.find(0, 2));
        disk.read();
        disk.deleteGone();
        assert.deepEqual([disk.numbersOf(0), disk.rows.size], [[], 0], name);
        disk.push(0, entryOf(1));
        assert.deepEqual(disk.take(0, 2, 1), [entryOf(1)]);
      }
    }
  });

  it('a front queue skips removed entries, on disk, too', () => {
    const disk = new QueuesOnDisk(1);
    for (let n = 0; n < 130; n++) disk.push(0, entryOf(n));
    disk.reopen();
    const one = disk.find(0, 2);
    for (let seq = 1; seq < 130; seq++) disk.queues.remove(one, seq);
    assert.deepEqual([disk.queues.count(one), disk.queues.goneCount(one)], [1, 129]);
    assert.deepEqual(disk.take(0, 2, 1), [entryOf(0)]);
    disk.deleteGone();
    assert.deepEqual([disk.rows.size, disk.numbersOf(0)], [0, []]);
  });
});
