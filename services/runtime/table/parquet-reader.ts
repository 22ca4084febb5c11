/**
 * Rows of some columns of a Parquet file, a row group at a time: so much of them is in memory. The only file that knows
 * hyparquet.
 */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { asyncBufferFromFile, type Compressors, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { decodeWholeZstd } from '../zstd/decode.ts';
import { loadZstd } from '../zstd/library.ts';
import type { Cell } from './table.ts';

/** Window of a zstd page: what writers of Parquet use at their highest levels. */
const zstdWindowBytes = 128 * 2 ** 20;

/** Times as ms since the Unix epoch. Throws INVALID_ARGUMENT, naming the file, where it has not all `columns` or is none. */
export async function* readParquet(path: string, columns: readonly string[]): AsyncGenerator<Cell[][]> {
  try {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file);
    const names = new Set(metadata.schema.map(({ name }) => name));
    const missing = columns.filter((name) => !names.has(name));
    if (missing.length > 0) throw new Error(`it lacks the column ${missing.join(', ')}`);
    const compressors = await compressorsOf();
    let rowStart = 0;
    for (const { num_rows: count } of metadata.row_groups) {
      const rowEnd = rowStart + Number(count);
      let rows: unknown[][] = [];
      const onComplete = (all: unknown[][]) => (rows = all);
      await parquetRead({ file, metadata, columns: [...columns], rowStart, rowEnd, compressors, onComplete });
      for (const row of rows) for (let at = 0; at < row.length; at++) row[at] = cellOf(row[at]);
      yield rows as Cell[][];
      rowStart = rowEnd;
    }
  } catch (error) {
    if (error instanceof CrawlstreamError) throw error;
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `${path} cannot be read as Parquet: ${(error as Error).message}`,
      error,
    );
  }
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.getTime();
  return (value ?? null) as Cell;
}

async function compressorsOf(): Promise<Compressors> {
  await loadZstd();
  return {
    GZIP: (packed, bytes) => gunzipSync(packed, { maxOutputLength: bytes }),
    BROTLI: (packed, bytes) => brotliDecompressSync(packed, { maxOutputLength: bytes }),
    ZSTD: (packed, bytes) => {
      const plain = decodeWholeZstd(Buffer.from(packed), bytes, zstdWindowBytes);
      if (typeof plain === 'string') throw new Error(`a zstd page is ${plain}`);
      return plain;
    },
  };
}
