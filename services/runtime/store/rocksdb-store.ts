/**
 * The state store on RocksDB.
 *
 * One `write` is one RocksDB batch, so it is atomic. The native module kills the process when it is called after
 * close; here a flag and a count of calls under way stand between. Scans see the snapshot taken at their first step.
 */
import { mkdir } from 'node:fs/promises';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { storeLimits } from '../../../topology/limits.ts';
import { openBesideWriter } from './open-beside-writer.ts';
import {
  type Callback,
  type DbContext,
  loadRocksdb,
  type OpenOptions,
  type RocksdbBinding,
} from './rocksdb-binding.ts';
import type { ScanRange, StateStore, StoreOp } from './store.ts';
import { storeClosed, storeError } from './store-errors.ts';

export interface RocksdbOptions {
  /**
   * Opens the folder as it stands, also beside a process that is writing it, without its lock: what was written until
   * now is seen, what comes later is not. Writes throw UNSUPPORTED. Default false.
   */
  readonly readOnly?: boolean;
  /** Bytes of one memtable. Default 64 MiB: fewer, larger table files; 4 MB, RocksDB's own, is too small for a crawl. */
  readonly writeBufferBytes?: number;
  /** Bytes of the cache of blocks. Default 32 MiB. */
  readonly cacheBytes?: number;
  /** Snappy. Default true. */
  readonly compression?: boolean;
}

/** Throws DATA_FOLDER_LOCKED, DISK_FULL, STORE_UNSUPPORTED or STORE_FAILED, each naming the folder. */
export async function openRocksdbStore(folder: string, options: RocksdbOptions = {}): Promise<StateStore> {
  const binding = loadRocksdb();
  const readOnly = options.readOnly ?? false;
  const openOptions: OpenOptions = {
    createIfMissing: !readOnly,
    readOnly,
    compression: options.compression ?? true,
    cacheSize: options.cacheBytes ?? 32 << 20,
    writeBufferSize: options.writeBufferBytes ?? 64 << 20,
    blockSize: 16 << 10,
    // A reader beside a writer opens every table file at once: the writer may delete them at any moment.
    maxOpenFiles: readOnly ? 2 ** 32 - 1 : storeLimits.openFilesMax,
  };
  try {
    if (readOnly) return createStore(binding, await openBesideWriter(binding, folder, openOptions), folder, true);
    await mkdir(folder, { recursive: true });
    const db = binding.db_init();
    await new Promise<void>((resolve, reject) => {
      binding.db_open(db, folder, openOptions, (error) => (error ? reject(error) : resolve()));
    });
    return createStore(binding, db, folder, false);
  } catch (error) {
    throw error instanceof CrawlstreamError ? error : storeError(error as Error, folder);
  }
}

function createStore(binding: RocksdbBinding, db: DbContext, folder: string, readOnly: boolean): StateStore {
  let isOpen = true;
  let underWay = 0;
  let closing: Promise<void> | undefined;
  let onIdle: (() => void) | undefined;
  const scans = new Set<() => Promise<void>>();
  /** The first is being written. One at a time: the threads behind the binding would let them overtake each other. */
  const waitingWrites: (() => void)[] = [];

  const settle = () => {
    if (--underWay === 0) onIdle?.();
  };

  const call = <T>(start: (done: Callback<T>) => void): Promise<T> => {
    if (!isOpen) return Promise.reject(storeClosed());
    return new Promise((resolve, reject) => {
      start((error, value) => {
        settle();
        if (error) reject(storeError(error, folder));
        else resolve(value as T);
      });
      underWay++;
    });
  };

  const getMany = (keys: readonly Uint8Array[]) =>
    call<(Buffer | undefined)[]>((done) => binding.db_get_many(db, keys, { asBuffer: true, fillCache: true }, done));

  async function* scan(range: ScanRange): AsyncGenerator<readonly [Buffer, Buffer]> {
    if (!isOpen) throw storeClosed();
    const limit = range.limit ?? -1;
    if (limit === 0 || Buffer.compare(range.gte, range.lt) >= 0) return;
    const iterator = binding.iterator_init(db, {
      gte: asBuffer(range.gte),
      lt: asBuffer(range.lt),
      reverse: range.reverse ?? false,
      limit,
      keyAsBuffer: true,
      valueAsBuffer: true,
      highWaterMark: storeLimits.scanChunkBytes,
    });
    let ended: Promise<void> | undefined;
    const end = () => (ended ??= new Promise<void>((resolve) => binding.iterator_end(iterator, () => resolve())));
    scans.add(end);
    try {
      for (let given = 0, finished = false; !finished && given !== limit; ) {
        const rows = await call<Buffer[]>((done) =>
          binding.iterator_next(iterator, (error, chunk, last) => {
            finished = last;
            done(error, chunk);
          }),
        );
        for (let i = rows.length - 1; i > 0; i -= 2, given++) {
          yield [rows[i] as Buffer, rows[i - 1] as Buffer];
          if (!isOpen) throw storeClosed();
        }
      }
    } finally {
      await end();
      scans.delete(end);
    }
  }

  const write = (ops: readonly StoreOp[], options?: { readonly sync?: boolean }): Promise<void> => {
    if (readOnly)
      return Promise.reject(new CrawlstreamError('UNSUPPORTED', `the store in ${folder} is open read-only`));
    if (ops.length === 0) return isOpen ? Promise.resolve() : Promise.reject(storeClosed());
    const rows = inKeyOrder(ops);
    return call<void>((done) => {
      const start = () =>
        writeBatch(binding, db, rows, options?.sync ?? false, (error) => {
          done(error);
          waitingWrites.shift();
          waitingWrites[0]?.();
        });
      if (waitingWrites.push(start) === 1) start();
    });
  };

  const close = () => {
    isOpen = false;
    closing ??= (async () => {
      if (underWay > 0) await new Promise<void>((resolve) => (onIdle = resolve));
      await Promise.all([...scans].map((end) => end()));
      await new Promise<void>((resolve, reject) => {
        binding.db_close(db, (error) => (error ? reject(storeError(error, folder)) : resolve()));
      });
    })();
    return closing;
  };

  return { get: async (key) => (await getMany([key]))[0], getMany, scan, write, close };
}

function writeBatch(
  binding: RocksdbBinding,
  db: DbContext,
  rows: readonly StoreOp[],
  sync: boolean,
  done: Callback,
): void {
  if (bytesOf(rows) > storeLimits.chainedBatchBytesMax) {
    binding.batch_do(db, rows.map(toBatchOp), { sync }, done);
    return;
  }
  const batch = binding.batch_init(db);
  for (const { key, value } of rows) {
    if (value === null) binding.batch_del(batch, key);
    else binding.batch_put(batch, key, value);
  }
  binding.batch_write(batch, { sync }, done);
}

/**
 * RocksDB inserts sorted keys at a quarter of the cost of random ones, which pays for the sort here. Two operations on
 * one key stay in their order: the sort is stable.
 */
function inKeyOrder(ops: readonly StoreOp[]): readonly StoreOp[] {
  for (let i = 1; i < ops.length; i++) {
    if (Buffer.compare((ops[i - 1] as StoreOp).key, (ops[i] as StoreOp).key) > 0) {
      return [...ops].sort((a, b) => Buffer.compare(a.key, b.key));
    }
  }
  return ops;
}

function bytesOf(ops: readonly StoreOp[]): number {
  let bytes = 0;
  for (const { key, value } of ops) bytes += key.length + (value?.length ?? 0);
  return bytes;
}

function toBatchOp({ key, value }: StoreOp) {
  return value === null ? ({ type: 'del', key } as const) : ({ type: 'put', key, value } as const);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
