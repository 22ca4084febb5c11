/**
 * `npm run bench -- all [--runs N] [--only LABEL,… | --release] [--out FILE] [--json]`
 *
 * Runs every bench at a size that takes seconds (bench-plan.ts), `--runs` (3) times. It runs in rounds, so that a
 * machine that slows down shows as spread and not as a difference. Writes one file: versions, machine, commit, and the
 * last line of each run; `--json` prints the same as its last line. `bench compare` compares two such files.
 * `--release`: runs what a release keeps in the folder `results` (docs/benchmarks.md), for `bench against-release`.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../topology/errors.ts';
import { benchPlan, releasePlan } from './bench-plan.ts';
import { roundsOf, runRounds } from './run-rounds.ts';

export async function run(args: readonly string[]): Promise<void> {
  const { runs, planned, out, json } = optionsOf(args);
  const results = await runRounds(planned, runs, async (said, sofar) => {
    process.stdout.write(`${said}\n`);
    // Keeps the results so far if a later bench fails.
    if (out !== undefined) await writeFile(out, `${JSON.stringify(sofar, null, 1)}\n`);
  });
  if (json) process.stdout.write(`${JSON.stringify(results)}\n`);
  if (Object.values(results.benches).some(({ failures }) => failures.length > 0)) process.exitCode = 1;
}

function optionsOf(args: readonly string[]) {
  const text = { type: 'string' } as const;
  let values: { runs?: string; only?: string; release?: boolean; out?: string; json?: boolean };
  try {
    values = parseArgs({
      args: [...args],
      options: { runs: text, only: text, release: { type: 'boolean' }, out: text, json: { type: 'boolean' } },
    }).values;
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', (error as Error).message);
  }
  const runs = roundsOf(values.runs);
  const everything = values.release === true ? releasePlan() : benchPlan();
  const wanted = values.only?.split(',').map((label) => label.trim());
  // A label may contain a comma: the name of a bench selects all of its labels.
  const planned = everything.filter(
    ({ label, bench }) => wanted === undefined || wanted.includes(label) || wanted.includes(bench),
  );
  const unknown = wanted?.find((one) => !everything.some(({ label, bench }) => label === one || bench === one));
  if (unknown !== undefined) {
    const known = [...new Set(everything.map(({ bench }) => bench))].join(', ');
    throw new CrawlstreamError('INVALID_ARGUMENT', `--only ${unknown}: give some of ${known}`);
  }
  return { runs, planned, out: values.out, json: values.json ?? false };
}
