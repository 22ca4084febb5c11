/**
 * MinHash: 128 numbers of a text; two texts agree in about as many of them as the share of features they have in common
 * (Jaccard). Source: Broder, "On the resemblance and containment of documents" (1997); one permutation for all of them,
 * empty bins filled from their neighbours: Li, Owen & Zhang (NIPS 2012), Shrivastava & Li (ICML 2014).
 *
 * 16 bits of each number are kept (Li & König, "b-bit minwise hashing", WWW 2010): unlike ones agree once in 65,536.
 */
import { contentLimits } from '../../content/content-limits.ts';
import { featuresOf } from '../../content/features.ts';

export const slots = 128;
export type Minhash = Uint16Array;

const empty = 0xffffffff;
const least = new Uint32Array(slots);

/** Null: too little text to compare. */
export function minhash(text: string, seed: number): Minhash | null {
  const { count, highs, lows } = featuresOf(text, seed);
  if (count < contentLimits.featuresMin) return null;
  least.fill(empty);
  for (let i = 0; i < count; i++) {
    const slot = lows[i]! >>> 25;
    const value = highs[i]! >>> 0;
    if (value < least[slot]!) least[slot] = value;
  }
  const signature = new Uint16Array(slots);
  for (let slot = 0; slot < slots; slot++) {
    let from = slot;
    while (least[from] === empty) from = (from + 1) % slots;
    // A borrowed number is marked by its distance, so that two empty bins agree only if both borrowed from as far.
    const borrowed = Math.imul((from - slot + slots) % slots, 0x9e3779b1);
    const value = least[from]! ^ borrowed;
    signature[slot] = value ^ (value >>> 16);
  }
  return signature;
}

/** Estimated Jaccard similarity, 0 to 1. */
export function resemblance(a: ArrayLike<number>, aFrom: number, b: ArrayLike<number>, bFrom: number): number {
  let equal = 0;
  for (let slot = 0; slot < slots; slot++) if (a[aFrom + slot] === b[bFrom + slot]) equal += 1;
  return equal / slots;
}
