import { join } from 'node:path';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { logContract } from '../../../contract/log-contract.ts';
import { storesOnDisk } from '../store/stores-on-disk.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const clock = new SystemClock();
const root = temporaryFolder();
const embedded = { dense: true, trim: true, atomic: true };
let count = 0;

for (const tailBytes of [1 << 20, 1000, 0]) {
  logContract(`embedded, in memory, tail of ${tailBytes} bytes`, embedded, async () => {
    const store = createMemoryStore();
    let log = await openEmbeddedLog(store, clock, { tailBytes });
    return {
      log,
      reopen: async () => {
        await log.close();
        log = await openEmbeddedLog(store, clock, { tailBytes });
        return log;
      },
      close: () => log.close(),
    };
  });
}

for (const { name, open } of storesOnDisk) {
  logContract(`embedded, on ${name}`, embedded, async () => {
    const folder = join(root, String(count++));
    let store = await open(folder);
    let log = await openEmbeddedLog(store, clock);
    const close = async () => {
      await log.close();
      await store.close();
    };
    return {
      log,
      reopen: async () => {
        await close();
        store = await open(folder);
        log = await openEmbeddedLog(store, clock);
        return log;
      },
      close,
    };
  });
}
