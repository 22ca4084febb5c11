/**
 * Moves the visits of pages that wait when a new policy has other intervals.
 *
 * The due time of a page follows from its last visit and its wait, so no page is read: a wait that the former policy may
 * have chosen is brought to the new one's intervals. A wait that it cannot have chosen stays. `max-age`, an error or a
 * day without room made it so long.
 */
import type { PagePlan, Recrawl } from './schedule.ts';

/** Another interval for waits between two bounds, s. */
export interface WaitMove {
  readonly fromLeastS: number;
  readonly fromMostS: number;
  /** First, a wait is multiplied. */
  readonly factor: number;
  /** Then, it is at least and at most as long. */
  readonly leastS: number;
  readonly mostS: number;
}

/** Longer than any wait: a century. */
const endlessS = 0xffff_ffff;
const same = { factor: 1, leastS: 0, mostS: endlessS };

/** `urls`: number of URLs in the schedule. Empty: no wait changes. */
export function waitMoves(former: Recrawl, next: Recrawl, urls: number): readonly WaitMove[] {
  const general = next.pagePlans.get('') ?? null;
  const moves = [...former.pagePlans].flatMap(([key, from]) => {
    if (from === null) return [];
    const to = next.pagePlans.has(key) ? next.pagePlans.get(key)! : general;
    // Days without room made waits longer than their plan.
    const fromMostS = from.isPriced && former.config.fetchesPerDay !== null ? endlessS : from.mostS;
    return [{ fromLeastS: from.leastS, fromMostS, ...intervalsOf(former, next, from, to, urls) }];
  });
  return moves.some(changes) ? moves : [];
}

function intervalsOf(former: Recrawl, next: Recrawl, from: PagePlan, to: PagePlan | null, urls: number) {
  // They are never visited again, once they have been.
  if (to === null) return same;
  const { leastS, mostS } = to;
  if (!to.isPriced) return { factor: 1, leastS, mostS };
  const rates = former.visitsPerDay(urls) / next.visitsPerDay(urls);
  const factor = from.isPriced && Number.isFinite(rates) && rates > 0 ? rates : 1;
  const [before, now] = [former.config.fetchesPerDay, next.config.fetchesPerDay];
  if (now === null) return { factor, leastS, mostS };
  // Fewer visits a day than before would need a search for a day with room for each page.
  if (before === null || before > now) return same;
  return { factor: Math.max(factor, before / now), leastS, mostS: endlessS };
}

function changes({ fromLeastS, fromMostS, factor, leastS, mostS }: WaitMove): boolean {
  return factor !== 1 || leastS > fromLeastS || mostS < fromMostS;
}

/**
 * When a page is due that was visited at `visitedS`, and was due at `dueS`, s. If the new wait is over already, a time
 * within one new wait from now on, so that such pages are spread as their former due times were.
 */
export function movedDueS(moves: readonly WaitMove[], visitedS: number, dueS: number, nowS: number): number {
  const waitS = dueS - visitedS;
  let toS = -1;
  for (const { fromLeastS, fromMostS, factor, leastS, mostS } of moves) {
    // Of a visit, whole seconds are kept: a wait may seem a second longer.
    if (waitS < fromLeastS || waitS > fromMostS + 1) continue;
    // Several plans may have chosen the wait: the longest interval comes too early for none of them.
    toS = Math.max(toS, Math.min(mostS, Math.max(leastS, Math.round(waitS * factor))));
  }
  if (toS < 0 || toS === waitS || toS === waitS - 1) return dueS;
  const movedS = visitedS + toS + 1;
  return movedS > nowS ? movedS : Math.min(dueS, nowS + 1 + Math.floor(toS * scattered(dueS)));
}

/** A number from 0 to 1 for each second, far from those of its neighbours (Knuth's multiplicative hash). */
function scattered(second: number): number {
  return (Math.imul(second, 2_654_435_761) >>> 0) / 2 ** 32;
}
