/** Bytes of a folder of RocksDB on disk. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openStateStore } from '../../../services/runtime/store/open-store.ts';

/** Measured after the contents of its log have become tables. */
export async function folderBytes(folder: string): Promise<number> {
  await (await openStateStore(folder)).close();
  return bytesNow(folder);
}

/** Measured as it is, even while it is written: a file that disappears meanwhile counts as zero. */
export function bytesNow(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
