/**
 * Compares two sets of runs of one measurement: every run of one set with every run of the other.
 *
 * The extremes of the ratios are their spread. A difference is beyond noise if all runs of one set are on one side of
 * all runs of the other, and the medians differ by more than `threshold`. With fewer than two runs in a set, noise is
 * unknown, and no difference is flagged.
 */

/** Numbers by path: `stages.decide`, `all[1].nanosPerTakeAndPut`. */
export type Figures = ReadonlyMap<string, number>;

export interface Ratio {
  readonly path: string;
  /** Medians. */
  readonly before: number;
  readonly after: number;
  readonly min: number;
  readonly median: number;
  readonly max: number;
  readonly verdict: 'same' | 'better' | 'worse' | 'changed';
}

/** Smaller changes are not worth a look, however clear. */
export const thresholdByDefault = 0.05;
/** Facts about a run, without its results. */
const options = new Set(['runs', 'pinned']);
/** Long lists of intermediate stretches: the totals are in the results, too. */
const left = new Set(['millions', 'stretches', 'samples']);
const moreIsBetter = /PerSecond|PerCpuSecond|urlsPerFrontierCpuSecond|achieved|kept|recall|precision|fresh/i;
const lessIsBetter = /micros|millis|nanos|seconds|bytes|pause|ms$|megabytes|OverRawClient|OverFirst|stages\.|\.ms/i;

/** Every number in the last line of a bench. */
export function figuresOf(line: unknown, path = '', into = new Map<string, number>()): Map<string, number> {
  if (typeof line === 'number') into.set(path, line);
  else if (Array.isArray(line)) for (const [i, item] of line.entries()) figuresOf(item, `${path}[${i}]`, into);
  else if (typeof line === 'object' && line !== null) {
    for (const [name, value] of Object.entries(line)) {
      if (options.has(name) || left.has(name)) continue;
      figuresOf(value, path === '' ? name : `${path}.${name}`, into);
    }
  }
  return into;
}

/** The numbers that all runs of both sides have, unless they are 0 on both. */
export function compareRuns(
  before: readonly Figures[],
  after: readonly Figures[],
  threshold = thresholdByDefault,
): Ratio[] {
  const ratios: Ratio[] = [];
  for (const path of before[0]?.keys() ?? []) {
    const [a, b] = [valuesAt(before, path), valuesAt(after, path)];
    if (a === undefined || b === undefined) continue;
    const all = b.flatMap((after) => a.map((before) => ratioOf(before, after))).sort((x, y) => x - y);
    const [min, max, middle] = [all[0]!, all.at(-1)!, ratioOf(median(a), median(b))];
    const verdict = verdictOf(path, { min, max, middle, threshold, isNoiseKnown: a.length > 1 && b.length > 1 });
    ratios.push({ path, before: median(a), after: median(b), min, median: middle, max, verdict });
  }
  return ratios;
}

interface Spread {
  readonly min: number;
  readonly max: number;
  readonly middle: number;
  readonly threshold: number;
  readonly isNoiseKnown: boolean;
}

function verdictOf(path: string, { min, max, middle, threshold, isNoiseKnown }: Spread): Ratio['verdict'] {
  const isClear = isNoiseKnown && (min > 1 || max < 1) && Math.abs(middle - 1) > threshold;
  if (!isClear) return 'same';
  const isMore = middle > 1;
  if (moreIsBetter.test(path)) return isMore ? 'better' : 'worse';
  if (lessIsBetter.test(path)) return isMore ? 'worse' : 'better';
  return 'changed';
}

function ratioOf(before: number, after: number): number {
  return before === after ? 1 : after / before;
}

function valuesAt(runs: readonly Figures[], path: string): number[] | undefined {
  const values: number[] = [];
  for (const run of runs) {
    const value = run.get(path);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values.length === 0 ? undefined : values;
}

/** The mean of the two in the middle, if the number is even. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
