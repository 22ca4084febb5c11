/** Targets with mistakes that a fuzzer has to find: behind conditions, in time, in memory. */
import type { Target } from './targets.ts';

const seeds = [Buffer.from('honest')];

export const targets: Readonly<Record<string, Target>> = {
  sound: { seeds, run: () => {} },
  nested: {
    seeds,
    run(input) {
      if (input[0] === 0x62) if (input[1] === 0x75) if (input[2] === 0x67) throw new TypeError('found');
    },
  },
  slow: {
    seeds,
    words: ['aaaaaaaa'],
    run(input) {
      const untilMs = performance.now() + 400;
      while (input.length > 500 && performance.now() < untilMs);
    },
  },
  endless: {
    seeds,
    run(input) {
      while (input[0] === 0x78);
    },
  },
  greedy: {
    seeds,
    run(input) {
      const kept: number[][] = [];
      while (input[0] === 0x79) kept.push(new Array(100_000).fill(kept.length));
    },
  },
};
