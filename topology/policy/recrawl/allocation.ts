/**
 * The price of a visit at which visits use exactly the bandwidth: the Lagrange multiplier of "most freshness, at a
 * given number of visits a day".
 *
 * In the best allocation, one more visit would add the same weighted freshness to every visited page; that is the
 * price. Pages for which even the first visit adds less are given up: they change too fast to follow, and are visited
 * only every `maxDays` in case they have calmed down. The number of visits falls as the price rises, so a bisection
 * finds the price. Weights are Olston & Najork's importance ("Web crawling", FnTIR 4(3), 2010, §5); with equal
 * weights, this is Cho & Garcia-Molina's optimum (TODS 28(4), 2003, §4.3).
 */
import { daysBetween } from './freshness.ts';
import { type RateClasses, rateClasses, rateOfClass } from './rate-classes.ts';

export interface Bounds {
  /** Shortest and longest time between visits, days. */
  readonly minDays: number;
  readonly maxDays: number;
}

/** Days until the next visit of a page, within bounds. */
export function boundedDays(rate: number, weight: number, price: number, { minDays, maxDays }: Bounds): number {
  return Math.min(maxDays, Math.max(minDays, daysBetween(rate, weight, price)));
}

/**
 * Lowest exponent of the search. A price is a freshness per visit a day, so it is below the inverse of the slowest
 * rate; 2⁻⁴⁰ is close enough to zero.
 */
const lowest = -40;
const highest = 40;
const halvings = 40;

/** The price at which all pages together take `visitsPerDay`. 0: there is more than they could use. */
export function priceOfVisit(
  classes: RateClasses,
  weights: readonly number[],
  visitsPerDay: number,
  bounds: Bounds,
): number {
  const taken = compile(classes, weights, bounds);
  if (taken(0) <= visitsPerDay) return 0;
  let [low, high] = [lowest, highest];
  for (let i = 0; i < halvings; i++) {
    const middle = (low + high) / 2;
    if (taken(2 ** middle) > visitsPerDay) low = middle;
    else high = middle;
  }
  return 2 ** high;
}

/** Visits a day that all pages take at a price. */
function compile({ counts }: RateClasses, weights: readonly number[], bounds: Bounds): (price: number) => number {
  const used: { readonly pages: number; readonly rate: number; readonly weight: number }[] = [];
  for (const [number, pages] of counts.entries()) {
    if (pages === 0) continue;
    const weight = weights[Math.floor(number / rateClasses)]!;
    used.push({ pages, rate: rateOfClass(number % rateClasses), weight });
  }
  return (price) => {
    let visits = 0;
    for (const { pages, rate, weight } of used) visits += pages / boundedDays(rate, weight, price, bounds);
    return visits;
  };
}
