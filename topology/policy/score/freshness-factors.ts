/** Whether refetching a page would find something new. Each factor is a share from 0 to 1, or null if unknown. */
import { passed, saturation, share } from './curves.ts';
import type { FreshnessInputs } from './inputs.ts';
import type { Scales } from './score-config.ts';

/** The odds that a page with the scale's rate has changed since, changes being a Poisson process (Cho & Garcia-Molina). */
export function timeSince({ ageMs }: FreshnessInputs, scales: Scales): number | null {
  return ageMs === null ? null : passed(ageMs, scales.ageMs);
}

export function changeRate({ changesPerDay }: FreshnessInputs, { changesPerDayHalf }: Scales): number | null {
  return changesPerDay === null ? null : saturation(changesPerDay, changesPerDayHalf);
}

/** Probability that a fetch finds a change, whatever the time between visits. */
export function volatility({ changedShare }: FreshnessInputs): number | null {
  return changedShare === null ? null : share(changedShare);
}
