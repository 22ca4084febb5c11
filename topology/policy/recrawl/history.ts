/**
 * The changes that a page's visits have shown, in a few whole numbers: enough for every schedule, and small enough to
 * be stored for each fetched page.
 *
 * Visits are irregular, so the maximum-likelihood rate needs the time before each visit that found a change; their
 * number, sum and sum of squares replace the list (change-rate.ts). All are halved once `visitsMax` visits are in them:
 * a page that changes its habits is believed after as many visits again. Times are whole seconds.
 */
export interface PageHistory {
  /** Visits that found the page changed since the visit before. */
  readonly changes: number;
  /** Seconds before those visits, in sum, and the sum of their squares. */
  readonly changedS: number;
  readonly changedSquares: number;
  /** Number of visits that found no change, and the total seconds before those visits. */
  readonly unchanged: number;
  readonly unchangedS: number;
  /** Bits for the last visits, newest lowest, 1: changed. A 1 above them marks their number. */
  readonly recent: number;
  /** Current interval between visits, seconds. 0: none chosen yet. */
  readonly intervalS: number;
}

export const noHistory: PageHistory = {
  changes: 0,
  changedS: 0,
  changedSquares: 0,
  unchanged: 0,
  unchangedS: 0,
  recent: 1,
  intervalS: 0,
};

/** Visits that adaptive schedules look back on. */
export const windowVisits = 10;

/** Enough for a rate within a quarter of the true one, two times of three; a page visited weekly forgets within a year. */
const visitsMax = 64;

/** The history with one more visit, `sinceS` seconds (at least one) after the visit before it. */
export function visited(history: PageHistory, sinceS: number, changed: boolean): PageHistory {
  const full = history.changes + history.unchanged >= visitsMax;
  const kept = (value: number) => (full ? Math.floor(value / 2) : value);
  const since = Math.max(1, Math.round(sinceS));
  return {
    changes: kept(history.changes) + (changed ? 1 : 0),
    changedS: kept(history.changedS) + (changed ? since : 0),
    changedSquares: kept(history.changedSquares) + (changed ? since * since : 0),
    unchanged: kept(history.unchanged) + (changed ? 0 : 1),
    unchangedS: kept(history.unchangedS) + (changed ? 0 : since),
    recent: withVisit(history.recent, changed),
    intervalS: history.intervalS,
  };
}

function withVisit(recent: number, changed: boolean): number {
  const next = 2 * recent + (changed ? 1 : 0);
  return next < 2 ** (windowVisits + 1) ? next : 2 ** windowVisits + (next % 2 ** windowVisits);
}

/** Share of the last visits that found a change; null before the first that could. */
export function recentShare({ recent }: PageHistory): number | null {
  let changes = 0;
  let visits = 0;
  for (let bits = recent; bits > 1; bits >>= 1) {
    changes += bits & 1;
    visits += 1;
  }
  return visits === 0 ? null : changes / visits;
}
