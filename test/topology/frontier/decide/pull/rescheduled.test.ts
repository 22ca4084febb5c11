/** URLs that a client has fetched again at a date: in rows of the checkpoint, whatever became of their owner. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { digest, earlierDigest } from '../../../../../topology/frontier/check/digest.ts';
import type { ListCursor, ListPage } from '../../../../../topology/frontier/decide/pull/list-queue.ts';
import { listPage } from '../../../../../topology/frontier/decide/pull/list-queue.ts';
import { lookUp } from '../../../../../topology/frontier/decide/pull/look-up.ts';
import { payloadOf } from '../../../../../topology/frontier/pull/payload.ts';
import { key, Served, urlAt } from './served.ts';

const hourMs = 3_600_000;
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, n) => from + n);

function listed(served: Served): string[] {
  const urls: string[] = [];
  for (let cursor: ListCursor | undefined = null; cursor !== undefined; ) {
    const page: ListPage = served.rig.rows.run(listPage(served.state, key, cursor));
    urls.push(...page.urls.map(({ entry }) => entry.url));
    cursor = page.next;
  }
  return urls;
}

describe('rescheduled URLs', () => {
  it('rescheduled URLs are returned when due, in order, with their payload, after a restart from rows alone', () => {
    const served = new Served(1);
    for (const n of numbers(40)) served.put(numbers(50, 50 * n), true, served.nowMs + hourMs * (40 - n));
    served.save();
    served.rig.reopen(served.nowMs, false);
    assert.equal(listed(served).length, 2_000);
    assert.deepEqual(served.get(10), []);
    served.nowMs += hourMs;
    const last = numbers(50, 50 * 39).map(urlAt);
    assert.deepEqual(served.get(30), last.slice(0, 30));
    const [lease] = [...served.state.leases.values()];
    assert.deepEqual(Buffer.from(lease!.entries[0]!.payload!).at(-1), 'm'.charCodeAt(0));
    served.rig.reopen(served.nowMs, false);
    served.put(numbers(30, 50 * 39), true);
    assert.deepEqual(served.get(30), last.slice(30));
    assert.equal(digest(served.rig.replayed()), digest(served.state));
  });

  it('rescheduled URLs cost one row each to find, to move and to report, however many there are', () => {
    for (const urls of [1_000, 20_000]) {
      const served = new Served(1);
      for (let n = 0; n < urls; n += 1_000) served.put(numbers(1_000, n), true, served.nowMs + hourMs);
      served.save();
      served.rig.reopen(served.nowMs, false);
      const before = served.rig.rows.readCount;
      const { result, reads } = served.counted(lookUp(served.state, key, urlAt(500)));
      assert.deepEqual([result?.from.in, result?.dueAtMs, reads], ['again', served.nowMs + hourMs, 1]);
      served.put(numbers(100), true, served.nowMs + 2 * hourMs);
      served.put(numbers(100, 100), true);
      assert.deepEqual(new Set(served.put(numbers(100, 200))), new Set([1]), 'duplicates');
      assert.ok(served.rig.rows.readCount - before <= 202, `${served.rig.rows.readCount - before} rows were read`);
      assert.equal(served.state.counters.retrying, urls - 100);
    }
  });

  it('rescheduled URLs that an earlier version kept in their queue’s row get their own rows', () => {
    const served = new Served(1);
    served.put(numbers(3));
    const { state } = served;
    const host = state.hosts.get(key)!;
    // As it was: beside the queue, in memory, and in its row.
    for (const n of numbers(700, 10)) {
      const payload = payloadOf(1_000, Buffer.from(`m${n}`));
      const entry = { url: urlAt(n), depth: 0, hop: 0, attempts: n % 3, expiries: 0, frontQueue: 0, payload };
      state.queues.putAgain(host.id, served.nowMs + hourMs * (1 + (n % 7)), entry);
      const [hi, lo] = state.identityOf(key, entry.url);
      state.seen.add(hi!, lo!);
      state.counters.admitted += 1;
      state.counters.retrying += 1;
      state.pull.count(host.id, 1, 0);
    }
    served.save();
    const before = digest(state);
    served.rig.reopen(served.nowMs, false);
    assert.equal(served.state.queues.again.size, 0);
    assert.equal(served.state.hosts.get(key)!.queue.rescheduled!.size, 700);
    assert.equal(earlierDigest(served.state), before, 'as a snapshot of that version says');
    const beforeSave = digest(served.state);
    served.save();
    served.rig.reopen(served.nowMs, false);
    assert.equal(digest(served.state), beforeSave);
    assert.equal(earlierDigest(served.state), undefined, 'its rows are on disk');
    served.nowMs += hourMs;
    const due = numbers(700, 10).filter((n) => n % 7 === 0);
    assert.deepEqual(served.get(1_000).slice(0, due.length), due.map(urlAt));
  });

  it('rescheduled URLs leave nothing behind if their queue is deleted', () => {
    const served = new Served(1);
    served.put(numbers(1_500), true, served.nowMs + hourMs);
    served.save();
    served.order({ kind: 'drop', key });
    served.save();
    assert.deepEqual(served.rig.rows.count('a'), 0);
    served.put(numbers(10), true, served.nowMs + hourMs);
    served.rig.reopen(served.nowMs, false);
    assert.deepEqual(new Set(listed(served)), new Set(numbers(10).map(urlAt)));
    assert.equal(digest(served.rig.replayed()), digest(served.state));
  });
});
