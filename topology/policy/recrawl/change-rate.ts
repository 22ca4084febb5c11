/**
 * Change rate of a page, in changes per day, from visits that show only whether it has changed.
 *
 * Changes are a Poisson process of rate λ, so a visit after t finds one with probability 1 − e^(−λt). For irregular
 * visits, the likeliest λ solves Σ t/(e^(λt) − 1) over visits with a change = Σ t over those without. This alone
 * overestimates: a page that changed at every visit would have an infinite rate. Cho & Garcia-Molina's correction for
 * regular visits, −log((unchanged + ½)/(visits + ½)), equals this equation with half a visit more without a change;
 * so the code adds half a visit, with the mean time between visits. A page that never changed counts as half a
 * change. Its rate falls with each visit but never becomes 0, because a page with rate 0 would never be visited
 * again.
 *
 * Source: Cho & Garcia-Molina, "Estimating frequency of change", ACM TOIT 3(3), 2003, §4.2 and §5.1. The list of
 * times before a change is replaced by two times with its mean and its spread: exact for regular visits.
 */
import type { PageHistory } from './history.ts';

export const daySeconds = 86_400;

/** Newton's method doubles its digits at each step, from a start that is close. */
const stepsMax = 12;
const precision = 1e-6;

/** null: no visit yet. */
export function changesPerDay(history: PageHistory): number | null {
  const { changes, unchanged } = history;
  const visits = changes + unchanged;
  if (visits === 0) return null;
  const meanS = (history.changedS + history.unchangedS) / visits;
  const sameS = history.unchangedS + meanS / 2;
  if (changes === 0) return (Math.log1p((0.5 * meanS) / sameS) / meanS) * daySeconds;
  const beforeS = history.changedS / changes;
  const spreadS = Math.sqrt(Math.max(0, history.changedSquares / changes - beforeS * beforeS));
  const shortS = Math.max(beforeS - spreadS, beforeS / 100);
  return solve(changes / 2, shortS, 2 * beforeS - shortS, sameS) * daySeconds;
}

/** λ with weight · (f(a) + f(b)) = sum, f(t) = t/(e^(λt) − 1). From a start below the root, steps never pass it. */
function solve(weight: number, a: number, b: number, sum: number): number {
  const mean = (a + b) / 2;
  let rate = Math.log1p((2 * weight * mean) / sum) / mean;
  for (let step = 0; step < stepsMax; step++) {
    const growA = Math.expm1(rate * a);
    const growB = Math.expm1(rate * b);
    const excess = weight * (a / growA + b / growB) - sum;
    const slope = weight * (slopeOf(a, growA) + slopeOf(b, growB));
    const by = excess / slope;
    rate += by;
    if (by < precision * rate) break;
  }
  return rate;
}

/** −df/dλ, with grow = e^(λt) − 1. It is past any number where grow is. */
function slopeOf(t: number, grow: number): number {
  return grow === Number.POSITIVE_INFINITY ? 0 : ((t * t) / grow) * (1 + 1 / grow);
}
