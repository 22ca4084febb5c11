/**
 * Stops a run of a crawl by `--max-time`, `--max-bytes` or `--max-errors`. Each counts only this run, and stops it as
 * Ctrl-C does: the queue is kept, and the same command continues. Pages are limited by the policy (`--max-pages`).
 */
import type { Command } from 'commander';
import type { ErrorsMax } from '../../hosting/crawl/stop-rules.ts';
import { bad } from '../../runtime/option-text.ts';
import { bytes, duration } from '../flags/arguments.ts';
import { setting } from '../flags/setting.ts';

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
        'stop this run after n failed URLs, or at a share such as 20% of at least 100 URLs',
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
