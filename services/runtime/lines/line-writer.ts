/**
 * Lines into a file, compressed where its name ends in `.gz`; `-` is standard output.
 *
 * The file appears under its name when it is whole: until then it is NAME.new. Compressed in members of a megabyte each,
 * one after another, which every reader of gzip takes for one stream (RFC 1952 §2.2).
 */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { renameWritten } from '../disk/durable-names.ts';

const chunkChars = 2 ** 20;
const compress = promisify(gzip);

export interface LineWriter {
  /** Without the line's end. */
  write(line: string): void;
  /** To be awaited now and then: what was written is in memory until then. */
  flush(): Promise<void>;
  /** Puts the file in its place. */
  finish(): Promise<void>;
  /** Leaves what there is under NAME.new. */
  abandon(): Promise<void>;
}

/** Throws INVALID_ARGUMENT where the file can't be written, DISK_FULL where there is no room. */
export async function openLineWriter(name: string): Promise<LineWriter> {
  if ((await stat(name).catch(() => undefined))?.isDirectory()) {
    throw new CrawlstreamError('INVALID_ARGUMENT', `${name} can't be written: it is a folder; name another file`);
  }
  const file = name === '-' ? undefined : await guard(name, () => open(`${name}.new`, 'w'));
  const isCompressed = name.endsWith('.gz');
  let text = '';
  const flush = async () => {
    const chunk = text;
    text = '';
    if (chunk === '') return;
    await guard(name, async () => put(file, isCompressed ? await compress(chunk, { level: 3 }) : Buffer.from(chunk)));
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
      if (file === undefined) return;
      await guard(name, async () => {
        await file.sync();
        await file.close();
        await renameWritten(`${name}.new`, name);
      });
    },
    async abandon() {
      await file?.close().catch(() => {});
    },
  };
}

async function put(file: FileHandle | undefined, bytes: Buffer): Promise<void> {
  if (file !== undefined) return file.writeFile(bytes);
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

async function guard<T>(name: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new CrawlstreamError('DISK_FULL', `the disk holding ${name} is full: make room, then run it again`, error);
    }
    throw new CrawlstreamError('INVALID_ARGUMENT', `${name} can't be written: ${message}; name another file`, error);
  }
}
