/** The WARC files that a user names, one by one or by their folder. */
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { indexOf } from './merged-index.ts';

/** Returns the complete WARC files of a folder; a file returns itself. Throws INVALID_ARGUMENT, naming the path. */
export async function warcFilesAt(path: string): Promise<string[]> {
  const there = await stat(path).catch((cause: Error) => {
    throw new CrawlstreamError('INVALID_ARGUMENT', `${path} cannot be read: ${cause.message}`, cause);
  });
  if (!there.isDirectory()) {
    if (/\.warc(\.gz)?$/.test(path)) return [path];
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `${path}: complete WARC files are named .warc or .warc.gz; one named .open is still being written, do not rename it`,
    );
  }
  const names = (await readdir(path)).filter((name) => /\.warc(\.gz)?$/.test(name)).sort();
  if (names.length > 0) return names.map((name) => join(path, name));
  const remedy = 'crawl with --with archive to write them; a file is complete when it is full or the crawl has ended';
  throw new CrawlstreamError('INVALID_ARGUMENT', `${path} has no complete WARC file: ${remedy}`);
}

/** Whole WARC files with their indexes, of paths of files and folders. */
export async function indexedFiles(given: readonly string[]): Promise<string[]> {
  const files = (await Promise.all(given.map(warcFilesAt))).flat();
  for (const file of files) {
    if (existsSync(indexOf(file))) continue;
    const remedy = `create it, as in: cdxj-indexer ${file} > ${indexOf(file)}`;
    throw new CrawlstreamError('INVALID_ARGUMENT', `${file} has no index ${indexOf(file)} beside it: ${remedy}`);
  }
  return files;
}
