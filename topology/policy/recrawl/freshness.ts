/**
 * Freshness of a page that changes `rate` times a day (a Poisson process) and is visited every `days`: the share of
 * time in which its copy is up to date. Age: how many days, on average, the copy has been out of date.
 *
 * Source: Cho & Garcia-Molina, "Effective page refresh policies for web crawlers", ACM TODS 28(4), 2003, §3–4. Visits
 * at equal intervals are best. Freshness is (1 − e^(−r))/r, and one more visit a day adds (1 − e^(−r)(1 + r))/rate,
 * with r = rate · days.
 */

/** Share of time, 0 to 1. */
export function freshnessOf(rate: number, days: number): number {
  const r = rate * days;
  return r < 1e-9 ? 1 : -Math.expm1(-r) / r;
}

/** Expected age of the copy over the time between visits, days. */
export function ageOf(rate: number, days: number): number {
  const r = rate * days;
  if (r < 1e-4) return (days * r) / 6;
  return days * (0.5 - 1 / r - Math.expm1(-r) / (r * r));
}

/** Days between visits at which one more visit a day adds as much freshness, times `weight`, as it costs at `price`. */
export function daysBetween(rate: number, weight: number, price: number): number {
  const gain = (price * rate) / weight;
  if (gain >= 1) return Number.POSITIVE_INFINITY;
  if (gain <= 0) return 0;
  return visitRatio(gain) / rate;
}

const stepsMax = 30;

/** r with 1 − e^(−r)(1 + r) = gain. The curve bends at 1: from there, or from below by its first term, Newton is safe. */
function visitRatio(gain: number): number {
  let r = gain < 0.26 ? Math.sqrt(2 * gain) : 1;
  for (let step = 0; step < stepsMax; step++) {
    const decay = Math.exp(-r);
    const by = (gain - 1 + decay * (1 + r)) / (r * decay);
    r += by;
    if (Math.abs(by) < 1e-7 * r) break;
  }
  return r;
}
