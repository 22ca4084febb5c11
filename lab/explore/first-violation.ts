/** `first-violation.ts WORLD DEPTH ENDS-EVERY`: the violation with the fewest actions, as JSON; `null` if there is none. */
import { explore } from './engine/explore.ts';
import { worlds } from './worlds.ts';

const [name = '', depth, endsEvery] = process.argv.slice(2);
const { violation } = explore(worlds[name]!.create(), { depth: Number(depth), endsEvery: Number(endsEvery) });
process.stdout.write(`${JSON.stringify(violation)}\n`);
