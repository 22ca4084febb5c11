/**
 * Downloads an archive's whole files from an object store, so that records can be removed from them. A kill leaves some
 * of them here; the next archiver, or the next run, uploads them again under the same names.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { putFile } from '../../../runtime/disk/durable-names.ts';
import { makeFolders } from '../../../runtime/disk/make-folders.ts';
import type { ObjectStore } from '../../../runtime/objects/objects.ts';
import { indexOfBytes } from '../replay/index-of-file.ts';

const suffix = '.warc.gz';

/**
 * Downloads the files of an archive from its object store. `isOurs`: decides by a file's name, because the store may
 * hold other archives too. An index that the store lacks is made of its file. Returns the names of the downloaded
 * files, without ending.
 */
export async function bringBack(
  folder: string,
  objects: Pick<ObjectStore, 'get' | 'list' | 'place'>,
  isOurs: (name: string) => boolean,
): Promise<string[]> {
  await makeFolders(folder, { recursive: true });
  const there = (await objects.list('')).filter((name) => name.endsWith(suffix) && isOurs(name));
  const brought: string[] = [];
  for (const file of there) {
    const name = file.slice(0, -suffix.length);
    // A local file is as new, or newer: an interrupted run had rewritten it.
    if (existsSync(join(folder, file))) continue;
    const warc = await objects.get(file);
    // It was removed after the list was made.
    if (warc === undefined) continue;
    const index = (await objects.get(`${name}.cdxj`)) ?? indexOfBytes(warc, `${objects.place}/${file}`);
    // The index comes first, because a file counts as complete once it has its name.
    await putFile(join(folder, `${name}.cdxj`), index, { aside: '.part' });
    await putFile(join(folder, file), warc, { aside: '.part' });
    brought.push(name);
  }
  return brought;
}
