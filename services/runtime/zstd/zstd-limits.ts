/** Bounds of one zstd stream: its frames, blocks and windows cost work, whatever their size. */
export const zstdLimits = {
  /**
   * Frames of a stream, including skippable ones: parallel compressors make frames of some MiB, an attacker frames of
   * nine bytes.
   */
  framesMax: 1_024,
  /** Blocks in all: servers that flush often make blocks of some hundred bytes. */
  blocksMax: 32_768,
  /** RFC 8878 §3.1.1.2.3. */
  blockBytesMax: 128 * 1024,
  /** Attempts to decompress the beginning of a frame that is not complete. */
  beginningsTriedMax: 6,
} as const;
