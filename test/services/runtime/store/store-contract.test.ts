import { join } from 'node:path';
import { createFaultStore } from '../../../../services/runtime/store/fault-store.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { createOverlayStore } from '../../../../services/runtime/store/overlay-store.ts';
import type { openRocksdbStore } from '../../../../services/runtime/store/rocksdb-store.ts';
import { storeContract } from '../../../contract/store-contract.ts';
import { storesOnDisk } from './stores-on-disk.ts';
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

const variants = storesOnDisk.flatMap(({ name, open }) => [
  { name, open },
  // Memtables that a handful of rows fill: most writes of the suite then meet a change of the log.
  { name: `${name} with tiny memtables`, open: tiny(open) },
]);

for (const { name, open } of variants) {
  storeContract(name, true, async () => {
    const folder = join(root, String(count++));
    let store = await open(folder);
    return {
      store,
      reopen: async () => {
        await store.close();
        store = await open(folder);
        return store;
      },
      close: () => store.close(),
    };
  });
}

function tiny(open: typeof openRocksdbStore): typeof openRocksdbStore {
  return (folder) => open(folder, { writeBufferBytes: 2_000 });
}
