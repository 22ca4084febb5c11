/** Compresses the records of a batch together, and decompresses them. */
export interface BatchCodec {
  /** Throws UNSUPPORTED where this machine can't. */
  compress(bytes: Buffer): Uint8Array;
  /**
   * Never returns more than `bytesMax`: throws TooMuchInside where there is more, UNSUPPORTED where this machine cannot
   * decompress it, and otherwise an error that says what is wrong with the bytes.
   */
  decompress(bytes: Buffer, bytesMax: number): Buffer;
}

export class TooMuchInside extends Error {
  constructor(bytesMax: number) {
    super(`there is more in it than ${bytesMax / 2 ** 20} MiB`);
  }
}
