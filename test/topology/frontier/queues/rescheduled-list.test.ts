import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chance } from '../../../../lab/model/model-script.ts';
import { type Rescheduled, RescheduledList } from '../../../../topology/frontier/queues/rescheduled-list.ts';

const host = 7;
/** After 2038, and beyond what 32 bits of milliseconds say. */
const laterMs = 4_000_000_000_000;

test('rescheduled URLs are ordered, found and counted like a sorted list, and return from their rows', () => {
  for (let seed = 1; seed <= 12; seed++) {
    const chance = new Chance(seed);
    let naive: Rescheduled[] = [];
    let list = new RescheduledList();
    const rows = new Map<string, Buffer>();
    const most = chance.of([3, 60, 2_500]);
    for (let n = 0; n < 4_000; n++) {
      const what = `seed ${seed}, step ${n}`;
      const one = naive.length === 0 ? undefined : chance.of(naive);
      if (one === undefined || (naive.length < most && chance.percent(70))) {
        const seq = naive.reduce((highest, { seq }) => Math.max(highest, seq), 0) + 1;
        assert.equal(list.highestSeq, seq - 1, what);
        const dueAtMs = chance.of([1, laterMs, laterMs + chance.below(1_000), laterMs + n]);
        const put = { dueAtMs, seq, hi: chance.below(2 ** 31), lo: n, frontQueue: n % 8, said: chance.below(2 ** 31) };
        naive.push(put);
        naive.sort((a, b) => a.dueAtMs - b.dueAtMs || a.seq - b.seq);
        list.put(put);
      } else if (chance.percent(10)) {
        const count = 1 + chance.below(most);
        assert.deepEqual(list.takeFirst(count), naive.splice(0, count), what);
      } else {
        const { dueAtMs, seq, hi, lo } = one;
        assert.deepEqual([list.at(dueAtMs, seq), list.at(0, seq), list.find(dueAtMs, hi, lo)], [one, one, one], what);
        assert.deepEqual(list.takeOut(chance.of([0, dueAtMs]), seq), one, what);
        naive = naive.filter((other) => other !== one);
        assert.deepEqual([list.at(dueAtMs, seq), list.find(dueAtMs, hi, lo)], [undefined, undefined], what);
      }
      assert.deepEqual([list.size, list.first], [naive.length, naive[0]], what);
      if (n % 50 === 0) {
        assert.deepEqual([...list.behind()], naive, what);
        const { dueAtMs, seq } = chance.of(naive) ?? { dueAtMs: 5, seq: 0 };
        const behind = naive.filter((one) => one.dueAtMs > dueAtMs || (one.dueAtMs === dueAtMs && one.seq > seq));
        assert.deepEqual([...list.behind(dueAtMs, seq)], behind, what);
        const nowMs = laterMs + chance.below(4_000);
        const due = naive.filter(({ dueAtMs }) => dueAtMs <= nowMs).length;
        assert.deepEqual([list.dueCount(nowMs, 10_000), list.dueCount(nowMs, 7)], [due, Math.min(due, 7)], what);
      }
      if (n % 400 !== 399) continue;
      for (const { key, value } of list.takeRows(host)) {
        if (value === null) rows.delete(key.toString('hex'));
        else rows.set(key.toString('hex'), value);
      }
      assert.deepEqual(list.takeRows(host), [], what);
      const { sum } = list;
      list = new RescheduledList();
      for (const [key, value] of [...rows].sort()) list.load(Buffer.from(key, 'hex').readUInt32BE(5), value);
      assert.deepEqual([...list.behind()], naive, `${what}: loaded`);
      assert.deepEqual(list.sum, sum, `${what}: chunks are layout, and not state`);
    }
  }
});
