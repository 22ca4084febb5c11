/** Bounds of one zstd stream: its frames and blocks cost work, and windows, whatever their size. */
export const zstdLimits = {
  /** Frames of a stream, skippable ones too: parallel compressors make one of some MiB, an attack one of nine bytes. */
  framesMax: 1_024,
  /** Blocks in all: servers that flush often make one of some hundred bytes. */
  blocksMax: 32_768,
  /** RFC 8878 §3.1.1.2.3. */
  blockBytesMax: 128 * 1024,
  /** Tries at the beginning of a frame that can't be undone whole. */
  beginningsTriedMax: 6,
} as const;
