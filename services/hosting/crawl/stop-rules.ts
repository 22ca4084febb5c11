/** Stops a run of a crawl by time, bytes or errors. */
import type { Counters } from '../../../topology/frontier/changes/counters.ts';
import { durationText } from '../../runtime/option-text.ts';

export interface StopFlags {
  /** ms. */
  readonly maxTime?: number;
  readonly maxBytes?: number;
  readonly maxErrors?: ErrorsMax;
}

/** A number of failed URLs, or with `%` their share of all finished ones. */
export interface ErrorsMax {
  readonly text: string;
  readonly count: number;
  readonly share: number;
}

/** Number of finished URLs from which a share is meaningful. */
const judgedMin = 100;

export interface Progress {
  readonly counters: Counters;
  readonly seconds: number;
}

/**
 * Returns a function of the progress: the rule that stops this run, in words, or undefined while it continues. Its
 * first call sets the start of the run.
 */
export function stopRules({ maxTime, maxBytes, maxErrors }: StopFlags): (now: Progress) => string | undefined {
  let before: Counters | undefined;
  return ({ counters, seconds }) => {
    before ??= counters;
    const grown = (...names: readonly (keyof Counters)[]) =>
      names.reduce((sum, name) => sum + counters[name] - before![name], 0);
    if (maxTime !== undefined && seconds * 1000 >= maxTime) return `--max-time ${durationText(maxTime)}`;
    const received = grown('bytes');
    if (maxBytes !== undefined && received >= maxBytes)
      return `--max-bytes: ${received.toLocaleString('en-US')} of ${maxBytes.toLocaleString('en-US')} bytes`;
    if (maxErrors === undefined) return undefined;
    const failed = grown('failed', 'dead') - grown('notRead');
    const settled = failed + grown('page', 'redirected', 'notRead');
    const tooMany = failed >= maxErrors.count || (settled >= judgedMin && failed >= maxErrors.share * settled);
    return tooMany ? `--max-errors ${maxErrors.text}: ${failed} of ${settled} URLs failed` : undefined;
  };
}

/** Returns the limits of this run, in words, for the printed plan. */
export function stopsText({ maxTime, maxBytes, maxErrors }: StopFlags): string[] {
  return [
    ...(maxTime === undefined ? [] : [`this run: ${durationText(maxTime)} (--max-time)`]),
    ...(maxBytes === undefined ? [] : [`this run: ${maxBytes.toLocaleString('en-US')} bytes (--max-bytes)`]),
    ...(maxErrors === undefined ? [] : [`this run: ${maxErrors.text} failed URLs (--max-errors)`]),
  ];
}
