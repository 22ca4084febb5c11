/**
 * SimHash: 64 bits of a text. A small change of the text changes few of the bits. Source: Charikar, "Similarity
 * estimation techniques from rounding algorithms" (STOC 2002); Manku, Jain & Das Sarma, "Detecting near-duplicates
 * for web crawling" (WWW 2007), the source of the threshold of 3 bits.
 *
 * Bit i of the signature is set if most features have it set. The counts of all 64 bits are kept in vertical
 * counters, where plane j holds bit j of every count, so a feature costs a few logical operations instead of 64
 * additions.
 */
import { contentLimits } from './content-limits.ts';
import { distinctFeaturesOf, featuresOf } from './features.ts';

export interface Simhash {
  readonly hi: number;
  readonly lo: number;
}

/** Planes of the counters: texts are cut long before they have 2^20 features. */
const planeCount = 20;
const planes = new Int32Array(planeCount);

/** Unsigned halves. Null: too little text to compare. */
export function simhash(text: string, seed: number): Simhash | null {
  const { count, highs, lows } = featuresOf(text, seed);
  if (count < contentLimits.featuresMin) return null;
  return { hi: majority(highs, count), lo: majority(lows, count) };
}

/** SimHash of the distinct pairs: repeated text counts once. */
export function simhashOfDistinct(text: string, seed: number): Simhash {
  const { count, highs, lows } = distinctFeaturesOf(text, seed);
  return { hi: majority(highs, count), lo: majority(lows, count) };
}

/**
 * The bits that are set in most words. Eight words at a time go through carry-save adders (Harley & Seal: Warren,
 * "Hacker's Delight", §5-1), so only every eighth carry reaches the higher planes.
 */
function majority(words: Int32Array, count: number): number {
  planes.fill(0);
  let [first, second, fourth] = [0, 0, 0];
  let i = 0;
  for (; i + 8 <= count; i += 8) {
    let mixed = first ^ words[i]!;
    const two1 = (first & words[i]!) | (mixed & words[i + 1]!);
    first = mixed ^ words[i + 1]!;
    mixed = first ^ words[i + 2]!;
    const two2 = (first & words[i + 2]!) | (mixed & words[i + 3]!);
    first = mixed ^ words[i + 3]!;
    mixed = second ^ two1;
    const four1 = (second & two1) | (mixed & two2);
    second = mixed ^ two2;
    mixed = first ^ words[i + 4]!;
    const two3 = (first & words[i + 4]!) | (mixed & words[i + 5]!);
    first = mixed ^ words[i + 5]!;
    mixed = first ^ words[i + 6]!;
    const two4 = (first & words[i + 6]!) | (mixed & words[i + 7]!);
    first = mixed ^ words[i + 7]!;
    mixed = second ^ two3;
    const four2 = (second & two3) | (mixed & two4);
    second = mixed ^ two4;
    mixed = fourth ^ four1;
    add((fourth & four1) | (mixed & four2), 3);
    fourth = mixed ^ four2;
  }
  add(first, 0);
  add(second, 1);
  add(fourth, 2);
  for (; i < count; i++) add(words[i]!, 0);
  return above(count >>> 1);
}

/** Adds a bit to each of 32 counts, at the weight of a plane. */
function add(carry: number, plane: number): void {
  for (; carry !== 0 && plane < planeCount; plane++) {
    const next = planes[plane]! & carry;
    planes[plane]! ^= carry;
    carry = next;
  }
}

/** The bits with counts above `bound`: all 32 counts are compared at once, from the highest plane down. */
function above(bound: number): number {
  let greater = 0;
  let equal = -1;
  for (let plane = planeCount - 1; plane >= 0; plane--) {
    const bits = planes[plane]!;
    if ((bound >>> plane) & 1) equal &= bits;
    else {
      greater |= equal & bits;
      equal &= ~bits;
    }
  }
  return greater >>> 0;
}

export function hamming(a: Simhash, b: Simhash): number {
  return ones(a.hi ^ b.hi) + ones(a.lo ^ b.lo);
}

/** Set bits of a 32-bit number. */
export function ones(bits: number): number {
  bits -= (bits >>> 1) & 0x55555555;
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
