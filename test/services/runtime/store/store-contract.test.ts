import { join } from 'node:path';
import { createFaultStore } from '../../../../services/runtime/store/fault-store.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { createOverlayStore } from '../../../../services/runtime/store/overlay-store.ts';
import { openRocksdbStore } from '../../../../services/runtime/store/rocksdb-store.ts';
import { storeContract } from '../../../contract/store-contract.ts';
import { temporaryFolder } from './temporary-folder.ts';

const root = temporaryFolder();
let count = 0;

storeContract('memory', false, async () => {
  const store = createMemoryStore();
  return { store, close: () => store.close() };
});

storeContract('fault-injecting, with nothing planned', false, async () => {
  const store = createFaultStore(createMemoryStore(), { loseUnsynced: 3 });
  return { store, close: () => store.close() };
});

storeContract('overlay', false, async () => {
  const store = createOverlayStore(createMemoryStore());
  return { store, close: () => store.close() };
});

storeContract('RocksDB', true, async () => {
  const folder = join(root, String(count++));
  let store = await openRocksdbStore(folder);
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await openRocksdbStore(folder);
      return store;
    },
    close: () => store.close(),
  };
});
