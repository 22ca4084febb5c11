/** Reads rows of some columns of a Parquet file, one row group in memory at a time. Only this file uses hyparquet. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { asyncBufferFromFile, type Compressors, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { decodeWholeZstd } from '../zstd/decode.ts';
import { loadZstd } from '../zstd/library.ts';
import type { Cell } from './table.ts';

/** Window of a zstd page: the size that Parquet writers use at their highest levels. */
const zstdWindowBytes = 128 * 2 ** 20;

/**
 * Times are ms since the Unix epoch. Throws INVALID_ARGUMENT with the file if it lacks one of `columns`, or is not
 * Parquet.
 */
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
