/**
 * Decides whether the CPU cost of a unit of work has grown since a release. For each figure the minimum of its runs
 * counts, since other load only adds. It counts as a multiple of the yardstick of the same minutes, so that another
 * machine or a slow day does not look like a change of ours.
 */
import type { ReleaseFigure } from './bench-plan.ts';
import { figuresOf } from './compare-runs.ts';
import type { Results } from './results-file.ts';

export interface Since {
  readonly label: string;
  readonly path: string;
  /** Minimum of the runs, as measured. Absent: no run has this figure. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  /** After divided by before, corrected by the yardstick. */
  readonly ratio: number | undefined;
  readonly verdict: 'same' | 'better' | 'worse' | 'missing' | 'new';
}

/** The tolerance within which the verdict is `same`. */
export const toleranceByDefault = 0.25;
const yardstick: ReleaseFigure = { label: 'yardstick', path: 'cpuMillis' };

/**
 * `missing`: these runs have no such figure, or one with other options. `new`: the release has none. Neither is
 * compared.
 */
export function sinceRelease(
  before: Results,
  after: Results,
  figures: readonly ReleaseFigure[],
  tolerance = toleranceByDefault,
): Since[] {
  const speed = ratioOf(leastOf(before, yardstick), leastOf(after, yardstick)) ?? 1;
  return figures.map(({ label, path }) => {
    const a = leastOf(before, { label, path });
    // With other options the figure would measure something else.
    const isSame = a === undefined || argsOf(before, label) === argsOf(after, label);
    const b = isSame ? leastOf(after, { label, path }) : undefined;
    const raw = ratioOf(a, b);
    const ratio = raw === undefined ? undefined : raw / speed;
    return { label, path, before: a, after: b, ratio, verdict: verdictOf(a, b, ratio, tolerance) };
  });
}

function verdictOf(
  before: number | undefined,
  after: number | undefined,
  ratio: number | undefined,
  tolerance: number,
): Since['verdict'] {
  if (after === undefined) return 'missing';
  if (before === undefined) return 'new';
  if (ratio === undefined) return 'same';
  if (ratio > 1 + tolerance) return 'worse';
  return ratio < 1 / (1 + tolerance) ? 'better' : 'same';
}

function leastOf({ benches }: Results, { label, path }: ReleaseFigure): number | undefined {
  const values = (benches[label]?.runs ?? []).flatMap((run) => figuresOf(run).get(path) ?? []);
  return values.length === 0 ? undefined : Math.min(...values);
}

function argsOf({ benches }: Results, label: string): string | undefined {
  return benches[label]?.args.join(' ');
}

function ratioOf(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined || before === 0 ? undefined : after / before;
}
