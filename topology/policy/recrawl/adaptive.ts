/**
 * Adaptive schedules: a changed page is visited sooner, an unchanged one later. They ignore bandwidth and change
 * rates.
 *
 * `adaptive` is Crawlstream's own: × 0.5 or × 1.5, then up to a fifth more or less by how many of the last ten visits
 * found a change. `nutch` is Apache Nutch's AdaptiveFetchSchedule with nutch-default.xml. If a page's last change is
 * longer ago than its interval, that time becomes its interval, and the next visit comes earlier by a share of it,
 * towards the time of change. In Nutch the next visit may then come before the last one; here it is never sooner than
 * `minS`. `stormcrawler` is Apache StormCrawler's AdaptiveScheduler with its defaults. Intervals are whole seconds.
 */
import { type PageHistory, recentShare } from './history.ts';

export interface AdaptiveConfig {
  /** Interval after the first fetch, seconds. */
  readonly firstS: number;
  readonly minS: number;
  readonly maxS: number;
  /** Factors of the interval after a visit without and with a change. */
  readonly unchanged: number;
  readonly changed: number;
  /** Exponent of the adjustment by the recent share of changes. 0: none. */
  readonly byShare: number;
  /**
   * Share of the time since the last change by which the next visit comes earlier. null: the change time is ignored.
   */
  readonly syncShare: number | null;
}

const hour = 3_600;
const day = 24 * hour;

export const adaptivePresets = {
  adaptive: {
    firstS: day,
    minS: hour,
    maxS: 30 * day,
    unchanged: 1.5,
    changed: 0.5,
    byShare: 0.5,
    syncShare: null,
  },
  nutch: {
    firstS: 30 * day,
    minS: 60,
    maxS: 365 * day,
    unchanged: 1.4,
    changed: 0.8,
    byShare: 0,
    syncShare: 0.3,
  },
  stormcrawler: {
    firstS: day,
    minS: hour,
    maxS: 31 * day,
    unchanged: 1.5,
    changed: 0.5,
    byShare: 0,
    syncShare: null,
  },
} as const satisfies Record<string, AdaptiveConfig>;

export interface NextVisit {
  /** Kept as the page's interval. */
  readonly intervalS: number;
  /** Time from this visit to the next. */
  readonly delayS: number;
  /** It is one of the visits that `fetchesPerDay` bounds. Absent: it is not. */
  readonly isBounded?: true;
}

/**
 * `history` includes this visit. `changed` null: the first visit, which shows nothing. `sinceChangeS`: how long ago the
 * page last changed, by its Last-Modified or by our own visits.
 */
export function adaptiveVisit(
  config: AdaptiveConfig,
  history: PageHistory,
  changed: boolean | null,
  sinceChangeS: number,
): NextVisit {
  if (changed === null) return within(config, config.firstS, changed, sinceChangeS);
  let intervalS = (history.intervalS || config.firstS) * (changed ? config.changed : config.unchanged);
  if (config.byShare > 0) intervalS *= 2 ** (config.byShare * (0.5 - (recentShare(history) ?? 0.5)));
  return within(config, intervalS, changed, sinceChangeS);
}

/** The same for a page that waits: its interval is that of its last visit, within the bounds. */
export function adaptiveWait(
  config: AdaptiveConfig,
  history: PageHistory,
  changed: boolean | null,
  sinceChangeS: number,
): NextVisit {
  const intervalS = changed === null ? config.firstS : history.intervalS || config.firstS;
  return within(config, intervalS, changed, sinceChangeS);
}

function within(
  { minS, maxS, syncShare }: AdaptiveConfig,
  wantedS: number,
  changed: boolean | null,
  sinceChangeS: number,
): NextVisit {
  const bounded = (seconds: number) => Math.min(maxS, Math.max(minS, Math.trunc(seconds)));
  if (syncShare === null || changed !== false) return { intervalS: bounded(wantedS), delayS: bounded(wantedS) };
  const intervalS = bounded(Math.max(wantedS, sinceChangeS));
  return { intervalS, delayS: bounded(intervalS - syncShare * sinceChangeS) };
}
