/** Computes the freshness of a crawl's pages from the checkpoints in its data folder, for `stats`. */
import type { Counters } from '../../../topology/frontier/changes/counters.ts';
import { type Freshness, freshnessNow } from '../../../topology/frontier/recrawl/freshness-now.ts';
import type { RecrawlState } from '../../../topology/frontier/recrawl/recrawl-state.ts';
import { storedSchedule } from '../../frontier/query/stored-schedule.ts';
import { type StateSource, withCheckpoint } from './state-source.ts';

/** The fields of `--json`: their names are a contract. Shares are 0 to 1, ages in seconds; null: not known yet. */
export interface FreshnessStats extends Omit<Freshness, 'freshByFrontQueue'> {
  /** Share of the comparable visits that found a change. */
  readonly changedShare: number | null;
}

/** The schedule of each partition that has a checkpoint here. */
export async function storedSchedules(
  source: Pick<StateSource, 'folder' | 'refresh'>,
  partitions: number,
): Promise<RecrawlState[]> {
  const schedules: RecrawlState[] = [];
  for (let partition = 0; partition < partitions; partition++) {
    const schedule = await withCheckpoint(source, partition, async (store) => store && storedSchedule(store));
    if (schedule !== undefined) schedules.push(schedule);
  }
  return schedules;
}

/** null: nothing is to be visited again. */
export async function freshnessStats(
  source: Pick<StateSource, 'folder' | 'refresh'>,
  partitions: number,
  { revisits, changesFound }: Pick<Counters, 'revisits' | 'changesFound'>,
  nowMs: number,
): Promise<FreshnessStats | null> {
  const schedules = await storedSchedules(source, partitions);
  if (!schedules.some(({ table }) => table.size > 0)) return null;
  const { freshByFrontQueue: _, ...freshness } = freshnessNow(schedules, nowMs);
  return { ...freshness, changedShare: revisits === 0 ? null : changesFound / revisits };
}

export function freshnessText({
  fresh,
  ageP50S,
  ageP95S,
  withinGoal,
  changedShare,
  sitemapTrust,
}: FreshnessStats): string {
  const rows: readonly (readonly [label: string, value: string | null])[] = [
    ['expected fresh', percent(fresh)],
    ['seen within 7 days', percent(withinGoal)],
    ['age, half below', age(ageP50S)],
    ['age, 95% below', age(ageP95S)],
    ['visits finding a change', percent(changedShare)],
    ['sitemap dates right', percent(sitemapTrust)],
  ];
  return rows
    .flatMap(([label, value]) => (value === null ? [] : [`  ${label.padEnd(24)}${value.padStart(14)}`]))
    .join('\n');
}

function percent(share: number | null): string | null {
  return share === null ? null : `${(100 * share).toFixed(1)}%`;
}

function age(seconds: number | null): string | null {
  if (seconds === null) return null;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 2 * 86_400 ? `${(seconds / 3_600).toFixed(1)} h` : `${(seconds / 86_400).toFixed(1)} d`;
}
