/**
 * `first-failure.ts FROM COUNT [fleet|networkAway]`: the first failing seed among COUNT seeds, as JSON; `null` if none
 * fails.
 */

import { costOf, networkAway, type Outage } from './network-away.ts';
import { run } from './run.ts';
import { runFleet } from './run-fleet.ts';

const [from = 1, count = 0] = process.argv.slice(2, 4).map(Number);
const mode = process.argv[4];
const outages: readonly Outage[] = ['network', 'names', 'oneFetcher'];
const firstWithinMs = 10_000;

async function violationOf(seed: number): Promise<string | null> {
  if (mode !== 'networkAway') return (await (mode === 'fleet' ? runFleet : run)(seed)).violations[0] ?? null;
  const outage = outages[(seed - 1) % outages.length]!;
  return costOf(await networkAway({ outage, awayMs: 600_000, hosts: 20, urlsPerHost: 40 }), firstWithinMs);
}

let failure: object | null = null;
const last = from + (mode === 'networkAway' ? outages.length : count);
for (let seed = from; seed < last && failure === null; seed++) {
  const violation = await violationOf(seed);
  if (violation !== null) failure = { seed, violation };
}
process.stdout.write(`${JSON.stringify(failure)}\n`);
