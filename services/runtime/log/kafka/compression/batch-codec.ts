/** Compresses the records of a batch together, and decompresses them. */
export interface BatchCodec {
  /** Throws UNSUPPORTED if this machine cannot. */
  compress(bytes: Buffer): Uint8Array;
  /**
   * Decompresses a batch. Throws TooMuchInside for more than `bytesMax`, UNSUPPORTED if this machine cannot
   * decompress it, and otherwise an error that describes the fault.
   */
  decompress(bytes: Buffer, bytesMax: number): Buffer;
}

export class TooMuchInside extends Error {
  constructor(bytesMax: number) {
    super(`there is more in it than ${bytesMax / 2 ** 20} MiB`);
  }
}
