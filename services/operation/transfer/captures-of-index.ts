/**
 * Captures as indexes of archives list them: Common Crawl's columnar index (Parquet files, in its own schema), and CDXJ, its own
 * among them. Source: github.com/commoncrawl/cc-index-table.
 */
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { KnownCapture } from '../../../topology/frontier/transfer/capture-line.ts';
import { readLines } from '../../runtime/lines/read-lines.ts';
import { readParquet } from '../../runtime/table/parquet-reader.ts';

const columns = ['url', 'fetch_time', 'fetch_status', 'content_digest'];

/** Throws INVALID_ARGUMENT and INVALID_RECORD, which name the file. */
export async function* capturesOfIndexes(paths: readonly string[]): AsyncGenerator<KnownCapture[]> {
  for (const path of paths)
    for (const file of await filesOf(path))
      yield* (await isParquet(file)) ? capturesOfTable(file) : capturesOfLines(file);
}

async function* capturesOfTable(file: string): AsyncGenerator<KnownCapture[]> {
  for await (const rows of readParquet(file, columns)) {
    yield rows.map(([url, at, status, digest]) => ({
      url: `${url ?? ''}`,
      atMs: Number(at ?? 0),
      status: Number(status ?? 0),
      digest: `${digest ?? ''}`,
      ...{ etag: '', lastModified: '' },
    }));
  }
}

async function* capturesOfLines(file: string): AsyncGenerator<KnownCapture[]> {
  let number = 0;
  for await (const lines of readLines(file)) {
    const captures: KnownCapture[] = [];
    for (const line of lines) {
      number += 1;
      if (line === '' || line.startsWith('!')) continue;
      captures.push(captureOf(line, `${file}, line ${number}`));
    }
    yield captures;
  }
}

function captureOf(line: string, place: string): KnownCapture {
  const [, time, json] = /^\S+ (\d{14}) (\{.*\})\s*$/.exec(line) ?? [];
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(time ?? '') ?? [];
  const atMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  try {
    const { url, status, digest } = JSON.parse(json ?? '') as Record<string, unknown>;
    if (typeof url === 'string' && !Number.isNaN(atMs)) {
      const named = `${digest ?? ''}`.replace(/^sha1:/, '');
      return { url, atMs, status: Number(status) || 0, digest: named, etag: '', lastModified: '' };
    }
  } catch {
    // It is said below.
  }
  throw new CrawlstreamError(
    'INVALID_RECORD',
    `${place}: this is no line of a CDXJ index; give an index in CDXJ or Parquet`,
  );
}

/** Returns the tables of a folder, without those of robots.txt files; a file returns itself. */
async function filesOf(path: string): Promise<string[]> {
  const there = await stat(path).catch((cause: Error) => {
    throw new CrawlstreamError('INVALID_ARGUMENT', `${path} cannot be read: ${cause.message}`, cause);
  });
  if (!there.isDirectory()) return [path];
  const names = ((await readdir(path, { recursive: true })) as string[])
    .filter((name) => /\.parquet$|\.cdxj(?:\.gz)?$/.test(name) && !name.includes('subset=robotstxt'))
    .sort();
  if (names.length > 0) return names.map((name) => join(path, name));
  throw new CrawlstreamError('INVALID_ARGUMENT', `${path} has no file that ends in .parquet, .cdxj or .cdxj.gz`);
}

async function isParquet(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString('latin1') === 'PAR1';
  } finally {
    await handle.close();
  }
}
