/**
 * Rewrites every table of a store on RocksDB or LevelDB, so that the bytes of deleted and replaced rows leave the
 * disk.
 *
 * A compaction of a range rewrites the tables of an upper level with the overlapping ones below. It leaves tables
 * alone that nothing overlaps from above, and such a table may contain old rows: LevelDB writes a memtable with all
 * versions of its rows, and both stores keep versions that a scan was reading. So there are two compactions. After
 * the first, all tables are in one level. The second brings two rows down to them, the lowest and the highest key in
 * one table, which overlaps them all.
 *
 * Source: LevelDB 1.20, db/db_impl.cc (CompactRange), db/version_set.cc (PickLevelForMemTableOutput,
 * compact_pointer_); RocksDB 6.17, db/db_impl/db_impl_compaction_flush.cc (CompactRangeInternal).
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { StateStore, StoreOp } from './store.ts';

export interface Rewritable extends Pick<StateStore, 'getMany' | 'write'> {
  readonly folder: string;
  readonly compact: (from: Buffer, to: Buffer) => Promise<void>;
  /** Writes the memtable to a table. Given only for stores that place such a table as deep as they can. */
  readonly flush?: () => Promise<void>;
  /** Number of tables by level. */
  readonly levels: () => readonly number[];
}

/**
 * Keys around all others: if a store uses one of them, the row stays. The second is below LevelDB's bound for "no
 * range".
 */
const ends = [Buffer.from([0]), Buffer.alloc(31, 0xff)] as const;
/**
 * LevelDB places a table from memory into level 2, 1 or 0, right above the tables that it overlaps. Of three
 * overlapping ones, the third is in level 0, so that each level passes them on, and records their highest key as the
 * place of its next compaction, instead of an older one.
 */
const flushes = 3;

export async function rewriteTables({ folder, getMany, write, compact, flush, levels }: Rewritable): Promise<void> {
  const [from, to] = ends;
  await compact(from, to);
  const there = await getMany(ends);
  const around: StoreOp[] = ends.map((key, i) => ({ key, value: there[i] ?? Buffer.alloc(0) }));
  for (let i = 0; i < (flush === undefined ? 1 : flushes); i++) {
    await write(around, { sync: true });
    await flush?.();
  }
  await compact(from, to);
  const used = levels().filter((tables) => tables > 0).length;
  await write(
    ends.map((key, i) => ({ key, value: there[i] ?? null })),
    { sync: true },
  );
  if (used <= 1) return;
  const message = `some files in ${folder} may still contain deleted data, because not all were rewritten: free some disk space there, and run the same command again`;
  throw new CrawlstreamError('STORE_FAILED', message);
}
