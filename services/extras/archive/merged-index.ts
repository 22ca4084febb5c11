/** The indexes (CDXJ) beside WARC files, merged into one: sorted like each of them, a line at a time. */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { CrawlstreamError } from '../../../topology/errors.ts';

/** The index line of one response. */
export interface IndexLine {
  /** The line as it is in the index. */
  readonly text: string;
  readonly url: string;
  /** Media type in the index. Empty: unknown. */
  readonly mime: string;
  /** 14 digits, UTC. */
  readonly time: string;
  /** Path of the WARC file. */
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

interface Head {
  line: IndexLine;
  readonly rest: AsyncIterator<IndexLine>;
}

/**
 * Merges the indexes in the order of bytes, as `LC_ALL=C sort` does. `files`: paths of WARC files, each with its index
 * beside it.
 */
export async function* mergedIndex(files: readonly string[]): AsyncGenerator<IndexLine> {
  const heads: Head[] = [];
  for (const file of files) {
    const rest = linesOf(file)[Symbol.asyncIterator]();
    const { value, done } = await rest.next();
    if (!done) heads.push({ line: value, rest });
  }
  // The smallest line is last.
  const byText = (a: Head, b: Head) => (a.line.text < b.line.text ? 1 : a.line.text > b.line.text ? -1 : 0);
  heads.sort(byText);
  for (let head = heads.pop(); head !== undefined; head = heads.pop()) {
    yield head.line;
    const { value, done } = await head.rest.next();
    if (done) continue;
    head.line = value;
    let at = heads.length;
    while (at > 0 && byText(heads[at - 1]!, head) > 0) at -= 1;
    heads.splice(at, 0, head);
  }
}

export function indexOf(file: string): string {
  return file.replace(/\.warc(\.gz)?$/, '.cdxj');
}

async function* linesOf(file: string): AsyncGenerator<IndexLine> {
  const index = indexOf(file);
  const lines = createInterface({ input: createReadStream(index), crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  let before = '';
  for await (const text of lines) {
    number += 1;
    if (text === '' || text.startsWith('!')) continue;
    const line = read(text, file);
    if (line === null)
      throw new CrawlstreamError(
        'INVALID_RECORD',
        `${index}, line ${number}: not a CDXJ line of ${basename(file)}; recreate the index, as in cdxj-indexer ${file} > ${index}`,
      );
    if (text < before) {
      throw new CrawlstreamError(
        'INVALID_RECORD',
        `${index}, line ${number}: the index is not sorted; sort it with LC_ALL=C sort`,
      );
    }
    before = text;
    yield line;
  }
}

function read(text: string, file: string): IndexLine | null {
  const [, time, json] = /^\S+ (\d{14}) (\{.*\})$/.exec(text) ?? [];
  if (json === undefined) return null;
  try {
    const { url, mime, filename, offset, length } = JSON.parse(json) as Record<string, unknown>;
    const place = { offset: Number(offset), length: Number(length) };
    if (typeof url !== 'string' || filename !== basename(file)) return null;
    return Number.isSafeInteger(place.offset) && place.length > 0
      ? { text, url, mime: `${mime ?? ''}`, time: time!, file, ...place }
      : null;
  } catch {
    return null;
  }
}
