/**
 * The features of a text, from which its signatures are computed: its pairs of neighbouring words, each as a 64-bit
 * hash.
 *
 * Words are runs of letters and digits, in lower case. An ideograph or kana counts as a word, because those scripts
 * do not separate words. Pairs are used rather than words, because two pages with one vocabulary share words but not
 * their order. Hashes are keyed, so that authors of pages cannot choose their signatures.
 */
/** The halves of the hash of each feature, valid up to `count`. The arrays are reused for the next text. */
export interface Features {
  readonly count: number;
  readonly highs: Int32Array;
  readonly lows: Int32Array;
}

let highs = new Int32Array(4096);
let lows = new Int32Array(4096);

export function featuresOf(text: string, seed: number): Features {
  const lower = text.toLowerCase();
  const length = lower.length;
  // A feature takes at least one character and a separator; an ideograph needs no separator.
  if (length + 1 > highs.length) {
    highs = new Int32Array(2 * length + 1);
    lows = new Int32Array(2 * length + 1);
  }
  let count = 0;
  let before = 0;
  let word = seed;
  let inWord = false;
  for (let i = 0; i <= length; i++) {
    const code = i < length ? lower.charCodeAt(i) : 32;
    const kind = code < 128 ? ascii[code]! : kindOf(code);
    if (kind === letter) {
      word = Math.imul(word ^ code, 0x5bd1e995);
      word ^= word >>> 15;
      inWord = true;
      continue;
    }
    if (inWord) {
      if (before !== 0) put(count++, before, word);
      before = word | 1;
      word = seed;
      inWord = false;
    }
    if (kind === ideograph) {
      const alone = Math.imul(seed ^ code, 0x5bd1e995) | 1;
      if (before !== 0) put(count++, before, alone);
      before = alone;
    }
  }
  return { count, highs, lows };
}

let seenHighs = new Int32Array(8192);
let seenLows = new Int32Array(8192);

/** Each once, in the order of their first. */
export function distinctFeaturesOf(text: string, seed: number): Features {
  const { count } = featuresOf(text, seed);
  // Open addressing, at most half full; a feature with both halves 0 looks like a free place, and is left out.
  let size = 8192;
  while (size < 2 * count) size *= 2;
  if (seenHighs.length < size) {
    seenHighs = new Int32Array(size);
    seenLows = new Int32Array(size);
  } else {
    seenHighs.fill(0, 0, size);
    seenLows.fill(0, 0, size);
  }
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const high = highs[i]!;
    const low = lows[i]!;
    let slot = low & (size - 1);
    while ((seenHighs[slot] !== 0 || seenLows[slot] !== 0) && (seenHighs[slot] !== high || seenLows[slot] !== low))
      slot = (slot + 1) & (size - 1);
    if (seenHighs[slot] === high && seenLows[slot] === low) continue;
    seenHighs[slot] = high;
    seenLows[slot] = low;
    highs[kept] = high;
    lows[kept] = low;
    kept += 1;
  }
  return { count: kept, highs, lows };
}

/** Two murmur-like finalisers over the pair, for two halves that don't follow from each other. */
function put(at: number, first: number, second: number): void {
  let a = Math.imul(first ^ (first >>> 16), 0x85ebca6b) ^ second;
  a = Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  a ^= a >>> 16;
  let b = Math.imul(second ^ (second >>> 15), 0x2c1b3c6d) ^ first;
  b = Math.imul(b ^ (b >>> 12), 0x297a2d39);
  b ^= b >>> 15;
  highs[at] = a;
  lows[at] = Math.imul(b ^ a, 0x9e3779b1);
}

const space = 0;
const letter = 1;
const ideograph = 2;

const ascii = new Uint8Array(128);
for (let code = 48; code <= 57; code++) ascii[code] = letter;
for (let code = 97; code <= 122; code++) ascii[code] = letter;

function kindOf(code: number): number {
  // Latin-1's signs, general punctuation, CJK punctuation, and full-width signs part words.
  if (code < 0xc0) return code === 0xaa || code === 0xb5 || code === 0xba ? letter : space;
  if (code >= 0x2000 && code < 0x2c00) return space;
  if (code >= 0x3000 && code < 0x3040) return space;
  if (code >= 0x3040 && code < 0xa000) return ideograph;
  if (code >= 0xff00 && code < 0xff10) return space;
  return letter;
}
