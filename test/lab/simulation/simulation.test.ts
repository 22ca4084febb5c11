import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { run } from '../../../lab/simulation/run.ts';
import { keptSeeds, playSeeds, unitSeeds } from '../../../lab/simulation/seeds.ts';

test('every invariant holds under any faults, and the crawl ends', () => playSeeds(keptSeeds + 1, unitSeeds));

describe('a host stays released if its block was lost', () => {
  const lost = { kind: 'inputLost', topic: 'control', process: 'frontier-0' } as const;

  it('a host stays released if the release took the place of the block, which no later owner had read', async () => {
    const { violations } = await run(893, { faults: [{ ...lost, at: 37_086, records: 1, downMs: 4_925 }] });
    assert.deepEqual(violations, []);
  });

  it('a host stays released if the log ends before its lost block again', async () => {
    const { violations } = await run(893, { faults: [{ ...lost, at: 34_518, records: 2, downMs: 2_673 }] });
    assert.deepEqual(violations, []);
  });
});

// Seed 158: a page answers 429 with Retry-After, and then our network is looked for at the same host.
test('a pause that the answer for a page asks for holds for all requests to the host', () => playSeeds(158, 158));
