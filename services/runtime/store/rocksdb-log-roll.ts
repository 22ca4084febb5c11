/**
 * Starts RocksDB's new write-ahead logs when the old one is durable.
 *
 * RocksDB starts a new log when its memtable is full, without syncing the old one. After a power cut, rows in the new
 * log could then outlive earlier ones, and RocksDB opens such a folder without an error. The package can neither start
 * a log nor report when the next one starts. So the write that may fill the memtable is synced. A synced filler after
 * it, which leaves no row, makes the memtable full for certain. The next write, an empty one, starts the log: RocksDB
 * syncs the folder in the first synced write after that, not in the one that starts it.
 *
 * Source: RocksDB 6.17, db/memtable.cc (ShouldFlushNow), memory/arena.cc, db/db_impl/db_impl_write.cc (WriteImpl,
 * SwitchMemtable).
 */
import type { Callback, DbContext, RocksdbBinding } from './rocksdb-binding.ts';

/**
 * Most bytes of a row beyond key and value: lengths (10 bytes), sequence number (8), 12 links of a skip list,
 * alignment.
 */
const rowBytes = 128;
/** RocksDB allocates a memtable in eight blocks. It is full at the earliest at this many blocks … */
const fullFromBlocks = 7.35;
/** … if its entries are small, here, and in any case at the second. */
const fullAtBlocks = [7.8, 8.7] as const;
/** Greater than every key, and within the range that a rewrite of the store compacts (rewrite-tables.ts). */
const fillerKey = Buffer.alloc(30, 0xff);

export interface LogRoll {
  /** Whether a write may fill the memtable: it is synced then, and `begin` follows. */
  isDue(rows: number, bytes: number): boolean;
  /** Begins a new log, before the next write. */
  begin(done: Callback): void;
}

export function createLogRoll(binding: RocksdbBinding, db: DbContext, writeBufferBytes: number): LogRoll {
  const block = Math.ceil(writeBufferBytes / 8 / 4096) * 4096;
  /** Most used bytes of the memtable. */
  let usedMax = 0;
  const used = () => Number(binding.db_get_property(db, 'rocksdb.cur-size-active-mem-table'));

  const fill = (upTo: number, done: Callback) => {
    const batch = binding.batch_init(db);
    // A larger piece would get its own block, and leave the rest of the current one unused.
    const piece = Buffer.alloc(Math.floor(block / 16));
    for (let left = upTo * block - used(); left > 0; left -= piece.length) binding.batch_put(batch, fillerKey, piece);
    binding.batch_del(batch, fillerKey);
    binding.batch_write(batch, { sync: true }, done);
  };

  const begin = (done: Callback, attempt = 0) => {
    const upTo = fullAtBlocks[attempt];
    // The memtable is full in an unknown way: the next write is synced again, and no row is at risk.
    if (upTo === undefined) return done(null);
    const before = used();
    fill(upTo, (error) => {
      if (error) return done(error);
      const batch = binding.batch_init(db);
      binding.batch_del(batch, fillerKey);
      binding.batch_write(batch, { sync: false }, (failed) => {
        if (failed) return done(failed);
        usedMax = used();
        if (usedMax < before) done(null);
        else begin(done, attempt + 1);
      });
    });
  };

  return {
    isDue: (rows, bytes) => {
      const own = bytes + rows * rowBytes;
      // The end of a block that is too small for an entry of up to a quarter of a block stays unused.
      const growth = (own * 4) / 3 + Math.min(own, block / 4);
      const max = fullFromBlocks * block;
      if (usedMax + growth > max) usedMax = used();
      usedMax += growth;
      return usedMax > max;
    },
    begin,
  };
}
