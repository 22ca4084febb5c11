/**
 * The blocks of a table file of RocksDB or LevelDB, uncompressed, for a search of bytes. It does not determine which
 * rows are current.
 *
 * A table ends in a footer with the position of the index block; the index block has the position of each block of
 * rows. A block is followed by its kind (0: uncompressed, 1: Snappy) and a checksum.
 *
 * Source: LevelDB, doc/table_format.md; RocksDB, Rocksdb-BlockBasedTable-Format, format versions 0 to 5 (4 and later
 * omit the length of an index entry's value); Snappy, format_description.txt.
 */

const footerBytes = { leveldb: 48, rocksdb: 53 } as const;
const magic = { leveldb: 0xdb4775248b80fb57n, rocksdb: 0x88e241b785f4cff7n } as const;
const snappyKind = 1;

interface Handle {
  readonly offset: number;
  readonly size: number;
}

/** Throws an Error if the file is not a table, or a block has another compression. */
export function* tableBlocks(table: Buffer): Generator<Buffer> {
  const end = table.length >= footerBytes.leveldb ? table.readBigUInt64LE(table.length - 8) : 0n;
  const isRocksdb = end === magic.rocksdb;
  if (!isRocksdb && end !== magic.leveldb) throw new Error('the end of this file is not the footer of a table');
  const reader = readerOf(table, table.length - (isRocksdb ? footerBytes.rocksdb : footerBytes.leveldb));
  if (isRocksdb) reader.skip(1);
  reader.handle();
  const index = blockAt(table, reader.handle());
  const hasLengths = !isRocksdb || table.readUInt32LE(table.length - 12) < 4;
  yield index;
  for (const handle of handlesIn(index, hasLengths)) yield blockAt(table, handle);
}

function readerOf(bytes: Buffer, from: number) {
  let at = from;
  const number = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('it ends within a number');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  return {
    number,
    handle: (): Handle => ({ offset: number(), size: number() }),
    skip: (count: number) => {
      at += count;
    },
    get at() {
      return at;
    },
  };
}

function* handlesIn(index: Buffer, hasLengths: boolean): Generator<Handle> {
  const restarts = index.readUInt32LE(index.length - 4) & 0x7fffffff;
  const end = index.length - 4 - 4 * restarts;
  const reader = readerOf(index, 0);
  while (reader.at < end) {
    const shared = reader.number();
    const own = reader.number();
    if (hasLengths) reader.number();
    else if (shared !== 0) throw new Error('its index leaves offsets out');
    reader.skip(own);
    yield reader.handle();
  }
}

function blockAt(table: Buffer, { offset, size }: Handle): Buffer {
  const bytes = table.subarray(offset, offset + size);
  const kind = table[offset + size];
  if (kind === 0) return bytes;
  if (kind !== snappyKind) throw new Error(`a block has the unsupported compression ${kind}`);
  return unsnapped(bytes);
}

/** Without the package, which is there for brokers alone. */
export function unsnapped(bytes: Buffer): Buffer {
  const reader = readerOf(bytes, 0);
  const out = Buffer.alloc(reader.number());
  let to = 0;
  for (let at = reader.at; at < bytes.length; ) {
    const tag = bytes[at++]!;
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >> 2;
      const extra = short < 60 ? 0 : short - 59;
      const length = 1 + (extra === 0 ? short : bytes.readUIntLE(at, extra));
      at += extra;
      to += bytes.copy(out, to, at, at + length);
      at += length;
      continue;
    }
    const length = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
    const back = kind === 1 ? ((tag >> 5) << 8) | bytes[at]! : bytes.readUIntLE(at, kind === 2 ? 2 : 4);
    at += kind === 1 ? 1 : kind === 2 ? 2 : 4;
    if (back === 0 || back > to || to + length > out.length) throw new Error('a block is damaged');
    // A copy may overlap its own output.
    for (let i = 0; i < length; i++, to++) out[to] = out[to - back]!;
  }
  return out;
}
