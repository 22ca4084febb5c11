/**
 * A hash of a changelog record, 53 bits: distinguishes a record from another at its offset in another history of the
 * log. It need not resist malice: a claim has 128 random bits in it, and a commit names its claim.
 *
 * For a long record, the hash covers its beginning, which holds a commit's header, and its length.
 */
const bytesMax = 1_024;

export function recordHash(bytes: Uint8Array): number {
  let [a, b] = [0x811c9dc5 ^ bytes.length, 0x9e3779b9 ^ bytes.length];
  const end = Math.min(bytes.length, bytesMax);
  for (let at = 0; at < end; at++) {
    const byte = bytes[at]!;
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b ^ byte, 0x85ebca6b);
    b ^= b >>> 13;
  }
  return (mixed(b) & 0x1f_ffff) * 2 ** 32 + mixed(a);
}

function mixed(word: number): number {
  let hash = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
