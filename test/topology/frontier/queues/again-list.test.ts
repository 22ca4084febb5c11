import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chance } from '../../../../lab/model/model-script.ts';
import { type Again, AgainList } from '../../../../topology/frontier/queues/again-list.ts';

const entryOf = (url: string) => ({ url, depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue: 0 });

/** What it is to be: one list, kept in order, numbered one above the highest that is there. */
class Naive {
  items: Again[] = [];

  put(dueAtMs: number, url: string): void {
    const seq = this.items.reduce((most, one) => Math.max(most, one.seq), 0) + 1;
    this.items.push({ dueAtMs, seq, entry: entryOf(url) });
    this.items.sort((a, b) => a.dueAtMs - b.dueAtMs || a.seq - b.seq);
  }
}

test('returned URLs are ordered, numbered and found like a sorted list', () => {
  for (let seed = 1; seed <= 12; seed++) {
    const chance = new Chance(seed);
    const naive = new Naive();
    let list = new AgainList();
    const most = chance.of([3, 60, 1_500]);
    for (let n = 0; n < 4_000; n++) {
      const what = `seed ${seed}, step ${n}`;
      const grows = naive.items.length < most && chance.percent(70);
      const one = naive.items.length === 0 ? undefined : chance.of(naive.items);
      if (grows || one === undefined) {
        const dueAtMs = chance.of([0, 5, chance.below(1_000)]);
        naive.put(dueAtMs, `u${n}`);
        list.put(dueAtMs, entryOf(`u${n}`));
      } else if (chance.percent(20)) {
        const count = 1 + chance.below(most);
        assert.deepEqual(list.takeFirst(count), naive.items.splice(0, count), what);
      } else {
        assert.equal(list.find(one.entry.url)?.seq, one.seq, what);
        assert.equal(list.at(one.seq)?.entry.url, one.entry.url, what);
        assert.deepEqual(list.takeOut(one.seq), one, what);
        naive.items = naive.items.filter(({ seq }) => seq !== one.seq);
        assert.equal(list.find(one.entry.url), undefined, what);
      }
      assert.deepEqual([list.size, list.first], [naive.items.length, naive.items[0]], what);
      if (n % 50 === 0) {
        assert.deepEqual(list.all, naive.items, what);
        const nowMs = chance.below(1_000);
        const due = naive.items.filter(({ dueAtMs }) => dueAtMs <= nowMs).length;
        assert.deepEqual([list.dueCount(nowMs, 10_000), list.dueCount(nowMs, 7)], [due, Math.min(due, 7)], what);
      }
      if (n % 700 === 699) list = AgainList.of(list.all);
    }
  }
});
