/**
 * Simulated crawls, to the byte, as they were when they were kept: every record of every topic, and when it landed.
 *
 * A change of the services that nobody could notice may change them too, such as one more wait: then what is now is kept.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { run } from '../../../lab/simulation/run.ts';
import { keptSeeds } from '../../../lab/simulation/seeds.ts';
import { assertKept } from '../../kept/assert-kept.ts';

it('worlds with any faults have their recorded results', async () => {
  const traces = new Map<string, readonly string[]>();
  for (let seed = 1; seed <= keptSeeds; seed++) {
    const { trace, violations } = await run(seed);
    assert.deepEqual(violations, [], `seed ${seed}: npm run simulate -- --seed ${seed}`);
    traces.set(`seed ${seed}`, [trace]);
  }
  assertKept(new URL('worlds.json', import.meta.url), traces);
});
