/** The error of a value that an option cannot take, and durations as options are typed. */
import { CrawlstreamError } from '../../topology/errors.ts';

export function bad(option: string, value: string, remedy: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', `${option} ${JSON.stringify(value)}: ${remedy}`);
}

export const unitsMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration in the largest unit that divides it. */
export function durationText(ms: number): string {
  const units = Object.entries(unitsMs).reverse();
  const [unit, unitMs] = units.find(([, one]) => ms % one === 0 && ms >= one) ?? ['ms', 1];
  return `${ms / unitMs}${unit}`;
}
