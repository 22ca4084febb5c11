/** `first-failure.ts FROM COUNT [fleet]`: the first of so many seeds that fails, as JSON; `null` if none does. */

import { run } from './run.ts';
import { runFleet } from './run-fleet.ts';

const [from = 1, count = 0] = process.argv.slice(2, 4).map(Number);
const play = process.argv[4] === 'fleet' ? runFleet : run;
let failure: object | null = null;
for (let seed = from; seed < from + count && failure === null; seed++) {
  const { violations } = await play(seed);
  if (violations.length > 0) failure = { seed, violation: violations[0] };
}
process.stdout.write(`${JSON.stringify(failure)}\n`);
