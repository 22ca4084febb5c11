/**
 * A machine's disk: the state folders that its processes leave, one after another.
 *
 * Synced writes stay. A kill removes the newest unsynced writes, as a machine's crash does: a suffix, never a hole. A
 * folder belongs to one process at a time.
 */
import { createFaultStore, type FaultStore } from '../../services/runtime/store/fault-store.ts';
import { createMemoryStore } from '../../services/runtime/store/memory-store.ts';
import type { StateStore } from '../../services/runtime/store/store.ts';
import { CrawlstreamError } from '../../topology/errors.ts';
import type { SimProcess } from './process.ts';

/** Unsynced writes that a kill may take back. */
const loseMost = 3;

export interface Disk {
  open(process: SimProcess, folder: string): Promise<StateStore>;
  /** The process that had folders open has ended. */
  crash(): void;
  /** An outsider deletes a folder. */
  wipe(folder: string): void;
  /** Writes fail until then. */
  fullUntilMs: number;
  /** The state that the next process would find. */
  folders(): ReadonlyMap<string, StateStore>;
}

export function createDisk(nowMs: () => number): Disk {
  const folders = new Map<string, StateStore>();
  const open = new Map<string, FaultStore>();

  const disk: Disk = {
    fullUntilMs: 0,
    folders: () => folders,
    async open(process, folder) {
      await process.call(`opens ${folder}`, () => {});
      if (open.has(folder)) throw new Error(`${folder} is opened while it is open`);
      let inner = folders.get(folder);
      if (inner === undefined) folders.set(folder, (inner = createMemoryStore()));
      const store = createFaultStore(inner, { loseUnsynced: process.chance.between(0, loseMost) });
      open.set(folder, store);
      return portOf(process, store, disk, nowMs, () => open.delete(folder));
    },
    crash() {
      for (const store of open.values()) void store.crash();
      open.clear();
    },
    wipe: (folder) => void folders.delete(folder),
  };
  return disk;
}

function portOf(
  process: SimProcess,
  store: FaultStore,
  disk: Disk,
  nowMs: () => number,
  onClose: () => void,
): StateStore {
  /** Writes apply in the order they were issued. */
  let writes: Promise<unknown> = Promise.resolve();
  return {
    get: (key) => process.call('get', () => store.get(key)),
    getMany: (keys) => process.call('getMany', () => store.getMany(keys)),
    async *scan(range) {
      yield* await process.call('scan', async () => {
        const rows: (readonly [Buffer, Buffer])[] = [];
        for await (const row of store.scan(range)) rows.push(row);
        return rows;
      });
    },
    write(ops, options) {
      const write = () =>
        process.call('write', () => {
          if (nowMs() < disk.fullUntilMs) throw new CrawlstreamError('DISK_FULL', 'planned: no room');
          return store.write(ops, options);
        });
      const written = writes.then(write, write);
      writes = written;
      written.catch(() => {});
      return written;
    },
    // The inner store stays open: it stands for the folder, which outlives the process that opened it.
    close: () => process.call('close', onClose),
  };
}
