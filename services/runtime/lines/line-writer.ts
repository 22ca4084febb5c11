/**
 * Lines into a file, compressed where its name ends in `.gz`; `-` is standard output.
 *
 * The file appears under its name when it is whole (../disk/named-file.ts). Compressed in members of a megabyte each,
 * one after another, which every reader of gzip takes for one stream (RFC 1952 §2.2).
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { openNamedFile } from '../disk/named-file.ts';

const chunkChars = 2 ** 20;
const compress = promisify(gzip);

export interface LineWriter {
  /** Without the line's end. */
  write(line: string): void;
  /** Call now and then: written lines stay in memory until then. */
  flush(): Promise<void>;
  /** Moves the file to its final name. */
  finish(): Promise<void>;
  /** Call after a failure: the previous file stays. */
  abandon(): Promise<void>;
}

/** Throws INVALID_ARGUMENT if the file cannot be written, DISK_FULL if there is no room. */
export async function openLineWriter(name: string): Promise<LineWriter> {
  const file = await openNamedFile(name === '-' ? '/dev/stdout' : name);
  const isCompressed = name.endsWith('.gz');
  let text = '';
  const flush = async () => {
    const chunk = text;
    text = '';
    if (chunk !== '') await file.write(isCompressed ? await compress(chunk, { level: 3 }) : chunk);
  };
  return {
    write(line) {
      text += `${line}\n`;
    },
    flush: async () => {
      if (text.length >= chunkChars) await flush();
    },
    async finish() {
      await flush();
      await file.finish();
    },
    abandon: () => file.abandon(),
  };
}

/** Calls `act`, which writes lines into the file; null: no file was named. If `act` fails, the earlier file stays. */
export async function writingLines<T>(
  name: string | undefined,
  act: (lines: LineWriter | null) => Promise<T>,
): Promise<T> {
  if (name === undefined) return act(null);
  const lines = await openLineWriter(name);
  try {
    const result = await act(lines);
    await lines.finish();
    return result;
  } catch (error) {
    await lines.abandon();
    throw error;
  }
}
