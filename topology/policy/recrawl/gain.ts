/**
 * The number of new URLs that visits of a page bring: it makes a page a hub, and decides when the next visit pays.
 *
 * Freshness depends on how often a page changes (Cho & Garcia-Molina, TODS 28(4), 2003). Discovery depends on how
 * often it leads to new URLs: a page may change at each visit without a new link, or gain links and nothing else. New
 * URLs are counted over the whole time since the first visit that brought some, so a link that is read late may be
 * counted for either visit. All numbers are halved together from time to time, so that a page with new habits is
 * recognised after as many visits again.
 */
export interface Gain {
  /** New URLs that its links led to. */
  readonly urls: number;
  /** Time and number of the visits counted. */
  readonly seconds: number;
  readonly visits: number;
}

const visitsMax = 8;

/**
 * The gain after one more visit, `sinceS` seconds after the last, with `urls` new URLs since. undefined: no new URLs
 * lately.
 */
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

/** Seconds until `wanted` new URLs are expected. */
export function secondsToGain({ urls, seconds }: Gain, wanted: number): number {
  return Math.ceil((wanted * seconds) / urls);
}
