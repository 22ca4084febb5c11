/** What compresses the records of a batch as one, and undoes it. */
export interface BatchCodec {
  /** Throws UNSUPPORTED where this machine can't. */
  compress(bytes: Buffer): Uint8Array;
  /**
   * Never gives more than `bytesMax`: throws TooMuchInside where there is more. What else it throws says what is wrong
   * with the bytes; UNSUPPORTED, that this machine can't.
   */
  decompress(bytes: Buffer, bytesMax: number): Buffer;
}

export class TooMuchInside extends Error {
  constructor(bytesMax: number) {
    super(`there is more in it than ${bytesMax / 2 ** 20} MiB`);
  }
}
