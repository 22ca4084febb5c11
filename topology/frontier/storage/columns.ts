/** Columns of numbers by row number: typed arrays that grow as rows are added. */

type Column = Float64Array | Uint32Array | Int32Array | Uint16Array | Uint8Array;

/** Columns grow by half, not to twice their size: at 10 M rows, unused space costs memory as well. */
const growth = 1.5;
const rowsMin = 64;

/** The column, long enough to hold `row`; new rows are zero. The same array if it was. */
export function fitted<T extends Column>(column: T, row: number): T {
  if (row < column.length) return column;
  const length = Math.max(rowsMin, row + 1, Math.ceil(growth * column.length));
  const longer = new (column.constructor as new (length: number) => T)(length);
  longer.set(column as never);
  return longer;
}
