/**
 * `npm run bench -- against-release [--runs N] [--tolerance SHARE] [--since FILE] [--with FILE] [--out FILE] [--json]`
 *
 * Compares the CPU cost of a unit of work with the last release's file in `lab/bench/results/`. The benches run in
 * `--runs` (3) rounds, or their results are read from a file that `bench all --release` wrote (`--with`). Prints each
 * figure beside the release's. The exit code is 1 if a figure is worse by more than `--tolerance` (0.25) or is missing
 * (release-verdict.ts). `--since`: compare with this file instead of the last release's. If no release has a file, the
 * bench says so and measures nothing.
 */
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../topology/errors.ts';
import { releaseFigures, releasePlan } from './bench-plan.ts';
import { projectRoot } from './process/compiled.ts';
import { type Since, sinceRelease, toleranceByDefault } from './release-verdict.ts';
import { readResults } from './results-file.ts';
import { roundsOf, runRounds } from './run-rounds.ts';

const folder = join(projectRoot, 'lab/bench/results');

export async function run(args: readonly string[]): Promise<void> {
  const { runs, tolerance, since, given, out, json } = optionsOf(args);
  const last = since ?? lastRelease(existsSync(folder) ? readdirSync(folder) : []);
  if (last === undefined) {
    process.stdout.write('no release has figures yet: bench all --release writes them\n');
    return;
  }
  const before = await readResults(since ?? join(folder, `${last}.json`));
  const release = before.versions['crawlstream'] ?? last;
  const say = async (line: string) => void process.stdout.write(`${line}\n`);
  const after = given === undefined ? await runRounds(releasePlan(), runs, say) : await readResults(given);
  if (out !== undefined) await writeFile(out, `${JSON.stringify(after, null, 1)}\n`);
  const figures = sinceRelease(before, after, releaseFigures, tolerance);
  const where = `${before.machine.cores} × ${before.machine.cpu}, Node ${before.versions['node']}`;
  await say(`${release}: commit ${before.commit.slice(0, 12)}, ${before.takenAt}, ${where}`);
  for (const one of figures) await say(lineOf(one));
  const bad = figures.filter(({ verdict }) => verdict === 'worse' || verdict === 'missing');
  await say(
    bad.length === 0
      ? `no figure is worse than ${release}'s by more than ${tolerance}, the yardstick taken out`
      : `${bad.length} of ${figures.length} figures: worse than ${release}'s by more than ${tolerance}, or missing`,
  );
  if (json) await say(JSON.stringify({ name: 'against-release', release, tolerance, figures }));
  if (bad.length > 0) process.exitCode = 1;
}

function lineOf({ label, path, before, after, ratio, verdict }: Since): string {
  const times = ratio === undefined ? '' : `× ${ratio.toFixed(2)}  `;
  return `  ${verdict.padEnd(8)}${times}${label} ${path}: ${before ?? 'none'} → ${after ?? 'none'}`;
}

/** Version of `X.Y.Z.json`. Undefined: the name has another form. */
export function lastRelease(names: readonly string[]): string | undefined {
  const versions = names.flatMap((name) => /^(\d+)\.(\d+)\.(\d+)\.json$/.exec(name)?.slice(1).map(Number) ?? []);
  const all = Array.from({ length: versions.length / 3 }, (_, n) => versions.slice(3 * n, 3 * n + 3));
  const last = all.sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!).at(-1);
  return last?.join('.');
}

function optionsOf(args: readonly string[]) {
  const text = { type: 'string' } as const;
  let values: { runs?: string; tolerance?: string; since?: string; with?: string; out?: string; json?: boolean };
  try {
    values = parseArgs({
      args: [...args],
      options: { runs: text, tolerance: text, since: text, with: text, out: text, json: { type: 'boolean' } },
    }).values;
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', (error as Error).message);
  }
  const runs = roundsOf(values.runs);
  const tolerance = Number(values.tolerance ?? toleranceByDefault);
  if (!(tolerance > 0))
    throw new CrawlstreamError('INVALID_ARGUMENT', `--tolerance ${values.tolerance}: give a share above 0`);
  return { runs, tolerance, since: values.since, given: values.with, out: values.out, json: values.json ?? false };
}
