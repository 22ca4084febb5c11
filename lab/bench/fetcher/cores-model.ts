/**
 * What a machine of so many cores makes of `crawl --workers`, from the CPU that a page takes: of a worker, and of the
 * process with frontier and log, which takes one core at most.
 *
 * Three bounds, and the lowest counts: that process fills its core; each worker fills a core of its own; all of them
 * together fill the machine (its workers may be as many as its cores). It knows no memory, no disk and no network, and
 * that a page's CPU is the same on every core: cores that share caches and clocks give less.
 */

export interface PageCosts {
  /** CPU of the process with frontier and log, ms per page. */
  readonly ownMillis: number;
  /** CPU of a worker, ms per page. */
  readonly workerMillis: number;
}

export type Bound = 'frontier and log' | 'workers' | 'cores';

export interface Expected {
  readonly pagesPerSecond: number;
  /** The resource that limits the rate. */
  readonly bound: Bound;
}

/** Throws RangeError where a number is not above 0. */
export function crawlOn(cores: number, workers: number, { ownMillis, workerMillis }: PageCosts): Expected {
  for (const [name, value] of Object.entries({ cores, workers, ownMillis, workerMillis }))
    if (!(value > 0)) throw new RangeError(`${name} is ${value}: it must be above 0`);
  const bounds: readonly (readonly [Bound, number])[] = [
    ['frontier and log', 1_000 / ownMillis],
    ['workers', (1_000 * workers) / workerMillis],
    ['cores', (1_000 * cores) / (ownMillis + workerMillis)],
  ];
  const [bound, pagesPerSecond] = bounds.reduce((least, one) => (one[1] < least[1] ? one : least));
  return { pagesPerSecond, bound };
}
