/** Writes two words of a hash over numbers, in their order. */
export function hashNumbers(numbers: readonly number[], words: Uint32Array): void {
  let [high, low] = [0x9e37_79b9, 0x85eb_ca6b];
  for (const number of numbers) {
    low = Math.imul(low ^ number, 0xcc9e_2d51);
    low ^= low >>> 15;
    high = Math.imul(high ^ low ^ (number + 0x7f4a_7c15), 0x1b87_3593);
    high ^= high >>> 13;
  }
  low = Math.imul(low ^ (low >>> 16), 0x85eb_ca6b);
  high = Math.imul(high ^ (high >>> 16), 0xc2b2_ae35);
  words[0] = (high ^ (high >>> 13)) >>> 0;
  words[1] = (low ^ (low >>> 13)) >>> 0;
}
