/**
 * The state store on LevelDB (npm `classic-level` 3), for machines without a binary of the `rocksdb` package.
 *
 * One `write` is one LevelDB batch, so it is atomic. A scan sees the snapshot of its first step. LevelDB has no
 * read-only open: a reader opens a copy made of hard links (level-reader.ts).
 *
 * Invariant: a power cut undoes a suffix of the writes, never a gap. LevelDB keeps the rows of the current memtable
 * in a write-ahead log, and starts a new log when the memtable is full, without syncing the old one: rows in the new
 * log could then outlive earlier ones. So the write that fills the memtable is synced here, and the log is changed
 * right after it, before the next write. LevelDB gets a memtable size twice as large, so that it never changes the
 * log first. LevelDB does not sync the folder of a new log, so this file does.
 */
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { syncFolder } from '../disk/durable-names.ts';
import { makeFolders } from '../disk/make-folders.ts';
import { bytesOf, inKeyOrder } from './key-order.ts';
import { type LevelDb, openLevelDb } from './level-binding.ts';
import { openLevelReader, removeStaleReaders } from './level-reader.ts';
import { filesByLevel, leveldbFigures } from './lsm-figures.ts';
import { rewriteTables } from './rewrite-tables.ts';
import type { ScanRange, StateStore, StoreFigures, StoreOp, StoreOptions } from './store.ts';
import { storeError } from './store-errors.ts';
import { createStoreGate } from './store-gate.ts';
import { storeLimits } from './store-limits.ts';
import { threadTurns } from './thread-turns.ts';

/**
 * Most bytes that LevelDB adds to a row in a memtable: lengths, sequence number, links, and the unused rest of a
 * block.
 */
const memtableRowBytes = 100;
/** Interval of the check whether LevelDB has begun a new log after the request, ms: it takes about 1 ms. */
const newLogLookMs = 1;
/** Greater than every key: a compaction of this range only starts a new memtable and log. */
const noRange = Buffer.alloc(32, 0xff);

/** Throws DATA_FOLDER_LOCKED, DISK_FULL, STORE_UNSUPPORTED or STORE_FAILED, each with the folder. */
export async function openLevelStore(folder: string, options: StoreOptions = {}): Promise<StateStore> {
  const memtableBytes = options.writeBufferBytes ?? 32 << 20;
  const open = (path: string, createIfMissing: boolean) =>
    threadTurns.run(() => openLevelDb(path, { ...options, memtableBytes, createIfMissing }));
  try {
    if (options.readOnly) {
      const { db, end } = await openLevelReader(folder, (path) => open(path, false));
      return new LevelStore({ db, folder, end });
    }
    await makeFolders(folder, { recursive: true });
    const db = await open(folder, true);
    await removeStaleReaders(folder);
    // LevelDB does not sync the names of logs: a power cut could remove the file, with all its synced rows.
    await syncFolder(folder);
    return new LevelStore({ db, folder, end: () => db.close(), memtableBytes });
  } catch (error) {
    throw error instanceof CrawlstreamError ? error : levelError(error as Error, folder);
  }
}

type Range = readonly [from: Buffer, to: Buffer];

/** Keeps the write's turn until `work` has settled. */
type KeepFor = (work: Promise<unknown>) => void;

interface WriteNow {
  readonly sync: boolean;
  readonly memtableMax: number;
  readonly keepFor: KeepFor;
  /** A range to compact after the write. */
  readonly freed?: Range;
}

interface Opened {
  readonly db: LevelDb;
  readonly folder: string;
  readonly end: () => Promise<void>;
  /** Absent: read-only. */
  readonly memtableBytes?: number;
}

/** Its public acts are fields, since callers spread stores, and hand out single acts. */
class LevelStore implements StateStore {
  readonly #opened: Opened;
  readonly #gate = createStoreGate();
  /** After a failed write, the log may end in half a record, and LevelDB would append after it. */
  #failure: CrawlstreamError | undefined;
  #lastWrite: Promise<void> = Promise.resolve();
  #unflushedBytes = 0;

  readonly free?: NonNullable<StateStore['free']>;

  constructor(opened: Opened) {
    this.#opened = opened;
    const { memtableBytes } = opened;
    if (memtableBytes === undefined) return;
    this.free = (gte, lt) => {
      // No row has this key: the write is synced, and ends the log.
      const nothing = { key: noRange, value: null };
      const freed: Range = [asBuffer(gte), asBuffer(lt)];
      return this.#inTurn((keepFor) =>
        this.#writeNow([nothing], { sync: true, memtableMax: memtableBytes, keepFor, freed }),
      );
    };
  }

  readonly get: StateStore['get'] = async (key) => (await this.getMany([key]))[0];

  readonly getMany: StateStore['getMany'] = (keys) => this.#call(() => this.#opened.db.getMany(keys.map(asBuffer)));

  readonly scan: StateStore['scan'] = (range) => this.#scan(range);

  readonly write: StateStore['write'] = async (ops, options) => {
    const { folder, memtableBytes } = this.#opened;
    if (memtableBytes === undefined) {
      throw new CrawlstreamError('UNSUPPORTED', `the store in ${folder} is open read-only`);
    }
    const sync = options?.sync ?? false;
    await this.#inTurn(async (keepFor) => {
      if (ops.length > 0) await this.#writeNow(ops, { sync, memtableMax: memtableBytes, keepFor });
    });
  };

  readonly rewrite = (): Promise<void> => {
    const { db, folder } = this.#opened;
    const compact = (from: Buffer, to: Buffer) => this.#call(() => threadTurns.run(() => db.compactRange(from, to)));
    return rewriteTables({
      folder,
      getMany: this.getMany,
      write: this.write,
      compact,
      flush: () => compact(noRange, noRange),
      levels: () => filesByLevel((name) => db.getProperty(name), 'leveldb'),
    });
  };

  readonly figures = (): StoreFigures | null =>
    this.#gate.isOpen() ? leveldbFigures((name) => this.#opened.db.getProperty(name)) : null;

  readonly close: StateStore['close'] = () => {
    const { end, folder } = this.#opened;
    return this.#gate.close(() => threadTurns.run(end).catch((error) => Promise.reject(levelError(error, folder))));
  };

  async #call<T>(act: () => Promise<T>): Promise<T> {
    this.#gate.enter();
    try {
      return await act();
    } catch (error) {
      throw levelError(error as Error, this.#opened.folder);
    } finally {
      this.#gate.leave();
    }
  }

  async *#scan(range: ScanRange): AsyncGenerator<readonly [Buffer, Buffer]> {
    this.#gate.check();
    if (range.limit === 0 || Buffer.compare(range.gte, range.lt) >= 0) return;
    const iterator = this.#opened.db.iterator({
      gte: asBuffer(range.gte),
      lt: asBuffer(range.lt),
      reverse: range.reverse ?? false,
      limit: range.limit ?? -1,
      highWaterMarkBytes: storeLimits.scanChunkBytes,
    });
    try {
      for (;;) {
        const rows = await this.#call(() => iterator.nextv(1000));
        if (rows.length === 0) return;
        for (const row of rows) {
          yield row;
          this.#gate.check();
        }
      }
    } finally {
      await iterator.close();
    }
  }

  /** One at a time: the threads behind the binding would let them overtake each other. */
  async #inTurn(act: (keepFor: KeepFor) => Promise<void>): Promise<void> {
    this.#gate.enter();
    const done = this.#lastWrite.then(() => threadTurns.run(act));
    this.#lastWrite = done.catch(() => {});
    try {
      await done;
    } finally {
      this.#gate.leave();
    }
  }

  async #writeNow(ops: readonly StoreOp[], { sync, memtableMax, keepFor, freed }: WriteNow): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const { db, folder } = this.#opened;
    try {
      const bytes = bytesOf(ops);
      this.#unflushedBytes += bytes + ops.length * memtableRowBytes;
      const isLast = freed !== undefined || this.#unflushedBytes >= memtableMax;
      await writeBatch(db, inKeyOrder(ops), bytes, sync || isLast);
      if (!isLast) return;
      await changeLog(db, folder, freed ?? [noRange, noRange], keepFor);
      await syncFolder(folder);
      this.#unflushedBytes = 0;
    } catch (error) {
      this.#failure = levelError(error as Error, folder);
      throw this.#failure;
    }
  }
}

/** A chained batch costs two thirds of the other, but holds native memory until it is collected. */
function writeBatch(db: LevelDb, ops: readonly StoreOp[], bytes: number, sync: boolean): Promise<void> {
  if (bytes > storeLimits.chainedBatchBytesMax) return db.batch(ops.map(toBatchOp), { sync });
  const batch = db.batch();
  for (const { key, value } of ops) {
    if (value === null) batch.del(asBuffer(key));
    else batch.put(asBuffer(key), asBuffer(value));
  }
  return batch.write({ sync });
}

/**
 * Resolves once LevelDB writes to a new log. Meanwhile and after, the old memtable becomes a table file, and then the
 * range is compacted. A thread of the pool waits for all of it.
 */
async function changeLog(db: LevelDb, folder: string, [from, to]: Range, keepFor: KeepFor): Promise<void> {
  const before = await newestLog(folder);
  let failed: Error | undefined;
  let done = false;
  const compacted = db.compactRange(from, to).then(
    () => (done = true),
    (error: Error) => (failed = error),
  );
  keepFor(compacted);
  while (!done && (await newestLog(folder)) === before) {
    if (failed !== undefined) throw failed;
    await sleep(newLogLookMs);
  }
}

async function newestLog(folder: string): Promise<number> {
  const names = await readdir(folder);
  return Math.max(...names.filter((name) => /^\d+\.log$/.test(name)).map((name) => Number.parseInt(name, 10)));
}

/** classic-level only reports that opening failed; LevelDB's message is in the cause. */
function levelError(error: Error, folder: string): CrawlstreamError {
  if (error instanceof CrawlstreamError) return error;
  return storeError(error.cause instanceof Error ? error.cause : error, folder);
}

function toBatchOp({ key, value }: StoreOp) {
  return value === null
    ? ({ type: 'del', key: asBuffer(key) } as const)
    : ({ type: 'put', key: asBuffer(key), value: asBuffer(value) } as const);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
