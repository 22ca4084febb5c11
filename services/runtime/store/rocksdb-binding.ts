/**
 * The native calls of npm `rocksdb` 5.2.1 (RocksDB 6.17) that the store uses, typed; the only place that loads it.
 *
 * The package's own JavaScript layer checks and copies every operation and hands rows out one callback at a time; its
 * native module is called directly instead. The caller owes it one thing above all: after `db_close` any call on the
 * same context kills the process.
 */
import { createRequire } from 'node:module';
import { CrawlstreamError } from '../../../topology/errors.ts';

/** Opaque handles. Keep them reachable while work on them is under way: they free native memory when collected. */
export type DbContext = { readonly __db: unique symbol };
export type BatchContext = { readonly __batch: unique symbol };
export type IteratorContext = { readonly __iterator: unique symbol };

export type Callback<T = void> = (error: Error | null, value?: T) => void;

export interface OpenOptions {
  readonly createIfMissing: boolean;
  readonly readOnly: boolean;
  readonly compression: boolean;
  /** Bytes of the block cache, of one memtable, and of one block before compression. */
  readonly cacheSize: number;
  readonly writeBufferSize: number;
  readonly blockSize: number;
  /** Table files held open; 2^32 - 1 means all of them, opened at once. */
  readonly maxOpenFiles: number;
}

export interface IteratorOptions {
  readonly gte: Buffer;
  readonly lt: Buffer;
  readonly reverse: boolean;
  /** -1: all. */
  readonly limit: number;
  readonly keyAsBuffer: true;
  readonly valueAsBuffer: true;
  /** Bytes after which one `iterator_next` answers. */
  readonly highWaterMark: number;
}

export type BatchOp =
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: Uint8Array };

export interface RocksdbBinding {
  db_init(): DbContext;
  db_open(db: DbContext, folder: string, options: OpenOptions, done: Callback): void;
  db_close(db: DbContext, done: Callback): void;
  db_get_many(
    db: DbContext,
    keys: readonly Uint8Array[],
    options: { readonly asBuffer: true; readonly fillCache: boolean },
    done: Callback<(Buffer | undefined)[]>,
  ): void;
  /** Copies the rows before it returns; frees its native memory when done. */
  batch_do(db: DbContext, ops: readonly BatchOp[], options: { readonly sync: boolean }, done: Callback): void;
  /** Cheaper per operation than `batch_do`, but holds native memory until the context is collected. */
  batch_init(db: DbContext): BatchContext;
  batch_put(batch: BatchContext, key: Uint8Array, value: Uint8Array): void;
  batch_del(batch: BatchContext, key: Uint8Array): void;
  batch_write(batch: BatchContext, options: { readonly sync: boolean }, done: Callback): void;
  iterator_init(db: DbContext, options: IteratorOptions): IteratorContext;
  /** Answers up to 1000 rows (one, the first time), as [.. value 2, key 2, value 1, key 1], and whether that was all. */
  iterator_next(
    iterator: IteratorContext,
    done: (error: Error | null, rows: Buffer[], finished: boolean) => void,
  ): void;
  iterator_end(iterator: IteratorContext, done: Callback): void;
}

let loaded: RocksdbBinding | undefined;

/** Throws STORE_UNSUPPORTED where the prebuilt module would abort the process, or is missing for this platform. */
export function loadRocksdb(): RocksdbBinding {
  if (loaded) return loaded;
  const problem = nodeProblem(process.versions.node);
  if (problem) throw new CrawlstreamError('STORE_UNSUPPORTED', problem);
  try {
    loaded = createRequire(import.meta.url)('rocksdb/binding.js') as RocksdbBinding;
  } catch (cause) {
    const message = `the rocksdb package has no native module for ${process.platform}-${process.arch}: run npm ci again, with install scripts allowed`;
    throw new CrawlstreamError('STORE_UNSUPPORTED', message, cause);
  }
  return loaded;
}

/** The prebuild of 5.2.1 works up to Node 22.22 and aborts the whole process from 22.23 and 24 on. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 23)) return undefined;
  return `the rocksdb package does not run on Node ${version}: use Node 20 (20.19 or later)`;
}
