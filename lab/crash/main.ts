/**
 * `npm run crash -- [--seed S] [--seeds N] [--run journal|archive|forget|names|rocksdb|classic-level]`
 *
 * Cuts the power after every step of the code that writes to disk, recovers each state and checks it. Runs seeds S to
 * S+N−1 of each way of writing. Exit code 1: acknowledged data was lost.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exploreArchive } from './archive-run.ts';
import { exploreForget } from './forget-run.ts';
import { exploreJournal } from './journal-run.ts';
import { exploreNames } from './names-run.ts';
import { compileShim, exploreStoreFiles } from './store-files-run.ts';

const runs = { journal: exploreJournal, archive: exploreArchive, forget: exploreForget, names: exploreNames };
const { values } = parseArgs({
  options: { seed: { type: 'string' }, seeds: { type: 'string' }, run: { type: 'string' } },
});
const first = Number(values.seed ?? 1);
const seeds = Number(values.seeds ?? (values.seed === undefined ? 100 : 1));
let isWhole = true;
let statesTried = 0;
for (const [name, explore] of Object.entries(runs)) {
  if (values.run !== undefined && values.run !== name) continue;
  let states = 0;
  const violations: string[] = [];
  for (let seed = first; seed < first + seeds; seed++) {
    const found = await explore(seed);
    states += found.states;
    violations.push(...found.violations);
  }
  print(name, states, seeds, violations);
}
// Each of these starts a process, so fewer of them run.
const folder = mkdtempSync(join(tmpdir(), 'crash-'));
const shim = compileShim(folder);
for (const name of shim === undefined ? [] : (['rocksdb', 'classic-level'] as const)) {
  if (values.run !== undefined && values.run !== name) continue;
  let states = 0;
  const violations: string[] = [];
  const fewer = values.run === name ? seeds : Math.ceil(seeds / 50);
  for (let seed = first; seed < first + fewer; seed++) {
    const found = await exploreStoreFiles(name, shim!, join(folder, 'run'), seed);
    states += found.states;
    violations.push(...found.violations);
  }
  print(name, states, fewer, violations);
}
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`${statesTried} states of a power cut in all\n`);
process.exitCode = isWhole ? 0 : 1;

function print(name: string, states: number, seedsTried: number, violations: readonly string[]): void {
  statesTried += states;
  for (const line of violations) process.stdout.write(`${line}\n`);
  process.stdout.write(`${name}: ${states} states of ${seedsTried} seeds, ${violations.length} violations\n`);
  isWhole &&= violations.length === 0;
}
