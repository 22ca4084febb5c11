/** Applies options to the schedule of a policy. */
import {
  defaultRecrawl,
  type RecrawlConfig,
  type ScheduleName,
} from '../../../topology/policy/recrawl/recrawl-config.ts';

interface RecrawlFlags {
  readonly recrawl?: ScheduleName;
  readonly recrawlEvery?: number;
  readonly recrawlHubs?: number;
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
