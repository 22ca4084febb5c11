/**
 * The partition of a key: murmur2 as in Apache Kafka's Java client (`Utils.murmur2`, seed 0x9747b28c), so that the
 * default partitioner of any client co-partitions with this one. Source of the hash: Appleby, MurmurHash2 (public
 * domain).
 */
const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;

/** A signed 32-bit integer, as Java returns it. */
export function murmur2(bytes: Uint8Array, length: number = bytes.length): number {
  let hash = seed ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    let word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    word = Math.imul(word, multiplier);
    word ^= word >>> 24;
    hash = Math.imul(hash, multiplier) ^ Math.imul(word, multiplier);
  }
  const left = length - at;
  if (left > 0) {
    if (left === 3) hash ^= bytes[at + 2]! << 16;
    if (left >= 2) hash ^= bytes[at + 1]! << 8;
    hash = Math.imul(hash ^ bytes[at]!, multiplier);
  }
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
}

/** Scratch for keys in ASCII, which host keys are: no allocation per call. Longer ones take the encoder. */
const scratch = new Uint8Array(512);
const encoder = new TextEncoder();

/** `toPositive(murmur2(key)) % partitions`, on the key's UTF-8 bytes. */
export function partitionOf(key: string, partitions: number): number {
  return (hashOf(key) & 0x7fffffff) % partitions;
}

function hashOf(key: string): number {
  const length = key.length;
  if (length > scratch.length) return murmur2(encoder.encode(key));
  for (let at = 0; at < length; at++) {
    const code = key.charCodeAt(at);
    if (code > 127) return murmur2(encoder.encode(key));
    scratch[at] = code;
  }
  return murmur2(scratch, length);
}
