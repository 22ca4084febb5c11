/** The stores on disk that this machine can run, for suites that hold for each of them. */
import { openLevelStore } from '../../../../services/runtime/store/level-store.ts';
import type { StoreName } from '../../../../services/runtime/store/open-store.ts';
import { rocksdbLoads } from '../../../../services/runtime/store/rocksdb-binding.ts';
import { openRocksdbStore } from '../../../../services/runtime/store/rocksdb-store.ts';

export interface StoreOnDisk {
  readonly name: StoreName;
  readonly open: typeof openRocksdbStore;
}

export const storesOnDisk: readonly StoreOnDisk[] = [
  ...(rocksdbLoads() ? [{ name: 'rocksdb', open: openRocksdbStore } as const] : []),
  { name: 'classic-level', open: openLevelStore },
];
