/**
 * One body as it comes: one buffer that grows, so that what it takes follows from its bytes, not from how a server cuts
 * them (a byte to a chunk costs 140 bytes of memory for each, where the chunks are kept).
 */
const firstBytes = 16 * 1024;

export class BodyBuffer {
  readonly #bytesMax: number;
  #bytes = Buffer.alloc(0);
  #length = 0;

  /** More than `bytesMax` are never added. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get length(): number {
    return this.#length;
  }

  /** Bytes of memory that it takes. */
  get capacity(): number {
    return this.#bytes.length;
  }

  add(chunk: Buffer): void {
    const wanted = this.#length + chunk.length;
    if (wanted > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(
        Math.max(wanted, Math.min(this.#bytesMax, Math.max(2 * this.#bytes.length, firstBytes))),
      );
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    chunk.copy(this.#bytes, this.#length);
    this.#length = wanted;
  }

  /** What came; nothing may be added after. */
  whole(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
