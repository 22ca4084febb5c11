/** The curves that turn counts and times into shares, each from 0 to 1 and monotone. */

/** 0 at 0, one half at `half`, and towards 1: each further unit of a good thing is worth less. */
export function saturation(value: number, half: number): number {
  return value <= 0 ? 0 : value / (value + half);
}

/** 0 at 0, 1 from `most` on, equal steps for equal ratios in between: for counts spread over decades, as in-links are. */
export function logShare(value: number, most: number): number {
  return value <= 0 ? 0 : Math.min(1, Math.log1p(value) / Math.log1p(most));
}

/** 0 at first, towards 1 as `value` passes several `scale`s: the probability that something has happened. */
export function passed(value: number, scale: number): number {
  return value <= 0 ? 0 : 1 - Math.exp(-value / scale);
}

/** Limits a value to [0, 1]; NaN counts as 0. */
export function share(value: number): number {
  return value > 0 ? Math.min(1, value) : 0;
}
