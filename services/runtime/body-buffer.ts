/**
 * Collects one body in one growing buffer. So its memory depends on the number of bytes, and not on the size of the
 * chunks (kept chunks of one byte would cost 140 bytes of memory each).
 */
const firstBytes = 16 * 1024;

export class BodyBuffer {
  readonly #bytesMax: number;
  #bytes = Buffer.alloc(0);
  #length = 0;

  /** At most `bytesMax` bytes are kept. */
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

  /** The whole body; nothing may be added afterwards. */
  whole(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
