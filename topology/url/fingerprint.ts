/**
 * 64-bit keyed fingerprint of a string, for the exact seen test.
 *
 * HalfSipHash-1-3 with 64 bits of key and of output: the 32-bit member of SipHash (Aumasson & Bernstein, INDOCRYPT
 * 2012; reference code github.com/veorq/SipHash), in the reduced rounds that the Linux kernel uses for its tables. A
 * keyed function, because authors of links must not be able to make collisions: murmur-like hashes have inputs that
 * collide under every seed, which would make pages look as if they had been seen.
 *
 * A string of Latin-1 characters (every normal URL) hashes as those bytes. Any other hashes as its UTF-16 code units,
 * little-endian, from a different start state, so that the two kinds never coincide by construction.
 *
 * Cost: no allocation. `fingerprintVersion` is in the manifest: stored fingerprints are compared for a crawl's life.
 */
export const fingerprintVersion = 1;

/** Makes the hash of a UTF-16 text differ from that of the same bytes in Latin-1. */
const wideMark = 0x5a;

/** Writes two words into `out[0]` and `out[1]`. */
export function fingerprint(text: string, keyHi: number, keyLo: number, out: Uint32Array): void {
  if (!latin1(text, keyHi, keyLo, out)) utf16(text, keyHi, keyLo, out);
}

/**
 * Hashes a Latin-1 text. Returns false, and writes nothing, if a character is not Latin-1. The round is written
 * inline so that its state stays in local variables.
 */
function latin1(text: string, keyHi: number, keyLo: number, out: Uint32Array): boolean {
  let v0 = keyLo | 0;
  let v1 = keyHi ^ 0xee;
  let v2 = keyLo ^ 0x6c796765;
  let v3 = keyHi ^ 0x74656462;
  const length = text.length;
  const whole = length - (length & 3);
  let seen = 0;
  for (let at = 0; at <= whole; at += 4) {
    let word: number;
    if (at < whole) {
      const a = text.charCodeAt(at);
      const b = text.charCodeAt(at + 1);
      const c = text.charCodeAt(at + 2);
      const d = text.charCodeAt(at + 3);
      seen |= a | b | c | d;
      word = a | (b << 8) | (c << 16) | (d << 24);
    } else {
      word = length << 24;
      for (let i = at; i < length; i++) {
        const code = text.charCodeAt(i);
        seen |= code;
        word |= code << ((i - at) << 3);
      }
    }
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  if (seen > 0xff) return false;
  finish(v0, v1, v2, v3, out);
  return true;
}

function utf16(text: string, keyHi: number, keyLo: number, out: Uint32Array): void {
  let v0 = keyLo | 0;
  let v1 = keyHi ^ 0xee;
  let v2 = keyLo ^ 0x6c796765 ^ wideMark;
  let v3 = keyHi ^ 0x74656462;
  const length = text.length;
  const whole = length - (length & 1);
  for (let at = 0; at <= whole; at += 2) {
    const low = at < length ? text.charCodeAt(at) : 0;
    const word = at < whole ? low | (text.charCodeAt(at + 1) << 16) : low | (length << 25);
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  finish(v0, v1, v2, v3, out);
}

function finish(v0: number, v1: number, v2: number, v3: number, out: Uint32Array): void {
  v2 ^= 0xee;
  for (let round = 0; round < 6; round++) {
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    if (round === 2) {
      out[0] = v1 ^ v3;
      v1 ^= 0xdd;
    }
  }
  out[1] = v1 ^ v3;
}
