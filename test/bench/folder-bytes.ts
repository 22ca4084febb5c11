/** Bytes of a folder of RocksDB on disk, once what its log still holds has become tables. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openRocksdbStore } from '../../services/runtime/store/rocksdb-store.ts';

export async function folderBytes(folder: string): Promise<number> {
  await (await openRocksdbStore(folder)).close();
  let bytes = 0;
  for (const name of await readdir(folder)) bytes += (await stat(join(folder, name))).size;
  return bytes;
}
