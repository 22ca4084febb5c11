/** Bytes of a folder of RocksDB on disk. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openStateStore } from '../../../services/runtime/store/open-store.ts';

/** Once what its log still holds has become tables. */
export async function folderBytes(folder: string): Promise<number> {
  await (await openStateStore(folder)).close();
  return bytesNow(folder);
}

/** As it is, also while it is written to: a file that goes away meanwhile counts for nothing. */
export function bytesNow(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
