/**
 * Randomness as a function: equal inputs give equal numbers, on every machine.
 *
 * All draws of the synthetic web come from here, keyed by the web's seed and by the subject, so that any page can be
 * generated alone, in any order.
 *
 * Source: the mixing steps of MurmurHash3 (Appleby, public domain); Mulberry32 for streams.
 */

/** 32 well-mixed bits of up to four integers. */
export function mix(seed: number, a: number, b = 0, c = 0): number {
  let h = round(round(round(seed | 0, a), b), c);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The same as a number in [0, 1). */
export function fraction(seed: number, a: number, b = 0, c = 0): number {
  return mix(seed, a, b, c) / 0x1_0000_0000;
}

/** An endless stream of 32-bit numbers. */
export function numbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
}

/** 0 … count−1 in a shuffled order (Fisher and Yates). */
export function shuffled(count: number, seed: number): number[] {
  const next = numbers(seed);
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = next() % (i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

function round(h: number, value: number): number {
  let k = Math.imul(value | 0, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  h ^= Math.imul(k, 0x1b873593);
  h = (h << 13) | (h >>> 19);
  return (Math.imul(h, 5) + 0xe6546b64) | 0;
}
