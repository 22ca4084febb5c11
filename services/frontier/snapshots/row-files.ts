/**
 * Rows of a state store as the bytes of files, and back: gzip of length-prefixed keys and values, in key order.
 *
 * Every file can be read alone, and holds whole rows.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { ByteReader, ByteWriter } from '../../../topology/frontier/storage/bytes.ts';
import { snapshotLimits } from './snapshot-limits.ts';

export type StoredRow = readonly [key: Buffer, value: Buffer];

export interface RowFile {
  readonly bytes: Buffer;
  readonly rows: number;
}

const [compress, decompress] = [promisify(gzip), promisify(gunzip)];

export async function* rowFiles(rows: AsyncIterable<StoredRow>, fileBytes: number): AsyncGenerator<RowFile> {
  const writer = new ByteWriter(64 << 10);
  let [count, bytes] = [0, 0];
  const file = async (): Promise<RowFile> => {
    const packed = await compress(writer.take(), { level: snapshotLimits.compressionLevel });
    return { bytes: packed, rows: count };
  };
  for await (const [key, value] of rows) {
    writer.bytes(key);
    writer.bytes(value);
    count += 1;
    bytes += key.length + value.length;
    if (bytes < fileBytes) continue;
    yield await file();
    [count, bytes] = [0, 0];
  }
  if (count > 0) yield await file();
}

/** The rows of a file. Throws if it is not a file of rows. */
export async function rowsOfFile(bytes: Buffer): Promise<StoredRow[]> {
  const reader = new ByteReader(await decompress(bytes, { maxOutputLength: snapshotLimits.inflatedBytesMax }));
  const rows: StoredRow[] = [];
  while (!reader.done) rows.push([reader.bytes(), reader.bytes()]);
  return rows;
}
