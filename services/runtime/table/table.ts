/** Input of an export: named columns of simple types, and rows of their values in that order. */

/** `int`: a whole number up to 2^53; `int32`: 32 bits. `json`: JSON text. `timestamp`: ms since the Unix epoch. */
export type ColumnType = 'string' | 'int' | 'int32' | 'double' | 'boolean' | 'timestamp' | 'json';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

export type Cell = string | number | boolean | null;
export type Row = readonly Cell[];

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: AsyncIterable<Row>;
}

/** Writes rows somewhere. `end` resolves when all is written. */
export interface RowWriter {
  write(row: Row): void | Promise<void>;
  end(): Promise<void>;
}
