import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../../lab/simulation/run.ts';
import { keptSeeds, playSeeds, unitSeeds } from '../../../lab/simulation/seeds.ts';

test('every invariant holds under any faults, and the crawl ends', () => playSeeds(keptSeeds + 1, unitSeeds));

test('a host stays released if its block was lost, and sent again while nobody had read the release', async () => {
  const lost = { kind: 'inputLost', topic: 'control', records: 1, process: 'frontier-0' } as const;
  const { violations } = await run(893, { faults: [{ ...lost, at: 37_086, downMs: 4_925 }] });
  assert.deepEqual(violations, []);
});
