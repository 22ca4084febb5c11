/** The index beside a WARC file, line by line. If it is missing, the index is made of the file. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../../../runtime/disk/disk.ts';
import { indexOfFile } from '../replay/index-of-file.ts';

/** `name`: of the file, without ending. */
export async function indexLines(folder: string, name: string): Promise<string[]> {
  const beside = await unlessMissing(readFile(join(folder, `${name}.cdxj`), 'utf8'));
  const text = beside ?? `${await indexOfFile(join(folder, `${name}.warc.gz`))}`;
  return text.split('\n').filter((line) => line !== '');
}
