/** `--recrawl` and `--recrawl-every`, over what a policy has. */
import {
  defaultRecrawl,
  type RecrawlConfig,
  type ScheduleName,
} from '../../../topology/policy/recrawl/recrawl-config.ts';

interface RecrawlFlags {
  readonly recrawl?: ScheduleName;
  readonly recrawlEvery?: number;
}

/** Unless the options ask for shorter intervals, no page is visited twice within an hour. */
const minVisitMs = 3_600_000;

/** The schedule that options ask for; without them the one before. */
export function changedRecrawl(
  { recrawl: schedule, recrawlEvery: intervalMs }: RecrawlFlags,
  before: RecrawlConfig | undefined,
): RecrawlConfig | undefined {
  if (schedule === undefined && intervalMs === undefined) return before;
  return {
    ...(before ?? defaultRecrawl),
    ...(schedule !== undefined && { schedule }),
    ...(intervalMs !== undefined && { intervalMs, minMs: Math.min(intervalMs, minVisitMs) }),
  };
}
