/** Simulated crawls as tests: each seed must keep every invariant. */
import assert from 'node:assert/strict';
import { run } from './run.ts';

/** As many as the unit tests run. */
export const unitSeeds = 50;
/** The first seeds are also compared with their earlier results, to the byte. */
export const keptSeeds = 8;

export async function playSeeds(from: number, to: number): Promise<void> {
  assert.ok(from <= to);
  for (let seed = from; seed <= to; seed++) {
    const { violations } = await run(seed);
    assert.deepEqual(violations, [], `seed ${seed}: npm run simulate -- --seed ${seed}`);
  }
}
