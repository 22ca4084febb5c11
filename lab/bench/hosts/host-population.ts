/**
 * Hosts by size, in bounded memory: the host of rank r has a / r pages, at least one (Zipf's law with exponent 1, which
 * sizes of sites follow: Adamic & Huberman, "Zipf's law and the Internet", Glottometrics 3, 2002).
 *
 * Each of the largest hosts is represented by itself. The others are drawn, evenly by rank within stretches of ranks. A
 * drawn host represents the hosts that were passed over: their number is its weight.
 */
export interface PopulationOptions {
  readonly hosts: number;
  /** The average. */
  readonly pagesPerHost: number;
  /** About the number of drawn hosts. */
  readonly drawn: number;
}

export interface Population {
  /** By number of a drawn host: its pages, and the number of hosts that it represents. The largest come first. */
  readonly pages: Float64Array;
  readonly weights: Float64Array;
  readonly hosts: number;
  /** Totals of all hosts. */
  readonly allPages: number;
}

/** These represent themselves: they have most of the work of single hosts, and politeness limits them first. */
const headsMax = 1_000;
/** Factor from the first rank of a stretch to the first rank of the next. */
const stretch = 1.25;
/** Hosts drawn from each stretch, if it has as many. */
const drawnPerStretchMin = 64;

export function drawPopulation({ hosts, pagesPerHost, drawn }: PopulationOptions): Population {
  const largest = largestFor(hosts, pagesPerHost);
  const pages: number[] = [];
  const weights: number[] = [];
  const add = (from: number, to: number, count: number) => {
    for (let i = 0; i < count; i++) {
      const rank = from + ((to - from) * (i + 0.5)) / count;
      pages.push(Math.max(1, Math.floor(largest / rank)));
      weights.push((to - from) / count);
    }
  };
  const heads = hosts <= drawn ? hosts : Math.min(hosts, headsMax);
  for (let rank = 1; rank <= heads; rank++) add(rank - 0.5, rank + 0.5, 1);
  const weightMax = hosts / drawn;
  for (let from = heads; from < hosts; ) {
    const to = Math.min(hosts, Math.ceil(stretch * from));
    add(from + 0.5, to + 0.5, Math.min(to - from, Math.max(drawnPerStretchMin, Math.ceil((to - from) / weightMax))));
    from = to;
  }
  const allPages = pages.reduce((sum, count, i) => sum + count * weights[i]!, 0);
  return { pages: Float64Array.from(pages), weights: Float64Array.from(weights), hosts, allPages };
}

/** Pages of the largest host, for the given average of pages per host. */
function largestFor(hosts: number, pagesPerHost: number): number {
  let [low, high] = [1, hosts * pagesPerHost];
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (pagesWith(middle, hosts) < hosts * pagesPerHost) low = middle;
    else high = middle;
  }
  return high;
}

/** The sum of max(1, largest / r) over all ranks: exact for the first, an integral for the rest. */
function pagesWith(largest: number, hosts: number): number {
  let sum = 0;
  const exact = Math.min(hosts, headsMax);
  for (let rank = 1; rank <= exact; rank++) sum += Math.max(1, largest / rank);
  const many = Math.min(hosts, Math.max(exact, largest));
  // A page is whole: between two ranks half a page is lost on average, and nothing where a host has one.
  return (
    sum + largest * Math.log(many / exact) - 0.5 * Math.max(0, Math.min(many, largest / 2) - exact) + (hosts - many)
  );
}
