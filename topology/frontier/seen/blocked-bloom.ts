/**
 * Blocked Bloom filter over 64-bit fingerprints: "surely not there", or "probably there".
 *
 * All probes of one fingerprint fall into one block of 512 bits, a cache line (Putze, Sanders & Singler, "Cache-, hash-
 * and space-efficient Bloom filters", WEA 2007). 10 bits a fingerprint and 6 probes give 0.95 % false positives, where
 * an unblocked filter gives 0.84 %. The block is chosen by the top bits, in order: filling it from a sorted run walks
 * through memory from front to end.
 */

const wordsPerBlock = 16;
const probes = 6;

export class BlockedBloom {
  readonly #words: Uint32Array;
  readonly #blocks: number;

  constructor(bytes: number) {
    this.#blocks = Math.max(1, Math.floor(bytes / (4 * wordsPerBlock)));
    this.#words = new Uint32Array(this.#blocks * wordsPerBlock);
  }

  get bytes(): number {
    return this.#words.byteLength;
  }

  has(hi: number, lo: number): boolean {
    const words = this.#words;
    const block = wordsPerBlock * Math.floor(hi * this.#blocks * 2 ** -32);
    let bits = lo;
    for (let probe = 0; probe < probes; probe++) {
      // Nine bits a probe. The second three probes use the high word; only its top bits selected the block.
      if (probe === 3) bits = Math.imul(hi, 0x9e3779b1) ^ (lo >>> 27);
      if ((words[block + ((bits >>> 5) & 15)]! & (1 << (bits & 31))) === 0) return false;
      bits >>>= 9;
    }
    return true;
  }

  add(hi: number, lo: number): void {
    const words = this.#words;
    const block = wordsPerBlock * Math.floor(hi * this.#blocks * 2 ** -32);
    let bits = lo;
    for (let probe = 0; probe < probes; probe++) {
      if (probe === 3) bits = Math.imul(hi, 0x9e3779b1) ^ (lo >>> 27);
      words[block + ((bits >>> 5) & 15)]! |= 1 << (bits & 31);
      bits >>>= 9;
    }
  }
}

/**
 * Bytes of a filter that holds `urls` with at most this share of false positives: the classic optimum −n·ln p / ln² 2
 * bits for the probes made here, and a tenth more for the unevenness of blocks.
 */
export function bloomBytes(urls: number, falsePositives: number): number {
  // p = (1 − e^(−k·n/m))^k, solved for m with k probes.
  const bits = (-probes * urls) / Math.log(1 - falsePositives ** (1 / probes));
  return Math.ceil((1.1 * bits) / 8 / 64) * 64;
}
