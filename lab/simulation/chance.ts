/** Seeded chance: one stream per name, so that the draws of one part do not change those of others. */
import { mix, numbers } from '../web/random.ts';

export interface Chance {
  /** Whole, from `min` to `max`, both included. */
  between(min: number, max: number): number;
  /** True with probability `share`, 0 to 1. */
  happens(share: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** 32 bits. */
  readonly next: () => number;
}

export function chanceOf(seed: number, name: string): Chance {
  let nameHash = 0;
  for (let i = 0; i < name.length; i++) nameHash = mix(nameHash, name.charCodeAt(i));
  const next = numbers(mix(seed, nameHash));
  const below = (count: number) => Math.floor((next() / 2 ** 32) * count);
  return {
    next,
    between: (min, max) => min + below(max - min + 1),
    happens: (share) => next() / 2 ** 32 < share,
    pick: (from) => from[below(from.length)]!,
  };
}
