/** Loads npm `classic-level` 3 (LevelDB 1.20) on demand, with the settings for a crawl. Only this file loads it. */
import type { ClassicLevel } from 'classic-level';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { StoreOptions } from './store.ts';
import { storeLimits } from './store-limits.ts';

export type LevelDb = ClassicLevel<Buffer, Buffer>;

/** Throws STORE_UNSUPPORTED if the package has no native module for this platform. */
export async function loadLevel(): Promise<typeof import('classic-level')> {
  try {
    return await import('classic-level');
  } catch (cause) {
    const place = `${process.platform}-${process.arch} with Node ${process.versions.node}`;
    const message = `the native module of the classic-level package can't be loaded on ${place}: run "npm ci" there, or where it has no prebuild compile it with "npx node-gyp rebuild -C node_modules/classic-level"`;
    throw new CrawlstreamError('STORE_UNSUPPORTED', message, cause);
  }
}

interface DbOptions extends StoreOptions {
  readonly memtableBytes: number;
  readonly createIfMissing: boolean;
}

export async function openLevelDb(path: string, options: DbOptions): Promise<LevelDb> {
  const { ClassicLevel } = await loadLevel();
  const db = new ClassicLevel<Buffer, Buffer>(path, {
    keyEncoding: 'buffer',
    valueEncoding: 'buffer',
    createIfMissing: options.createIfMissing,
    compression: options.compression ?? true,
    cacheSize: options.cacheBytes ?? 32 << 20,
    writeBufferSize: 2 * options.memtableBytes,
    blockSize: 16 << 10,
    maxOpenFiles: options.openFiles ?? storeLimits.openFilesMax,
    // As large as RocksDB's would be half full: LevelDB's 2 MB would split a state into thousands of files.
    maxFileSize: 32 << 20,
  });
  await db.open();
  return db;
}
