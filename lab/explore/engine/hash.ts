/**
 * Hashes of a state and of its parts. They depend on content alone, not on the order in which parts were first met: so an
 * exploration that is taken up later gives each state the hash that it had.
 */

const [firstHigh, firstLow] = [0x9e37_79b9, 0x85eb_ca6b];
const wordSize = 0x1_0000_0000;

/** Writes two words of a hash over whole numbers below 2^53, in their order. */
export function hashNumbers(numbers: readonly number[], words: Uint32Array): void {
  let [high, low] = [firstHigh, firstLow];
  for (const number of numbers) {
    low = Math.imul(low ^ number, 0xcc9e_2d51);
    low ^= low >>> 15;
    high = Math.imul(high ^ low ^ (number / wordSize + 0x7f4a_7c15), 0x1b87_3593);
    high ^= high >>> 13;
  }
  writeMixed(high, low, words);
}

const textWords = new Uint32Array(2);

/** A number below 2^53 for a text. That two of a million texts share one has a probability of 6·10⁻⁵. */
export function hashText(text: string): number {
  let [high, low] = [firstHigh ^ text.length, firstLow];
  for (let at = 0; at < text.length; at++) {
    low = Math.imul(low ^ text.charCodeAt(at), 0xcc9e_2d51);
    low ^= low >>> 15;
    high = Math.imul(high ^ low, 0x1b87_3593);
    high ^= high >>> 13;
  }
  writeMixed(high, low, textWords);
  return (textWords[0]! & 0x1f_ffff) * wordSize + textWords[1]!;
}

function writeMixed(givenHigh: number, givenLow: number, words: Uint32Array): void {
  const low = Math.imul(givenLow ^ (givenLow >>> 16), 0x85eb_ca6b);
  const high = Math.imul(givenHigh ^ (givenHigh >>> 16), 0xc2b2_ae35);
  words[0] = (high ^ (high >>> 13)) >>> 0;
  words[1] = (low ^ (low >>> 13)) >>> 0;
}
