/**
 * Scheduling by a new policy: all fetched URLs are read once, in ranges of their fingerprints, while the crawl goes on.
 * The ranges follow from the number of URLs alone, so every reader of a changelog finds the same.
 */
import type { KnownUrl } from '../changes/changes.ts';
import type { PageRecord } from '../changes/page-record.ts';

/** Number of high words of fingerprints. */
export const highWords = 2 ** 32;

/** A URL that was fetched. `page`: its visits, if it is scheduled. */
export interface FetchedUrl {
  readonly hi: number;
  readonly lo: number;
  readonly record: KnownUrl;
  readonly page: PageRecord | null;
}

/** The fetched URLs of a range, by fingerprint. */
export interface RecheckRange {
  readonly from: number;
  /** Start of the next range. */
  readonly to: number;
  readonly urls: readonly FetchedUrl[];
}

/** The end of a range with about `most` of `urls` URLs. */
export function rangeEnd(from: number, urls: number, most: number): number {
  const ranges = Math.max(1, Math.ceil(urls / most));
  return Math.min(highWords, from + Math.ceil(highWords / ranges));
}
