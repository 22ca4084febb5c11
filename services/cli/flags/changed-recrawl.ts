/** Applies `--recrawl`, `--recrawl-every` and `--recrawl-hubs` to the schedule of a policy. */
import type { Option } from 'commander';
import {
  defaultRecrawl,
  hubUrlsMax,
  type RecrawlConfig,
  type ScheduleName,
} from '../../../topology/policy/recrawl/recrawl-config.ts';
import { wholeNumber } from './arguments.ts';
import { setting } from './setting.ts';

interface RecrawlFlags {
  readonly recrawl?: ScheduleName;
  readonly recrawlEvery?: number;
  readonly recrawlHubs?: number;
}

export function recrawlHubsOption(): Option {
  return setting(
    '--recrawl-hubs <n>',
    'revisit a page sooner if n new URLs are expected on it (default: as it changes)',
    'most pages gain no links, and their changes alone set the schedule',
    wholeNumber('--recrawl-hubs', 1, hubUrlsMax),
  );
}

/** Unless the options ask for shorter intervals, no page is visited twice within an hour. */
const minVisitMs = 3_600_000;

/** Returns the schedule with the options applied; without options, the one before. */
export function changedRecrawl(
  { recrawl: schedule, recrawlEvery: intervalMs, recrawlHubs: newUrls }: RecrawlFlags,
  before: RecrawlConfig | undefined,
): RecrawlConfig | undefined {
  if (schedule === undefined && intervalMs === undefined && newUrls === undefined) return before;
  return {
    ...(before ?? defaultRecrawl),
    ...(schedule !== undefined && { schedule }),
    ...(intervalMs !== undefined && { intervalMs, minMs: Math.min(intervalMs, minVisitMs) }),
    ...(newUrls !== undefined && { hubs: { newUrls } }),
  };
}
