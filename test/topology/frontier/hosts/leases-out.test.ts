import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { numbers } from '../../../../lab/web/random.ts';
import { LeaseDeadlines } from '../../../../topology/frontier/hosts/lease-deadlines.ts';
import { TakenTasks } from '../../../../topology/frontier/hosts/taken-tasks.ts';

describe('the order in which leases expire', () => {
  it('the order in which leases expire is by deadline, then by number, in whatever order they come and go', () => {
    const next = numbers(3);
    for (let round = 0; round < 30; round++) {
      const out = new Map<number, number>();
      const deadlines = new LeaseDeadlines((id) => out.has(id));
      const sorted = () => [...out].sort(([a, x], [b, y]) => x - y || a - b);
      for (let id = 0; id < 300; id++) {
        const deadlineMs = next() % 40;
        out.set(id, deadlineMs);
        deadlines.add(id, deadlineMs, out.size);
        if (next() % 3 === 0) out.delete(next() % (id + 1));
        assert.equal(deadlines.firstMs, sorted()[0]?.[1]);
        if (next() % 10 !== 0) continue;
        const toMs = next() % 40;
        const wanted = sorted().filter(([, ms]) => ms <= toMs);
        assert.deepEqual(
          deadlines.takeUpTo(toMs),
          wanted.map(([one]) => one),
        );
        for (const [one] of wanted) out.delete(one);
      }
    }
  });

  it('the order in which leases expire includes a lease due now, and none a millisecond later', () => {
    const deadlines = new LeaseDeadlines(() => true);
    for (const [id, ms] of [
      [1, 101],
      [2, 100],
      [3, 99],
    ] as const)
      deadlines.add(id, ms, 3);
    assert.deepEqual(deadlines.takeUpTo(100), [3, 2]);
    assert.deepEqual(deadlines.takeUpTo(100), []);
    assert.equal(deadlines.firstMs, 101);
  });

  it('the order in which leases expire survives the sweep of ended ones', () => {
    const out = new Set<number>();
    const deadlines = new LeaseDeadlines((id) => out.has(id));
    for (let id = 0; id < 5_000; id++) {
      out.add(id);
      deadlines.add(id, 5_000 - id, out.size);
      if (id % 100 !== 0) out.delete(id);
    }
    assert.deepEqual(
      deadlines.takeUpTo(5_000),
      [...out].sort((a, b) => b - a),
    );
  });
});

describe('the leases that a fetcher has taken', () => {
  const isOut = (id: number) => id < 100;
  it('the leases that a fetcher has taken are all while nobody observes them', () => {
    const taken = new TakenTasks();
    assert.deepEqual([taken.has(0), taken.has(7)], [true, true]);
  });

  it('the leases that a fetcher has taken are the observed ones, and those granted before the observation', () => {
    const taken = new TakenTasks();
    taken.see(0, [12, 200], 10, isOut);
    assert.deepEqual(
      [9, 10, 11, 12, 200].map((id) => taken.has(id)),
      [true, false, false, true, false],
    );
    taken.see(5, [11], 50, isOut);
    assert.deepEqual(
      [9, 10, 11, 12, 49].map((id) => taken.has(id)),
      [true, false, true, true, false],
    );
    assert.deepEqual([taken.position, taken.from, taken.ids], [5, 10, [11, 12]]);
    taken.forget(12);
    assert.deepEqual(taken.ids, [11]);
    taken.keepOnly((id) => id !== 11);
    assert.deepEqual(taken.ids, []);
  });

  it('the leases that a fetcher has taken are read back unchanged', () => {
    const taken = new TakenTasks();
    taken.load(7, 3, [9, 4]);
    assert.deepEqual([taken.position, taken.from, taken.ids], [7, 3, [4, 9]]);
    assert.deepEqual(
      [2, 3, 4].map((id) => taken.has(id)),
      [true, false, true],
    );
  });
});
