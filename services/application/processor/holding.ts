/** Copies of pages that a consumer keeps, and how they are forgotten (`crawlstream forget`, `crawlstream purge`). */
import type { TopicName } from '../../../topology/topics.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface Holding {
  /** Once its group has read these to their ends, it keeps no copy that was taken back before. */
  readonly follows: readonly TopicName[];
  /** Adds to an option of `forget`. Absent: it needs none. */
  readonly option?: { readonly flags: string; readonly about: string };
  /**
   * Removes copies, or searches for remaining ones. In a data folder, its consumer has read everything before. On
   * brokers, the consumer keeps running and removes copies by itself; only copies elsewhere are removed here.
   */
  forget(at: HeldAt): Promise<Forgotten>;
  /**
   * Whether there are copies for which the consumer must be started, although it has no folder. Absent: there are
   * none.
   */
  isElsewhere?(options: HeldAt['options']): boolean;
  /** Copies of purged pages that stay until `forget` runs. `part`: returns folders of the crawl. */
  remains?(part: Part, isPurged: (url: string) => boolean): Promise<readonly Remaining[]>;
}

export type Part = (name: string) => string;

export interface HeldAt {
  readonly crawl: string;
  /** Folders of the crawl's data folder. Absent: the crawl is on brokers, and no folder was named. */
  readonly part?: Part | undefined;
  readonly isOnBrokers: boolean;
  /** Options of the crawl, and of `forget`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly gone: Gone;
  readonly clock: Clock;
}

/** Pages to forget: purged by an operator, or withdrawn by their site. */
export interface Gone {
  /** Whether a copy fetched at `atMs` (ms since the Unix epoch) must be removed. */
  has(url: string, atMs: number): boolean;
  isPurged(url: string, atMs: number): boolean;
}

export interface Forgotten {
  readonly places: readonly Place[];
  readonly notReached?: readonly NotReached[];
}

export interface Place {
  readonly place: string;
  /**
   * Records, rows or pages removed by this run. Absent: the place is updated by its consumer, and was only inspected.
   */
  readonly removed?: number;
  /** Number of copies found there afterwards. */
  readonly left: number;
  /** Further facts, by name. */
  readonly more?: Readonly<Record<string, number | readonly string[]>>;
}

/** A place with copies that were not reached. */
export interface NotReached {
  readonly place: string;
  readonly why: string;
}

export interface Remaining {
  /** A file. */
  readonly in: string;
  readonly records: number;
  readonly until: string;
}

/** Declaration of a consumer without copies of pages. */
export const holdsNothing = 'nothing';

/** Counts the purged URLs in a state that has no times by row. */
export async function purgedLeft(
  place: string,
  urls: AsyncIterable<string> | Iterable<string>,
  { gone, clock }: Pick<HeldAt, 'gone' | 'clock'>,
): Promise<Place> {
  let left = 0;
  for await (const url of urls) if (gone.isPurged(url, clock.nowMs())) left += 1;
  return { place, left };
}
