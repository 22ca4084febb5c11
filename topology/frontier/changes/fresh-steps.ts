/**
 * How long a page stays fresh by its own words (`max-age`), rounded up to one of seven steps: its record has three bits
 * for it.
 */
import { frontierLimits } from '../frontier-limits.ts';

const [minuteS, hourS, dayS] = [60, 3_600, 86_400];
const stepsS = [0, 10 * minuteS, hourS, 6 * hourS, dayS, 3 * dayS, 10 * dayS, frontierLimits.freshSMax] as const;

/** Returns the number of the first step that lasts for `seconds`; 0: none, the page is not fresh. */
export function freshStep(seconds: number): number {
  const step = stepsS.findIndex((stepS) => stepS >= seconds);
  return step < 0 ? stepsS.length - 1 : step;
}

/** Returns the length of a step, s. */
export function freshStepS(step: number): number {
  return stepsS[step] ?? 0;
}
