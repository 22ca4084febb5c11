/**
 * How many new URLs the visits of a page bring: what makes it a hub, and when it is worth the next visit.
 *
 * Where freshness asks how often a page changes (Cho & Garcia-Molina, TODS 28(4), 2003), discovery asks how often it leads
 * on: a page may change at each visit and lead nowhere, or gain links and say nothing else. New URLs a day are counted over
 * all of the time since a first visit brought some, so that it does not matter to which of two visits a link is put down that
 * was read late. Numbers are halved together, so that a page that changes its habits is believed after as many visits again.
 */
export interface Gain {
  /** New URLs that its links led to. */
  readonly urls: number;
  /** Over so many seconds, and so many visits. */
  readonly seconds: number;
  readonly visits: number;
}

const visitsMax = 8;

/** With one more visit, `sinceS` seconds after the one before, and `urls` new URLs since. undefined: there were none lately. */
export function withVisit(before: Gain | undefined, urls: number, sinceS: number): Gain | undefined {
  const seconds = Math.max(1, Math.round(sinceS));
  if (before === undefined) return urls === 0 ? undefined : { urls, seconds, visits: 1 };
  const kept = (value: number) => (before.visits >= visitsMax ? Math.floor(value / 2) : value);
  const sum = kept(before.urls) + urls;
  return sum === 0
    ? undefined
    : { urls: sum, seconds: kept(before.seconds) + seconds, visits: kept(before.visits) + 1 };
}

/** New URLs a day. */
export function gainPerDay({ urls, seconds }: Gain): number {
  return (86_400 * urls) / seconds;
}

/** Seconds in which so many new URLs are to be expected. */
export function secondsToGain({ urls, seconds }: Gain, wanted: number): number {
  return Math.ceil((wanted * seconds) / urls);
}
