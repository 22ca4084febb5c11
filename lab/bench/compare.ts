/**
 * `npm run bench -- compare A B [--threshold SHARE] [--all] [--json]`
 *
 * Compares two files of `bench all`. For each figure that both have, it prints B over A as a ratio: minimum, median and
 * maximum over all pairs of runs. It shows differences beyond noise; with `--all`, everything. It reports only, and
 * never fails.
 */
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../topology/errors.ts';
import { compareRuns, figuresOf, type Ratio, thresholdByDefault } from './compare-runs.ts';
import { type Results, readResults } from './results-file.ts';

export async function run(args: readonly string[]): Promise<void> {
  const { files, threshold, showsAll, json } = optionsOf(args);
  const [a, b] = (await Promise.all(files.map(readResults))) as [Results, Results];
  for (const [name, { commit, changed, takenAt, machine, versions }] of [['A', a] as const, ['B', b] as const]) {
    const where = `${machine.cores} × ${machine.cpu}, Node ${versions['node']}`;
    const what = `${commit.slice(0, 12) || 'no commit'}${changed ? ' and changes' : ''}`;
    process.stdout.write(`${name}: ${what}, ${takenAt}, ${where}\n`);
  }
  if (a.machine.cpu !== b.machine.cpu || a.machine.cores !== b.machine.cores)
    process.stdout.write('Two different machines: the ratios compare machines, too.\n');
  const all: Record<string, readonly Ratio[]> = {};
  const counts = { same: 0, better: 0, worse: 0, changed: 0 };
  for (const [label, before] of Object.entries(a.benches)) {
    const after = b.benches[label];
    if (after === undefined || before.args.join(' ') !== after.args.join(' ')) {
      process.stdout.write(
        `${label}: ${after === undefined ? 'only in A' : 'not with the same options: passed over'}\n`,
      );
      continue;
    }
    const ratios = compareRuns(
      before.runs.map((one) => figuresOf(one)),
      after.runs.map((one) => figuresOf(one)),
      threshold,
    );
    all[label] = ratios;
    for (const { verdict } of ratios) counts[verdict] += 1;
    const shown = showsAll ? ratios : ratios.filter(({ verdict }) => verdict !== 'same');
    process.stdout.write(`${label}: ${before.runs.length} and ${after.runs.length} runs\n`);
    for (const ratio of shown) process.stdout.write(`  ${lineOf(ratio)}\n`);
  }
  const { same, better, worse, changed } = counts;
  process.stdout.write(`Beyond noise: ${better} better, ${worse} worse, ${changed} otherwise; ${same} within it.\n`);
  if (json) process.stdout.write(`${JSON.stringify({ name: 'compare', counts, benches: all })}\n`);
}

function lineOf({ path, before, after, min, median, max, verdict }: Ratio): string {
  const ratios = `× ${median.toFixed(3)} (${min.toFixed(3)} to ${max.toFixed(3)})`;
  return `${ratios}  ${path}: ${before} → ${after}${verdict === 'same' ? '' : `  ${verdict}`}`;
}

function optionsOf(args: readonly string[]) {
  let parsed: { values: { threshold?: string; all?: boolean; json?: boolean }; positionals: string[] };
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { threshold: { type: 'string' }, all: { type: 'boolean' }, json: { type: 'boolean' } },
    });
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', (error as Error).message);
  }
  const { values, positionals: files } = parsed;
  if (files.length !== 2) throw new CrawlstreamError('INVALID_ARGUMENT', 'give two files that bench all wrote');
  const threshold = Number(values.threshold ?? thresholdByDefault);
  if (!(threshold >= 0 && threshold < 1))
    throw new CrawlstreamError('INVALID_ARGUMENT', `--threshold ${values.threshold}: give a share from 0 to 1`);
  return { files, threshold, showsAll: values.all ?? false, json: values.json ?? false };
}
