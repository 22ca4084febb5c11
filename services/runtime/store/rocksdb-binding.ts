/**
 * The native calls of npm `rocksdb` 5.2.1 (RocksDB 6.17) that the store uses, typed; the only place that loads it.
 *
 * The package's own JavaScript layer checks and copies every operation and hands rows out one callback at a time; its
 * native module is called directly instead. The caller owes it one thing above all: after `db_close` any call on the
 * same context kills the process. One prebuild serves every Node (it uses Node-API 3 only), so that a folder survives a
 * change of Node in both directions; how it is loaded differs.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { installCommand } from '../install-command.ts';
import { loadIsolated } from './isolated-module.ts';

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
  /** Flushes the memtable, and moves all rows to the lowest level with rows. Reports no failures. */
  db_compact_range(db: DbContext, from: Buffer, to: Buffer, done: Callback): void;
  /** Empty: RocksDB has no such property. */
  db_get_property(db: DbContext, name: string): string;
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

const require = createRequire(import.meta.url);
let loaded: RocksdbBinding | undefined;

/** Throws STORE_UNSUPPORTED if the package, or its native module for this platform, is missing or does not load. */
export function loadRocksdb(): RocksdbBinding {
  try {
    loaded ??= load();
  } catch (cause) {
    if (!rocksdbInstalled()) {
      const message = `RocksDB needs the package rocksdb, which this installation leaves out: ${installCommand(['rocksdb'])}`;
      throw new CrawlstreamError('STORE_UNSUPPORTED', message, cause);
    }
    const place = `${process.platform}-${process.arch} with Node ${process.versions.node}`;
    const message = `the native module of the rocksdb package can't be loaded on ${place}: install it with "ROCKSDB=prebuilt npm ci", or where it has no prebuild compile it with "npx node-gyp rebuild -C node_modules/rocksdb"; TMPDIR must allow executables`;
    throw new CrawlstreamError('STORE_UNSUPPORTED', message, cause);
  }
  return loaded;
}

export function rocksdbLoads(): boolean {
  try {
    loadRocksdb();
    return true;
  } catch {
    return false;
  }
}

/** True if the package is installed: `npm install crawlstream` does not install it. */
export function rocksdbInstalled(): boolean {
  try {
    require.resolve('rocksdb/package.json');
    return true;
  } catch {
    return false;
  }
}

function load(): RocksdbBinding {
  const folder = dirname(require.resolve('rocksdb/package.json'));
  // The package chooses the file: by platform and libc, or the one compiled here.
  const choose = createRequire(join(folder, 'package.json'))('node-gyp-build') as { path(folder: string): string };
  const file = choose.path(folder);
  return (
    needsIsolation(process.platform, process.versions.node) ? loadIsolated(file) : require(file)
  ) as RocksdbBinding;
}

/**
 * Node 20's executable exports no template code that RocksDB uses. Later versions do, and differ from build to build.
 */
export function needsIsolation(platform: NodeJS.Platform, nodeVersion: string): boolean {
  return platform === 'linux' && Number.parseInt(nodeVersion, 10) >= 21;
}
