import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from './run.ts';

/** `npm run verify:full` runs a thousand. */
const seeds = 200;

test('whatever goes wrong, every invariant holds and the crawl comes to its end', async () => {
  for (let seed = 1; seed <= seeds; seed++) {
    const { violations } = await run(seed);
    assert.deepEqual(violations, [], `seed ${seed}: npm run simulate -- --seed ${seed}`);
  }
});

test('a seed gives the same run again, to the byte', async () => {
  for (const seed of [3, 9, 36]) {
    const first = await run(seed);
    assert.deepEqual(await run(seed), first);
    assert.notEqual((await run(seed + 1)).trace, first.trace);
  }
});
