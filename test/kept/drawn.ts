/** Draws from a seed, for inputs that are the same at each run. */
import { numbers } from '../../lab/web/random.ts';

export interface Draw {
  below(count: number): number;
  of<T>(choices: readonly T[]): T;
  percent(chance: number): boolean;
  /** So many, drawn one by one. */
  list<T>(count: number, one: () => T): T[];
  readonly next: () => number;
}

export function drawFrom(seed: number): Draw {
  const next = numbers(seed);
  const below = (count: number) => next() % count;
  return {
    below,
    of: (choices) => choices[below(choices.length)]!,
    percent: (chance) => below(100) < chance,
    list: (count, one) => Array.from({ length: count }, one),
    next,
  };
}

/** As many cases as there are seeds: `seed 0` … */
export function bySeed(seeds: number, played: (draw: Draw) => Iterable<unknown>): Map<string, Iterable<unknown>> {
  return new Map(Array.from({ length: seeds }, (_, seed) => [`seed ${seed}`, played(drawFrom(seed + 1))] as const));
}
