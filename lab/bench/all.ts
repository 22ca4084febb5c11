/**
 * `npm run bench -- all [--runs N] [--only LABEL,…] [--out FILE] [--json]`
 *
 * Every bench at a size that takes seconds (bench-plan.ts), `--runs` (3) times, in rounds, so that a machine that slows
 * down shows as spread and not as a difference. Writes one file: versions, machine, commit, and the last line of each run;
 * `--json` prints the same as its last line. Two such files are for `bench compare`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../topology/errors.ts';
import { benchPlan, type PlannedBench } from './bench-plan.ts';
import { build, builtMark, projectRoot } from './process/compiled.ts';
import { describeRun, type Results } from './results-file.ts';

export async function run(args: readonly string[]): Promise<void> {
  const { runs, planned, out, json } = optionsOf(args);
  build();
  const benches: Results['benches'] = Object.fromEntries(
    planned.map(({ label, bench, args }) => [label, { bench, args: [...args], runs: [], failures: [] }]),
  );
  const results: Results = { ...describeRun(), benches };
  for (let round = 1; round <= runs; round++) {
    for (const one of planned) {
      const beganMs = performance.now();
      const { line, failure } = await runOne(one);
      const { runs: kept, failures } = benches[one.label]!;
      if (line !== undefined) kept.push(line);
      else failures.push(failure);
      const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
      const what = `round ${round} of ${runs}: ${one.label}`;
      process.stdout.write(
        `${what}, ${line === undefined ? `no figures: ${failure.split('\n')[0]}` : `${seconds} s`}\n`,
      );
      // What there is so far is not lost with the rest.
      if (out !== undefined) await writeFile(out, `${JSON.stringify(results, null, 1)}\n`);
    }
  }
  if (json) process.stdout.write(`${JSON.stringify(results)}\n`);
  if (planned.some(({ label }) => benches[label]!.failures.length > 0)) process.exitCode = 1;
}

type Ran =
  | { readonly line: Record<string, unknown>; readonly failure?: undefined }
  | { readonly line?: undefined; readonly failure: string };

/** In a process of its own, from its source, as by hand. */
async function runOne({ bench, args }: PlannedBench): Promise<Ran> {
  const main = join(projectRoot, 'lab/bench/main.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', main, bench, ...args, '--json'], {
    cwd: projectRoot,
    env: { ...process.env, [builtMark]: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  try {
    const line = JSON.parse(last) as Record<string, unknown>;
    if (code === 0) return { line };
  } catch {
    // It is said below.
  }
  return { failure: stderr.trim().slice(-2_000) || `it ended with ${code}, and no figures` };
}

function optionsOf(args: readonly string[]) {
  const text = { type: 'string' } as const;
  let values: { runs?: string; only?: string; out?: string; json?: boolean };
  try {
    values = parseArgs({
      args: [...args],
      options: { runs: text, only: text, out: text, json: { type: 'boolean' } },
    }).values;
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', (error as Error).message);
  }
  const runs = Number(values.runs ?? 3);
  if (!Number.isSafeInteger(runs) || runs < 1)
    throw new CrawlstreamError('INVALID_ARGUMENT', `--runs ${values.runs}: give a whole number above 0`);
  const everything = benchPlan();
  const wanted = values.only?.split(',').map((label) => label.trim());
  // A label may have a comma itself: a bench's name stands for all of its labels.
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
