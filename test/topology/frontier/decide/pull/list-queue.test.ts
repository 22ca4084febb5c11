/** What waits in a served queue, page by page. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ListCursor, type ListPage, listPage } from '../../../../../topology/frontier/decide/pull/list-queue.ts';
import { key } from '../deciding.ts';
import { Served } from './served.ts';

/** The numbers of the URLs of each page, with where they are, and the cursor behind it. */
function pages(served: Served, of = key): { readonly urls: string[]; readonly next: ListCursor | undefined }[] {
  const all = [];
  for (let cursor: ListCursor | undefined = null; cursor !== undefined; ) {
    const page: ListPage = served.rig.rows.run(listPage(served.state, of, cursor));
    all.push({
      urls: page.urls.map(({ from, entry }) => `${from.in} ${new URL(entry.url).pathname.slice(1)}`),
      next: page.next,
    });
    cursor = page.next;
    assert.ok(all.length < 99, 'it ends');
  }
  return all;
}
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, n) => from + n);
const names = (where: string, ...all: number[]) => all.map((n) => `${where} ${n}`);

describe('a list of a queue’s URLs', () => {
  it('a list of a queue’s URLs has leased, returned and rescheduled ones, then its front queues', () => {
    const served = new Served(1 << 20);
    served.put([0, 3, 6]);
    served.get(3);
    served.put([3], true);
    served.put([10, 11], true, 2_000_000);
    const { state } = served;
    const host = state.hosts.get(key)!;
    const payload = Buffer.from([0]);
    const back = { url: 'http://a.test/50', depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue: 0, payload };
    state.queues.putAgain(host.id, 7, back);
    served.put([20, 21, 22, 23]);
    const list = names('lease', 0, 6).concat(names('again', 50, 10, 11), names('frontQueue', 21, 22, 20, 23));
    const [page, ...more] = pages(served);
    assert.deepEqual([page!.urls, page!.next, more.length], [list, undefined, 0]);
    const { urls } = served.rig.rows.run(listPage(state, key, null));
    assert.deepEqual(
      urls.map(({ dueAtMs }) => dueAtMs),
      [0, 0, 7, 2_000_000, 2_000_000, 0, 0, 0, 0],
    );
    assert.deepEqual(urls[3]!.from.a, 2_000_000);
    const seqs = urls.slice(5).map(({ from }) => [from.a, from.b]);
    assert.deepEqual(
      seqs.map(([a]) => a),
      [0, 1, 2, 2],
    );
    assert.equal(seqs[3]![1], seqs[2]![1]! + 1);
    assert.deepEqual(pages(served, 'nobody.test'), [{ urls: [], next: undefined }]);
  });

  it('a list of a queue’s URLs omits taken ones, at the head and in the middle', () => {
    for (const onDisk of [false, true]) {
      const served = new Served(1);
      served.put(numbers(30).map((n) => 3 * n));
      if (onDisk) {
        served.save();
        served.rig.reopen(served.nowMs, false);
      }
      served.get(2);
      served.put([0, 3], true);
      served.put([15, 18], true);
      const left = numbers(30)
        .map((n) => 3 * n)
        .filter((n) => n > 3 && n !== 15 && n !== 18);
      const all = pages(served);
      assert.deepEqual(
        all.flatMap(({ urls }) => urls),
        names('frontQueue', ...left),
      );
      const { urls } = served.rig.rows.run(listPage(served.state, key, null));
      const seqs = urls.map(({ from }) => from.b);
      assert.deepEqual(
        seqs.map((seq) => seq - seqs[0]!),
        left.map((n) => n / 3 - 2),
      );
    }
  });

  it('a list of a queue’s URLs has eight rows from disk per page', () => {
    const served = new Served(1);
    const count = 128 * 9 + 5;
    for (let from = 0; from < count; from += 500)
      served.put(numbers(Math.min(500, count - from), from).map((n) => 3 * n));
    served.save();
    served.rig.reopen(served.nowMs, false);
    served.put(numbers(3, count).map((n) => 3 * n));
    const all = pages(served);
    assert.deepEqual(
      all.map(({ urls }) => urls.length),
      [128 * 8, 128 + 8],
    );
    assert.deepEqual(
      all.flatMap(({ urls }) => urls),
      names('frontQueue', ...numbers(count + 3).map((n) => 3 * n)),
    );
    const { seq, row, frontQueue } = all[0]!.next as { seq: number; row: number; frontQueue: number };
    assert.deepEqual([frontQueue, row], [0, seq]);
  });

  it('a list of a queue’s URLs has about a thousand from memory per page, over its front queues', () => {
    const served = new Served(1 << 24);
    served.put(numbers(2_500));
    const all = pages(served);
    // 834 of the first front queue; then so many that the page is full.
    assert.deepEqual(
      all.map(({ urls }) => urls.length),
      [1_024, 1_024, 452],
    );
    const listed = all.flatMap(({ urls }) => urls);
    const byQueue = [0, 1, 2].flatMap((rest) => numbers(2_500).filter((n) => n % 3 === rest));
    assert.deepEqual(listed, names('frontQueue', ...byQueue));
  });

  it('a list of a queue’s URLs has 512 rescheduled ones per page', () => {
    const served = new Served(1 << 20);
    for (const from of [0, 300]) served.put(numbers(300, from), true, 2_000_000);
    served.put([1_000]);
    const all = pages(served);
    assert.deepEqual(
      all.map(({ urls }) => urls.length),
      [512, 89],
    );
    assert.deepEqual(
      all.flatMap(({ urls }) => urls),
      [...names('again', ...numbers(600)), ...names('frontQueue', 1_000)],
    );
  });

  it('a list of a queue’s URLs continues in its current front queue, when earlier ones are gone', () => {
    const served = new Served(1 << 24);
    served.put(numbers(2_400));
    const { next } = served.rig.rows.run(listPage(served.state, key, null));
    served.get(1_000);
    const { urls } = served.rig.rows.run(listPage(served.state, key, next!));
    const listed = urls.map(({ entry }) => Number(new URL(entry.url).pathname.slice(1)));
    // 800 of the first front queue and 200 of the second were had; the page before had listed 224 of that.
    const second = numbers(800).map((n) => 3 * n + 1);
    assert.deepEqual(listed.slice(0, 576), second.slice(224));
    assert.equal(listed.length, 1_024);
  });
});
