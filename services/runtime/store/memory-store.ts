/**
 * The state store's twin in memory, for tests and the simulator: same contract, no disk.
 *
 * Rows are sorted, in blocks of bounded length, so that an insert costs a search and a short move. A scan shares the
 * blocks it may visit; a block changed while shared is copied first, so the scan sees the rows as they were at its
 * start.
 */
import type { ScanRange, StateStore, StoreOp } from './store.ts';
import { storeClosed } from './store-errors.ts';

type Row = readonly [key: Buffer, value: Buffer];
interface Block {
  rows: Row[];
  /** The scan count when `rows` was made: a later scan may share it. */
  madeAt: number;
}

/** Rows a block holds before it is split: a move of this many pointers is cheaper than another level. */
const blockRowsMax = 256;

export function createMemoryStore(): StateStore {
  const blocks: Block[] = [];
  let scanCount = 0;
  let isOpen = true;

  const open = <T>(act: () => T): Promise<T> => {
    if (!isOpen) return Promise.reject(storeClosed());
    return Promise.resolve(act());
  };

  const get = (key: Uint8Array): Buffer | undefined => {
    const block = blocks[blockOf(blocks, key)];
    const row = block?.rows[lowerBound(block.rows, key)];
    return row?.[0].equals(key) ? row[1] : undefined;
  };

  /** A block's rows, safe to change. */
  const own = (block: Block): Row[] => {
    if (block.madeAt < scanCount) {
      block.rows = block.rows.slice();
      block.madeAt = scanCount;
    }
    return block.rows;
  };

  const apply = ({ key, value }: StoreOp) => {
    if (blocks.length === 0) blocks.push({ rows: [], madeAt: scanCount });
    const index = blockOf(blocks, key);
    const block = blocks[index] as Block;
    const rows = own(block);
    const at = lowerBound(rows, key);
    const there = rows[at]?.[0].equals(key) ? 1 : 0;
    if (value === null) rows.splice(at, there);
    else rows.splice(at, there, [asBuffer(key), asBuffer(value)]);
    if (rows.length === 0) blocks.splice(index, 1);
    else if (rows.length > blockRowsMax) {
      // Appending in order is the common case: leave full blocks behind, not half-full ones.
      const half = at === rows.length - 1 ? blockRowsMax : blockRowsMax >> 1;
      blocks.splice(index + 1, 0, { rows: rows.splice(half), madeAt: scanCount });
    }
  };

  async function* scan(range: ScanRange): AsyncGenerator<Row> {
    if (!isOpen) throw storeClosed();
    scanCount++;
    const shared = blocks.slice(blockOf(blocks, range.gte), blockOf(blocks, range.lt) + 1).map((block) => block.rows);
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    for (const rows of range.reverse ? shared.reverse() : shared) {
      const from = lowerBound(rows, range.gte);
      const to = lowerBound(rows, range.lt);
      for (let i = 0; i < to - from && left > 0; i++, left--) {
        yield rows[range.reverse ? to - 1 - i : from + i] as Row;
        if (!isOpen) throw storeClosed();
      }
    }
  }

  return {
    get: (key) => open(() => get(key)),
    getMany: (keys) => open(() => keys.map(get)),
    scan,
    write: (ops) => open(() => ops.forEach(apply)),
    close: async () => {
      isOpen = false;
    },
  };
}

/** Index of the block that holds `key`, or would: the last one that starts at or before it. */
function blockOf(blocks: readonly Block[], key: Uint8Array): number {
  let low = 0;
  for (let high = blocks.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (Buffer.compare((blocks[middle] as Block).rows[0]?.[0] ?? key, key) <= 0) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** Index of the first row not below `key`. */
function lowerBound(rows: readonly Row[], key: Uint8Array): number {
  let low = 0;
  for (let high = rows.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (Buffer.compare((rows[middle] as Row)[0], key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
