/**
 * Searches every byte below a folder for marks, such as a line of a page's text or a URL. It reads plain files, the
 * content of gzip, the blocks of tables, and write-ahead logs, in which a batch may span several fragments.
 */
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createGunzip } from 'node:zlib';
import { tableBlocks } from '../../runtime/store/table-blocks.ts';

export interface FoundMark {
  /** Below the folder. */
  readonly file: string;
  readonly mark: string;
}

export interface MarksSearch {
  readonly files: number;
  readonly bytes: number;
  readonly found: readonly FoundMark[];
  /** Files that were searched as plain bytes only, because their compressed content could not be read. */
  readonly unread: readonly { readonly file: string; readonly why: string }[];
}

/** Receipts are skipped: they name the purged URLs. */
const leftOut = /^receipts\//;
/** Block size of a write-ahead log. Each fragment has a header, and ends within its block. */
const logBlockBytes = 32 * 1024;
const logHeadBytes = 7;

export async function findMarks(folder: string, marks: readonly string[]): Promise<MarksSearch> {
  const wanted = marks.map((mark) => ({ mark, bytes: Buffer.from(mark) }));
  const found: FoundMark[] = [];
  const unread: { file: string; why: string }[] = [];
  let [files, bytes] = [0, 0];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const file = relative(folder, path);
    if (leftOut.test(file)) continue;
    files += 1;
    const seen = new Set<string>();
    const look = (part: Buffer) => {
      for (const { mark, bytes: sought } of wanted) if (part.includes(sought)) seen.add(mark);
    };
    bytes += await lookInStream(createReadStream(path), wanted, look);
    try {
      await lookInside(path, wanted, look);
    } catch (error) {
      unread.push({ file, why: (error as Error).message });
    }
    found.push(...[...seen].map((mark) => ({ file, mark })));
  }
  return { files, bytes, found, unread };
}

type Wanted = readonly { readonly bytes: Buffer }[];

async function lookInside(path: string, wanted: Wanted, look: (part: Buffer) => void): Promise<void> {
  if (path.endsWith('.gz')) await lookInStream(createReadStream(path).pipe(createGunzip()), wanted, look);
  else if (/\.(sst|ldb)$/.test(path)) for (const block of tableBlocks(await readFile(path))) look(block);
  else if (/\.log$|MANIFEST-\d+$/.test(path)) look(fragmentsOf(await readFile(path)));
}

/** A mark may lie in two chunks. Returns how many bytes there were. */
async function lookInStream(
  stream: AsyncIterable<Buffer>,
  wanted: Wanted,
  look: (part: Buffer) => void,
): Promise<number> {
  const longest = Math.max(...wanted.map((one) => one.bytes.length));
  let before: Buffer = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    const part = Buffer.concat([before, chunk]);
    look(part);
    before = part.subarray(Math.max(0, part.length - longest + 1));
  }
  return bytes;
}

/** Joins the content of the fragments. */
function fragmentsOf(log: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at + logHeadBytes <= log.length; ) {
    const left = logBlockBytes - (at % logBlockBytes);
    const length = left < logHeadBytes ? 0 : log.readUInt16LE(at + 4);
    if (length === 0 || logHeadBytes + length > left) {
      at += left;
      continue;
    }
    parts.push(log.subarray(at + logHeadBytes, at + logHeadBytes + length));
    at += logHeadBytes + length;
  }
  return Buffer.concat(parts);
}
