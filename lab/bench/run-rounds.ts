/** Runs benches in rounds, each in a separate process, and gathers the last line of each. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CrawlstreamError } from '../../topology/errors.ts';
import type { PlannedBench } from './bench-plan.ts';
import { build, builtMark, projectRoot } from './process/compiled.ts';
import { describeRun, type Results } from './results-file.ts';

/** The value of `--runs`; three if it is absent. Throws INVALID_ARGUMENT. */
export function roundsOf(given: string | undefined): number {
  const rounds = Number(given ?? 3);
  if (Number.isSafeInteger(rounds) && rounds >= 1) return rounds;
  throw new CrawlstreamError('INVALID_ARGUMENT', `--runs ${given}: give a whole number above 0`);
}

/** `onRun`: called after each run, with the results so far. */
export async function runRounds(
  planned: readonly PlannedBench[],
  rounds: number,
  onRun: (said: string, sofar: Results) => Promise<void>,
): Promise<Results> {
  build();
  const benches: Results['benches'] = Object.fromEntries(
    planned.map(({ label, bench, args }) => [label, { bench, args: [...args], runs: [], failures: [] }]),
  );
  const results: Results = { ...describeRun(), benches };
  for (let round = 1; round <= rounds; round++) {
    for (const one of planned) {
      const beganMs = performance.now();
      const { line, failure } = await runOne(one);
      const { runs: kept, failures } = benches[one.label]!;
      if (line !== undefined) kept.push(line);
      else failures.push(failure);
      const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
      const came = line === undefined ? `no figures: ${failure.split('\n')[0]}` : `${seconds} s`;
      await onRun(`round ${round} of ${rounds}: ${one.label}, ${came}`, results);
    }
  }
  return results;
}

type Ran =
  | { readonly line: Record<string, unknown>; readonly failure?: undefined }
  | { readonly line?: undefined; readonly failure: string };

/** Runs in a separate process, from its source, as on the command line. */
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
    // The message below says it.
  }
  return { failure: stderr.trim().slice(-2_000) || `it ended with ${code}, and no figures` };
}
