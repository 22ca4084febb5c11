/**
 * Stops a run of a crawl by `--max-time`, `--max-bytes` or `--max-errors`. Each counts only this run, and stops it as
 * Ctrl-C does: the queue is kept, and the same command continues. Pages are limited by the policy (`--max-pages`).
 */
import type { Command } from 'commander';
import type { Counters } from '../../../topology/frontier/changes/counters.ts';
import { bad, bytes, duration, durationText } from '../flags/arguments.ts';
import { setting } from '../flags/setting.ts';

export interface StopFlags {
  /** ms. */
  readonly maxTime?: number;
  readonly maxBytes?: number;
  readonly maxErrors?: ErrorsMax;
}

/** A number of failed URLs, or with `%` their share of all finished ones. */
interface ErrorsMax {
  readonly text: string;
  readonly count: number;
  readonly share: number;
}

/** Number of finished URLs from which a share is meaningful. */
const judgedMin = 100;

export function addStopOptions(command: Command): Command {
  return command
    .addOption(
      setting(
        '--max-time <duration>',
        'stop this run after this time, as in 30m or 8h',
        'a crawl runs until it is done',
        duration('--max-time', { leastMs: 1 }),
      ),
    )
    .addOption(
      setting(
        '--max-bytes <bytes>',
        'stop this run after this many bytes of bodies, as in 500M or 10GiB',
        'page limit, scope and disk bound a crawl',
        bytes('--max-bytes', 1, 'give bytes, at least 1, as in 500k, 2M or 10GiB'),
      ),
    )
    .addOption(
      setting(
        '--max-errors <n>',
        'stop this run after n failed URLs, or at a share as 20%, once 100 URLs are done',
        'failures are reported and retried, and do not end a crawl',
        errorsMax,
      ),
    );
}

function errorsMax(text: string): ErrorsMax {
  const [, count, percent] = /^(?:([1-9]\d*)|(\d+(?:\.\d+)?)%)$/.exec(text) ?? [];
  const share = percent === undefined ? Number.POSITIVE_INFINITY : Number(percent) / 100;
  if (count === undefined && !(share > 0 && share < 1))
    throw bad('--max-errors', text, 'give a whole number from 1, or a share above 0% and below 100%, as in 20%');
  return { text, count: count === undefined ? Number.POSITIVE_INFINITY : Number(count), share };
}

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
