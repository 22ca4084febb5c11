/**
 * `npm run hostile -- --fleet [--minutes 10] [--honest 10] [--hostile 30] [--only ATTACK,…]`: a fifth of the time the honest owners
 * alone, the rest beside the hostile ones. Exit code 1 where an honest owner keeps less than four fifths of its pages, /livez takes
 * over a second, memory passes its bound, something private was read, or the process ended. The honest crawl at a page a second and
 * host: together they want less than their quarter of a core.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fleetFaults, fleetFiguresText, fleetMemoryMibMax } from './fleet-figures.ts';
import { attacksOf, fleetBeside } from './fleet-run.ts';

export async function runFleet(): Promise<void> {
  const { values } = parseArgs({
    options: {
      fleet: { type: 'boolean' },
      minutes: { type: 'string', default: '10' },
      honest: { type: 'string', default: '10' },
      hostile: { type: 'string', default: '30' },
      only: { type: 'string' },
      keep: { type: 'string' },
    },
  });
  const seconds = 60 * Number(values.minutes);
  const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'crawlstream-hostile-'));
  try {
    const figures = await fleetBeside({
      honest: Number(values.honest),
      attacks: values.only?.split(',') ?? attacksOf(Number(values.hostile)),
      ...{ warmUpSeconds: 10, aloneSeconds: seconds / 5, besideSeconds: (4 * seconds) / 5, folder },
      say: console.log,
    });
    for (const line of figures.answers) console.log(`answers to ${line}`);
    console.log(fleetFiguresText(figures));
    const faults = fleetFaults(figures, 0.8, fleetMemoryMibMax);
    for (const fault of faults) console.log(`FAILED: ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}
