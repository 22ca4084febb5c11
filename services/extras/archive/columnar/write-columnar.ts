/**
 * Writes the columnar index of an archive: Parquet files in the folders and columns of Common Crawl
 * (`crawl=NAME/subset=warc/part-00000.parquet`), for DuckDB, Spark, Trino and other readers of such a table.
 *
 * Rows are ordered by key, as in Common Crawl's index, so that a reader of one host skips nearly all groups.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { renameWritten } from '../../../runtime/disk/durable-names.ts';
import { makeFolders } from '../../../runtime/disk/make-folders.ts';
import { parquetFile } from '../../../runtime/table/parquet-writer.ts';
import type { RowWriter } from '../../../runtime/table/table.ts';
import type { HttpMessage } from '../http-message.ts';
import { IndexedRecords } from '../indexed-record.ts';
import { type IndexLine, mergedIndex } from '../merged-index.ts';
import { indexColumns } from './columns.ts';
import { type Content, indexRow, type Subset, subsetOf } from './index-row.ts';

export interface ColumnarOptions {
  /** Paths of WARC files, each with its index beside it. */
  readonly files: readonly string[];
  readonly out: string;
  /** Name of the crawl: a folder, and so a column. */
  readonly crawl: string;
  readonly contentOf: (url: string, message: HttpMessage) => Promise<Content>;
}

export type ColumnarCounts = Readonly<Record<Subset, number>>;

/** The column has 32 bits, as theirs has. */
const offsetMax = 2 ** 31 - 1;

/** Files have their names once all are whole. */
export async function writeColumnar({ files, out, crawl, contentOf }: ColumnarOptions): Promise<ColumnarCounts> {
  const counts: Record<Subset, number> = { warc: 0, crawldiagnostics: 0, robotstxt: 0 };
  const writers = new Map<Subset, { readonly rows: RowWriter; readonly path: string }>();
  const writerOf = async (subset: Subset) => {
    const known = writers.get(subset);
    if (known !== undefined) return known.rows;
    const folder = join(out, `crawl=${crawl}`, `subset=${subset}`);
    await makeFolders(folder, { recursive: true });
    const path = join(folder, 'part-00000.parquet');
    const rows = parquetFile(`${path}.part`, indexColumns);
    writers.set(subset, { rows, path });
    return rows;
  };
  const records = new IndexedRecords();
  try {
    for await (const line of mergedIndex(files)) {
      if (!/^https?:/i.test(line.url)) continue;
      if (line.offset + line.length > offsetMax) throw tooFar(line);
      const record = await records.read(line);
      const subset = subsetOf(line, record);
      await (await writerOf(subset)).write(indexRow(line, record, await contentOf(line.url, record.message), crawl));
      counts[subset] += 1;
    }
    for (const { rows } of writers.values()) await rows.end();
    for (const { path } of writers.values()) await renameWritten(`${path}.part`, path);
    return counts;
  } catch (error) {
    for (const { path } of writers.values()) await rm(`${path}.part`, { force: true });
    throw error;
  } finally {
    await records.close();
  }
}

function tooFar({ file, offset }: IndexLine): CrawlstreamError {
  const message = `${file} has a record at ${offset}: the table, like Common Crawl's, supports offsets below 2 GiB; split the file`;
  return new CrawlstreamError('INVALID_RECORD', message);
}
