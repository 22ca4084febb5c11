import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadNames } from '../../../lab/simulation/dead-names.ts';

const forMs = 60_000;
const delayMs = 1_000;

for (const [what, names, domains, partitions] of [
  ['400 domains without name servers', 1_200, 400, 1],
  ['one domain without name servers', 1_200, 1, 1],
  ['one domain, in its partition of four', 1_200, 1, 4],
] as const)
  test(`a host keeps nine tenths of its pages beside 1,200 names of ${what}, and is asked for nothing else`, async (t) => {
    const alone = await deadNames({ names: 0, domains: 1, forMs, delayMs, partitions });
    const beside = await deadNames({ names, domains, forMs, delayMs, partitions });
    t.diagnostic(JSON.stringify({ alone, beside }));
    assert.deepEqual([alone.violations, beside.violations], [[], []]);
    assert.ok(beside.pages >= 0.9 * alone.pages, `${beside.pages} of ${alone.pages} pages`);
    assert.equal(beside.robots, alone.robots);
    // Each name is tried four times. Leases that come back at once would be several times as many.
    assert.ok(beside.leases <= 5 * names, `${beside.leases} leases of ${names} names`);
    assert.ok(beside.newcomerMs !== null && beside.newcomerMs < 15_000, `a new host waits ${beside.newcomerMs} ms`);
  });

test('a host keeps its pages beside names without servers when its fetcher is a process of its own', async (t) => {
  const beside = await deadNames({ names: 1_200, domains: 1, forMs, delayMs, isApart: true });
  const alone = await deadNames({ names: 0, domains: 1, forMs, delayMs, isApart: true });
  t.diagnostic(JSON.stringify({ alone, beside }));
  assert.deepEqual([alone.violations, beside.violations], [[], []]);
  assert.ok(beside.pages >= 0.9 * alone.pages, `${beside.pages} of ${alone.pages} pages`);
});
