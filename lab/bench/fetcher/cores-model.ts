/**
 * The rate of `crawl --workers` on a machine with a given number of cores, from the CPU that a page takes in a worker,
 * and in the process with frontier and log, which uses at most one core.
 *
 * The lowest of three bounds counts: that process fills its core; each worker fills a core; all of them together fill
 * the machine (there may be as many workers as cores). The model ignores memory, disk and network. It assumes that the
 * CPU per page is the same on every core; cores that share caches and clocks are slower.
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

/** Throws RangeError if a number is not above 0. */
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
