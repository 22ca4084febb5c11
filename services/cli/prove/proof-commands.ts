/**
 * `crawlstream simulate` and `crawlstream bench`: the tests and measurements of this release, on this machine.
 *
 * Both are separate programs (lab/simulation, lab/bench), run by a separate process: no other command loads any of
 * them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { isSource, productPackage } from '../../runtime/version.ts';
import { wholeNumber } from '../flags/arguments.ts';

const proofGroup = 'Proof:';

interface SimulateFlags {
  readonly seeds?: number;
  readonly seed?: number;
  readonly minutes?: number;
  readonly json?: boolean;
  readonly trace?: boolean;
}

export function addProofCommands(program: Command): void {
  program
    .command('simulate')
    .helpGroup(proofGroup)
    .description('simulate whole crawls with random faults on a virtual clock; check all invariants of each')
    .option('--seeds <n>', 'number of crawls (default: 100)', wholeNumber('--seeds', 1))
    .option(
      '--seed <n>',
      'random seed of the first crawl; without --seeds, run only this one, always identically',
      wholeNumber('--seed'),
    )
    .option('--minutes <n>', 'run more crawls until this time is over, in minutes', wholeNumber('--minutes', 1))
    .option('--trace', 'print each event of the simulation on stderr')
    .option('--json', 'print one line of JSON for each crawl, and one for all')
    .action(({ seeds, seed, minutes, trace, json }: SimulateFlags) =>
      run('simulation', [
        ...Object.entries({ seeds, seed, minutes }).flatMap(([name, value]) =>
          value === undefined ? [] : [`--${name}`, String(value)],
        ),
        ...(trace ? ['--trace'] : []),
        ...(json ? ['--json'] : []),
      ]),
    );
  program
    .command('bench')
    .helpGroup(proofGroup)
    .description('run a benchmark of the documentation')
    .argument('[name]', 'name of the benchmark; without it, all names are listed')
    .argument('[options...]', 'options of the benchmark, after --')
    .option('--json', 'figures as one JSON object on the last line')
    .action((name: string | undefined, options: readonly string[], { json }: { readonly json?: boolean }) =>
      run('bench', [...(name === undefined ? [] : [name]), ...options, ...(json ? ['--json'] : [])]),
    );
}

/** Its exit code is this process's. */
async function run(folder: 'simulation' | 'bench', args: readonly string[]): Promise<void> {
  // Both programs are compiled if this one is, and sources otherwise.
  const script = join(productPackage.folder, isSource ? `lab/${folder}/main.ts` : `dist/lab/${folder}/main.js`);
  if (!existsSync(script)) {
    throw new CrawlstreamError(
      'UNSUPPORTED',
      `${script} is not part of this installation: run it in a checkout of the repository`,
    );
  }
  const child = spawn(process.execPath, [...process.execArgv, script, ...args], { stdio: 'inherit' });
  // A terminal's Ctrl-C reaches both; this one waits for the other.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill());
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 130;
}
