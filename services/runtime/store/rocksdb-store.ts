/**
 * The state store on RocksDB.
 *
 * One `write` is one RocksDB batch, so it is atomic. The native module kills the process if it is called after close;
 * a gate prevents that. A scan sees the snapshot of its first step. A power cut undoes a suffix of the writes, never
 * a gap: see rocksdb-log-roll.ts.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { makeFolders } from '../disk/make-folders.ts';
import { bytesOf, inKeyOrder } from './key-order.ts';
import { filesByLevel, rocksdbFigures } from './lsm-figures.ts';
import { openBesideWriter } from './open-beside-writer.ts';
import { rewriteTables } from './rewrite-tables.ts';
import {
  type Callback,
  type DbContext,
  loadRocksdb,
  type OpenOptions,
  type RocksdbBinding,
} from './rocksdb-binding.ts';
import { createLogRoll, type LogRoll } from './rocksdb-log-roll.ts';
import type { ScanRange, StateStore, StoreFigures, StoreOp, StoreOptions } from './store.ts';
import { storeClosed, storeError } from './store-errors.ts';
import { createStoreGate } from './store-gate.ts';
import { storeLimits } from './store-limits.ts';
import { threadTurns } from './thread-turns.ts';

/** Throws DATA_FOLDER_LOCKED, DISK_FULL, STORE_UNSUPPORTED or STORE_FAILED, each naming the folder. */
export async function openRocksdbStore(folder: string, options: StoreOptions = {}): Promise<StateStore> {
  const binding = loadRocksdb();
  const readOnly = options.readOnly ?? false;
  const openOptions: OpenOptions = {
    createIfMissing: !readOnly,
    readOnly,
    compression: options.compression ?? true,
    cacheSize: options.cacheBytes ?? 32 << 20,
    // Fewer, larger table files; 4 MB, RocksDB's own, is too small for a crawl. A new log begins at 92 % of it.
    writeBufferSize: options.writeBufferBytes ?? 72 << 20,
    blockSize: 16 << 10,
    // A reader beside a writer opens every table file at once: the writer may delete them at any moment.
    maxOpenFiles: readOnly ? 2 ** 32 - 1 : (options.openFiles ?? storeLimits.openFilesMax),
  };
  try {
    const open = () => threadTurns.run(() => openDb(binding, folder, openOptions));
    const close = (db: DbContext) => new Promise<void>((resolve) => binding.db_close(db, () => resolve()));
    if (readOnly) return new RocksdbStore(binding, await openBesideWriter(folder, open, close), folder);
    await makeFolders(folder, { recursive: true });
    const db = await open();
    return new RocksdbStore(binding, db, folder, createLogRoll(binding, db, openOptions.writeBufferSize));
  } catch (error) {
    throw error instanceof CrawlstreamError ? error : storeError(error as Error, folder);
  }
}

async function openDb(binding: RocksdbBinding, folder: string, options: OpenOptions): Promise<DbContext> {
  const db = binding.db_init();
  await new Promise<void>((resolve, reject) => {
    binding.db_open(db, folder, options, (error) => (error ? reject(error) : resolve()));
  });
  return db;
}

/** Its public acts are fields, since callers spread stores, and hand out single acts. */
class RocksdbStore implements StateStore {
  readonly #binding: RocksdbBinding;
  readonly #db: DbContext;
  readonly #folder: string;
  readonly #logRoll: LogRoll | undefined;
  readonly #gate = createStoreGate();
  /** Ends each open scan. */
  readonly #scans = new Set<() => Promise<void>>();
  /**
   * Waiting writes; the first one is running. They run one at a time, since the binding's threads would reorder them.
   */
  readonly #waitingWrites: (() => void)[] = [];
  /** The error of a failed write: RocksDB would append after half a record, and lose the following ones. */
  #failure: CrawlstreamError | undefined;

  /** `logRoll`: absent if the store is open read-only. */
  constructor(binding: RocksdbBinding, db: DbContext, folder: string, logRoll?: LogRoll) {
    this.#binding = binding;
    this.#db = db;
    this.#folder = folder;
    this.#logRoll = logRoll;
  }

  readonly get: StateStore['get'] = async (key) => (await this.getMany([key]))[0];

  readonly getMany: StateStore['getMany'] = (keys) =>
    this.#call<(Buffer | undefined)[]>((done) =>
      this.#binding.db_get_many(this.#db, keys, { asBuffer: true, fillCache: true }, done),
    );

  readonly scan: StateStore['scan'] = (range) => this.#scan(range);

  readonly write: StateStore['write'] = (ops, options) => {
    const logRoll = this.#logRoll;
    if (logRoll === undefined)
      return Promise.reject(new CrawlstreamError('UNSUPPORTED', `the store in ${this.#folder} is open read-only`));
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (ops.length === 0) return this.#gate.isOpen() ? Promise.resolve() : Promise.reject(storeClosed());
    const rows = inKeyOrder(ops);
    return this.#call<void>((done) => {
      const finish: Callback = (error) => {
        if (error && this.#failure === undefined) this.#failure = storeError(error, this.#folder);
        done(error);
        this.#waitingWrites.shift();
        this.#waitingWrites[0]?.();
      };
      const begin = (end: Callback) => {
        if (this.#failure !== undefined) return end(this.#failure);
        const bytes = bytesOf(rows);
        const isLast = logRoll.isDue(rows.length, bytes);
        writeBatch(this.#binding, this.#db, rows, bytes, isLast || options?.sync === true, (error) => {
          if (isLast && !error) logRoll.begin(end);
          else end(error);
        });
      };
      const written = () => new Promise<Error | null>((resolve) => begin((error) => resolve(error)));
      const start = () => void threadTurns.run(written).then(finish, finish);
      if (this.#waitingWrites.push(start) === 1) start();
    });
  };

  readonly close: StateStore['close'] = () =>
    this.#gate.close(async () => {
      await Promise.all([...this.#scans].map((end) => end()));
      const close = () =>
        new Promise<void>((resolve, reject) => {
          this.#binding.db_close(this.#db, (error) => (error ? reject(storeError(error, this.#folder)) : resolve()));
        });
      await threadTurns.run(close);
    });

  readonly rewrite = (): Promise<void> =>
    rewriteTables({
      folder: this.#folder,
      getMany: this.getMany,
      write: this.write,
      compact: (from, to) =>
        threadTurns.run(() => this.#call<void>((done) => this.#binding.db_compact_range(this.#db, from, to, done))),
      levels: () => filesByLevel(this.#property, 'rocksdb'),
    });

  readonly figures = (): StoreFigures | null => (this.#gate.isOpen() ? rocksdbFigures(this.#property) : null);

  readonly #property = (name: string) => this.#binding.db_get_property(this.#db, name);

  #call<T>(start: (done: Callback<T>) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#gate.check();
      start((error, value) => {
        this.#gate.leave();
        if (error) reject(error instanceof CrawlstreamError ? error : storeError(error, this.#folder));
        else resolve(value as T);
      });
      this.#gate.enter();
    });
  }

  async *#scan(range: ScanRange): AsyncGenerator<readonly [Buffer, Buffer]> {
    this.#gate.check();
    const binding = this.#binding;
    const limit = range.limit ?? -1;
    if (limit === 0 || Buffer.compare(range.gte, range.lt) >= 0) return;
    const iterator = binding.iterator_init(this.#db, {
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
    this.#scans.add(end);
    try {
      for (let given = 0, finished = false; !finished && given !== limit; ) {
        const rows = await this.#call<Buffer[]>((done) =>
          binding.iterator_next(iterator, (error, chunk, last) => {
            finished = last;
            done(error, chunk);
          }),
        );
        for (let i = rows.length - 1; i > 0; i -= 2, given++) {
          yield [rows[i] as Buffer, rows[i - 1] as Buffer];
          this.#gate.check();
        }
      }
    } finally {
      await end();
      this.#scans.delete(end);
    }
  }
}

function writeBatch(
  binding: RocksdbBinding,
  db: DbContext,
  rows: readonly StoreOp[],
  bytes: number,
  sync: boolean,
  done: Callback,
): void {
  if (bytes > storeLimits.chainedBatchBytesMax) {
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

function toBatchOp({ key, value }: StoreOp) {
  return value === null ? ({ type: 'del', key } as const) : ({ type: 'put', key, value } as const);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
