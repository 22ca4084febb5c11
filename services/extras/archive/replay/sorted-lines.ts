/**
 * Sorted lines on a disk or in memory, read from any key on: found by binary search, so that an index of any length takes
 * no memory, and a search some twenty reads.
 */
import { open } from 'node:fs/promises';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { replayLimits } from './replay-limits.ts';

export interface LineSource {
  /** For messages. */
  readonly name: string;
  readonly bytes: number;
  /** Fewer at the end. */
  read(offset: number, length: number): Promise<Buffer>;
}

/** Calls `use` with the file, and closes the file afterwards. */
export async function* fromFile<T>(
  path: string,
  use: (source: LineSource) => AsyncGenerator<T>,
): AsyncGenerator<T, void, undefined> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    yield* use({
      name: path,
      bytes: size,
      async read(offset, length) {
        const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      },
    });
  } finally {
    await handle.close();
  }
}

export function fromMemory(name: string, lines: Buffer): LineSource {
  return { name, bytes: lines.length, read: async (offset, length) => lines.subarray(offset, offset + length) };
}

/** The lines that are not less than `key`, in the order of bytes (`LC_ALL=C sort`). */
export async function* linesFrom(source: LineSource, key: string): AsyncGenerator<string> {
  const wanted = Buffer.from(key);
  // Start of a line that is less than the key, or of the first line.
  let low = 0;
  let high = source.bytes;
  while (high - low > replayLimits.pieceBytes) {
    const middle = low + Math.floor((high - low) / 2);
    const start = await lineStartFrom(source, middle, high);
    if (start === null) high = middle;
    else if (Buffer.compare(await headAt(source, start, wanted.length), wanted) < 0) low = start;
    else high = middle;
  }
  for await (const line of linesAt(source, low)) if (Buffer.compare(line, wanted) >= 0) yield line.toString();
}

/** Start of the first line after `from`; null: none before `end`. */
async function lineStartFrom(source: LineSource, from: number, end: number): Promise<number | null> {
  for (let at = from; at < end; ) {
    const piece = await source.read(at, Math.min(replayLimits.pieceBytes, end - at));
    if (piece.length === 0) return null;
    const newline = piece.indexOf(0x0a);
    if (newline >= 0) return at + newline + 1 < end ? at + newline + 1 : null;
    at += piece.length;
  }
  return null;
}

/** The first bytes of a line, at most `bytes`. */
async function headAt(source: LineSource, start: number, bytes: number): Promise<Buffer> {
  const piece = await source.read(start, bytes);
  const newline = piece.indexOf(0x0a);
  return newline < 0 ? piece : piece.subarray(0, newline);
}

async function* linesAt(source: LineSource, start: number): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  for (let at = start; ; ) {
    const piece = await source.read(at, replayLimits.pieceBytes);
    at += piece.length;
    held = held.length === 0 ? piece : Buffer.concat([held, piece]);
    let begin = 0;
    for (let newline = held.indexOf(0x0a); newline >= 0; newline = held.indexOf(0x0a, begin)) {
      if (newline > begin) yield held.subarray(begin, newline);
      begin = newline + 1;
    }
    held = held.subarray(begin);
    if (held.length > replayLimits.lineBytesMax) {
      throw new CrawlstreamError(
        'INVALID_RECORD',
        `${source.name}: a line is longer than ${replayLimits.lineBytesMax} bytes`,
      );
    }
    if (piece.length === 0) break;
  }
  if (held.length > 0) yield held;
}

/** Pieces that are looked at. */
const samples = 16;

/**
 * True if the lines are in order, as far as samples show. A search in an unsorted file would find nothing, without an
 * error.
 */
export async function looksSorted(path: string): Promise<boolean> {
  for await (const sorted of fromFile(path, sampledOrder)) return sorted;
  return true;
}

async function* sampledOrder(source: LineSource): AsyncGenerator<boolean> {
  let firstBefore: Buffer = Buffer.alloc(0);
  for (let sample = 0; sample < samples; sample++) {
    const piece = await source.read(Math.floor((sample * source.bytes) / samples), replayLimits.pieceBytes);
    // The first line and the last may be cut. Samples of a short file overlap: their first lines are in order all the same.
    let before = firstBefore;
    const start = sample === 0 ? 0 : piece.indexOf(0x0a) + 1;
    for (let at = start, end = piece.indexOf(0x0a, at); end >= 0; at = end + 1, end = piece.indexOf(0x0a, at)) {
      const line = piece.subarray(at, end);
      if (Buffer.compare(line, before) < 0) return yield false;
      if (at === start) firstBefore = line;
      before = line;
    }
  }
  yield true;
}
