import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numbers } from '../../../../lab/web/random.ts';
import { LeaseDeadlines } from '../../../../topology/frontier/hosts/lease-deadlines.ts';

test('leases expire in the order of a sorted list, whatever is added, renewed and ended meanwhile', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const word = numbers(seed);
    /** Lease → deadline, of those that are out. */
    const out = new Map<number, number>();
    const deadlines = new LeaseDeadlines((id) => out.has(id));
    const sorted = () => [...out].sort(([a, aMs], [b, bMs]) => aMs - bMs || a - b);
    let id = 0;
    for (let step = 0; step < 300; step++) {
      const kind = word() % 8;
      if (kind < 5) {
        const deadlineMs = word() % 50;
        deadlines.add(++id, deadlineMs, out.size);
        out.set(id, deadlineMs);
      } else if (kind < 7) {
        const ids = [...out.keys()];
        if (ids.length > 0) out.delete(ids[word() % ids.length]!);
      } else {
        const toMs = word() % 50;
        const expired = sorted().filter(([, deadlineMs]) => deadlineMs <= toMs);
        assert.deepEqual(
          deadlines.takeUpTo(toMs),
          expired.map(([id]) => id),
          `seed ${seed}, step ${step}`,
        );
        for (const [id] of expired) out.delete(id);
      }
      assert.equal(deadlines.firstMs, sorted()[0]?.[1], `seed ${seed}, step ${step}`);
    }
  }
});

test('ended leases use memory only until there are too many of them', () => {
  const out = new Set<number>();
  let asked = 0;
  const deadlines = new LeaseDeadlines((id) => {
    asked += 1;
    return out.has(id);
  });
  // The earliest is out for ever, so that none behind it comes to the top.
  out.add(0);
  deadlines.add(0, 0, 1);
  for (let id = 1; id <= 10_000; id++) deadlines.add(id, 10_000 - id, 1);
  assert.ok(asked > 0 && asked < 20_000, `${asked} were looked at`);
  assert.deepEqual(deadlines.takeUpTo(10_000), [0]);
  assert.equal(deadlines.firstMs, undefined);
});
