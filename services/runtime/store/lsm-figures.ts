/** Figures of RocksDB and LevelDB, by the names of their properties. */
import type { StoreFigures } from './store.ts';

/** Both have as many by default. */
const levels = 7;

/** `property`: empty for a name that is not known. */
export function rocksdbFigures(property: (name: string) => string): StoreFigures {
  const number = (name: string) => Number(property(`rocksdb.${name}`) || 0);
  return {
    files: filesByLevel(property, 'rocksdb'),
    memtableBytes: number('cur-size-all-mem-tables'),
    compactions: number('num-running-compactions'),
    compactionBytes: number('estimate-pending-compaction-bytes'),
    isStopped: number('is-write-stopped') > 0,
    isDelayed: number('actual-delayed-write-rate') > 0,
  };
}

/** LevelDB 1.20 reports no more. */
export function leveldbFigures(property: (name: string) => string): StoreFigures {
  return { files: filesByLevel(property, 'leveldb') };
}

/** The newest level first. */
export function filesByLevel(property: (name: string) => string, store: 'rocksdb' | 'leveldb'): number[] {
  return Array.from({ length: levels }, (_, level) => Number(property(`${store}.num-files-at-level${level}`) || 0));
}
