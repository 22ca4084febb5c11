/** Rows as a Parquet file, Snappy-compressed. The only file that knows hyparquet-writer. */
import {
  type BasicType,
  ByteWriter,
  fileWriter,
  ParquetWriter,
  schemaFromColumnData,
  type Writer,
} from 'hyparquet-writer';
import type { Cell, Column, ColumnType, RowWriter, Table } from './table.ts';

/** Rows of one group: a reader skips or reads a group whole, and a writer holds one in memory. */
const groupRows = 50_000;
/** Most text in one group: pages are long. */
const groupChars = 32 << 20;

const basicTypes: Readonly<Record<ColumnType, BasicType>> = {
  string: 'STRING',
  json: 'JSON',
  int: 'INT64',
  int32: 'INT32',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMP',
};

/** A point in time. The converted type alone is deprecated, and DuckDB takes it for a local time. */
const instant = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } as const;

export function parquetFile(path: string, columns: readonly Column[]): RowWriter {
  return parquetRows(fileWriter(path), columns);
}

/** The bytes of a Parquet file, produced on demand with at most one row group in memory. */
export async function* parquetBytes({ columns, rows }: Table): AsyncGenerator<Uint8Array> {
  const buffer = new ByteWriter();
  const out = parquetRows(buffer, columns);
  const taken = () => {
    const bytes = buffer.getBytes().slice();
    buffer.index = 0;
    return bytes;
  };
  for await (const row of rows) {
    await out.write(row);
    if (buffer.index > 0) yield taken();
  }
  await out.end();
  yield taken();
}

function parquetRows(writer: Writer, columns: readonly Column[]): RowWriter {
  const typed = (data: Cell[][]) =>
    columns.map(({ name, type }, at) => ({
      name,
      data: data[at]!.map((cell) => stored(cell, type)),
      type: basicTypes[type],
      nullable: true,
    }));
  const empty = () => columns.map((): Cell[] => []);
  const out = new ParquetWriter({
    writer,
    schema: schemaFromColumnData({ columnData: typed(empty()) }).map((element) =>
      element.converted_type === 'TIMESTAMP_MILLIS' ? { ...element, logical_type: instant } : element,
    ),
    codec: 'SNAPPY',
  });
  let group = empty();
  let rows = 0;
  let chars = 0;
  const flush = async () => {
    if (rows === 0) return;
    await out.write({ columnData: typed(group), rowGroupSize: rows });
    group = empty();
    rows = chars = 0;
  };
  return {
    write(row) {
      for (const [at, cells] of group.entries()) {
        const cell = row[at] ?? null;
        cells.push(cell);
        if (typeof cell === 'string') chars += cell.length;
      }
      rows += 1;
      return rows < groupRows && chars < groupChars ? undefined : flush();
    },
    async end() {
      await flush();
      await out.finish();
    },
  };
}

function stored(cell: Cell, type: ColumnType): unknown {
  if (cell === null) return null;
  if (type === 'int') return BigInt(cell as number);
  if (type === 'timestamp') return new Date(cell as number);
  // The library writes it as JSON again.
  return type === 'json' ? JSON.parse(cell as string) : cell;
}
