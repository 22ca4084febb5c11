import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numbers } from '../../../../lab/web/random.ts';
import { DueHeaps } from '../../../../topology/frontier/recrawl/due-heaps.ts';

test('each host has its rows in order, wherever one is removed', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const word = numbers(seed);
    const due: number[] = [];
    const before = (a: number, b: number) => due[a]! < due[b]! || (due[a] === due[b] && a < b);
    const heaps = new DueHeaps(before);
    const rows = Array.from({ length: 3 }, () => new Set<number>());
    const free: number[] = [];
    const sorted = (host: number) => [...rows[host]!].sort((a, b) => (before(a, b) ? -1 : 1));
    for (let step = 0; step < 400; step++) {
      const host = word() % rows.length;
      const mine = rows[host]!;
      const kind = word() % 10;
      if (kind < 5) {
        const row = free.pop() ?? due.length;
        due[row] = word() % 20;
        heaps.add(host, row);
        mine.add(row);
      } else if (mine.size > 0) {
        const row = kind < 7 ? heaps.first(host) : [...mine][word() % mine.size]!;
        heaps.remove(host, row);
        mine.delete(row);
        free.push(row);
      }
      for (const host of rows.keys())
        assert.equal(heaps.first(host), sorted(host)[0] ?? -1, `seed ${seed}, step ${step}`);
      const toDue = word() % 20;
      const found = [...heaps.upTo(host, (row) => due[row]! <= toDue)].sort((a, b) => a - b);
      const expected = [...mine].filter((row) => due[row]! <= toDue).sort((a, b) => a - b);
      assert.deepEqual(found, expected, `seed ${seed}, step ${step}`);
    }
    for (const [host, mine] of rows.entries()) {
      const order = sorted(host);
      const taken: number[] = [];
      for (let row = heaps.first(host); row >= 0; row = heaps.first(host)) {
        taken.push(row);
        heaps.remove(host, row);
      }
      assert.deepEqual(taken, order);
      mine.clear();
    }
  }
});

test('rows behind an unwanted row are not checked', () => {
  const heaps = new DueHeaps((a, b) => a < b);
  for (let row = 0; row < 1_000; row++) heaps.add(0, row);
  // As they came, all are behind the first; taking it out puts them behind each other.
  heaps.remove(0, 0);
  const asked: number[] = [];
  const found = heaps.upTo(0, (row) => {
    asked.push(row);
    return row < 4;
  });
  assert.deepEqual([...found].sort(), [1, 2, 3]);
  assert.ok(asked.length < 1_000, `${asked.length} of 999`);
  assert.equal(heaps.first(7), -1, 'a host without rows');
  assert.deepEqual([...heaps.upTo(7, () => true)], []);
});
