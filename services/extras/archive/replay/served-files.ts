/** The WARC files of an archive that is served, each with its index: beside it, or made in memory. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { indexOf } from '../merged-index.ts';
import { warcFilesAt } from '../warc-files.ts';
import type { IndexedFile } from './archive-index.ts';
import { indexOfFile } from './index-of-file.ts';
import { replayLimits } from './replay-limits.ts';
import { looksSorted } from './sorted-lines.ts';

/** `places`: files and folders. `onUnindexed`: called with each file that gets an index now. */
export async function servedFiles(
  places: readonly string[],
  onUnindexed: (file: string) => void,
): Promise<IndexedFile[]> {
  const paths = [...new Set((await Promise.all(places.map(warcFilesAt))).flat())].sort();
  const names = new Set<string>();
  for (const path of paths) {
    if (names.has(basename(path))) {
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `two files are named ${basename(path)}, but file names must be unique: rename one`,
      );
    }
    names.add(basename(path));
  }
  const files: IndexedFile[] = [];
  for (const path of paths) files.push(await indexed(path, onUnindexed));
  return files;
}

async function indexed(file: string, onUnindexed: (file: string) => void): Promise<IndexedFile> {
  const index = indexOf(file);
  if (existsSync(index)) {
    if (await looksSorted(index)) return { file };
    const remedy = `sort it, as in: LC_ALL=C sort -o ${index} ${index}`;
    throw new CrawlstreamError('INVALID_ARGUMENT', `${index} is not sorted by bytes: ${remedy}`);
  }
  const { size } = await stat(file);
  if (size > replayLimits.unindexedBytesMax) {
    const remedy = `create it, as in: cdxj-indexer --sort ${file} > ${index}`;
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `${file} has no index beside it, and is too large to index at start: ${remedy}`,
    );
  }
  onUnindexed(file);
  return { file, lines: await indexOfFile(file) };
}
