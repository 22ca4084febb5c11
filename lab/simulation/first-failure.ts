/** `first-failure.ts FROM COUNT`: the first of so many seeds that fails, as JSON; `null` if none does. */
import { run } from './run.ts';

const [from = 1, count = 0] = process.argv.slice(2).map(Number);
let failure: object | null = null;
for (let seed = from; seed < from + count && failure === null; seed++) {
  const { violations } = await run(seed);
  if (violations.length > 0) failure = { seed, violation: violations[0] };
}
process.stdout.write(`${JSON.stringify(failure)}\n`);
