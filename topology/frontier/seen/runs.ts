/**
 * Fingerprints in rows of the state store: the keys of blocks, their bytes, and the directory of a sorted run.
 *
 * A block is up to 8,192 fingerprints (64 KiB), each its high and its low word in the machine's order of bytes. Blocks of one list have the
 * list's id; every block but the last is full. A *run* is sorted, and its directory in memory says what each block begins
 * with: 8 bytes for 8,192 fingerprints.
 */
import { CrawlstreamError } from '../../errors.ts';

export const blockFingerprints = 8192;

export interface Run {
  readonly id: number;
  /** Fingerprints. */
  readonly count: number;
  /** First fingerprint of each block, as pairs. */
  readonly firsts: Uint32Array;
}

export function blocksOf(count: number): number {
  return Math.ceil(count / blockFingerprints);
}

/** Sorts after the manifest's key, by list and block. */
export function blockKey(list: number, block: number): Buffer {
  const key = Buffer.allocUnsafe(13);
  key[0] = 0x73;
  key.writeUIntBE(list, 1, 6);
  key.writeUIntBE(block, 7, 6);
  return key;
}

export function blockBytes(words: Uint32Array): Buffer {
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength);
}

/** The words of a block's row. Throws INVALID_RECORD if it is missing or torn. */
export function blockWords(bytes: Uint8Array | null | undefined): Uint32Array {
  if (bytes == null || bytes.length % 8 !== 0) {
    throw new CrawlstreamError(
      'INVALID_RECORD',
      'the state folder lacks fingerprints that it refers to: delete the folder; the next start rebuilds it from the changelog',
    );
  }
  if (bytes.byteOffset % 4 === 0) return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const copy = new Uint32Array(bytes.length / 4);
  new Uint8Array(copy.buffer).set(bytes);
  return copy;
}

/** Index of the block of a run that would hold a fingerprint; -1: it is below them all. Searches from `from` on. */
export function blockOf(run: Run, from: number, hi: number, lo: number): number {
  return lastAtOrBelow(run.firsts, Math.max(0, from), run.firsts.length / 2, hi, lo);
}

/** Index of the last pair at or below a fingerprint among the sorted pairs `from` to `to`; `from` − 1 if there is none. */
export function lastAtOrBelow(pairs: Uint32Array, from: number, to: number, hi: number, lo: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const middleHi = pairs[2 * middle]!;
    if (middleHi < hi || (middleHi === hi && pairs[2 * middle + 1]! <= lo)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
