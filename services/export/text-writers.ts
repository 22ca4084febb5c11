/** Rows as text: JSON lines, and CSV (RFC 4180, with a header line). */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Cell, Column, RowWriter } from './table.ts';

export function jsonLines(out: Writable, columns: readonly Column[]): RowWriter {
  return lines(out, [], (row) => {
    const parts: string[] = [];
    for (const [at, { name, type }] of columns.entries()) {
      const cell = row[at] ?? null;
      if (cell === null) continue;
      parts.push(`${JSON.stringify(name)}:${type === 'json' ? cell : JSON.stringify(shown(cell, type))}`);
    }
    return `{${parts.join(',')}}\n`;
  });
}

/** A spreadsheet takes what begins so for a formula (OWASP, CSV injection), and runs it. */
const formula = /^[=+\-@\t\r]/;

/** Text that a spreadsheet would run gets an apostrophe before it: a stranger wrote it. */
export function csv(out: Writable, columns: readonly Column[]): RowWriter {
  return csvWith(out, columns, (text) => (formula.test(text) ? `'${text}` : text));
}

/** Text as it is, for readers that are no spreadsheets. */
export function rawCsv(out: Writable, columns: readonly Column[]): RowWriter {
  return csvWith(out, columns, (text) => text);
}

function csvWith(out: Writable, columns: readonly Column[], textCell: (text: string) => string): RowWriter {
  const line = (cells: readonly string[]) => `${cells.map(quoted).join(',')}\r\n`;
  const header = line(columns.map(({ name }) => name));
  return lines(out, [header], (row) =>
    line(
      columns.map(({ type }, at) => {
        const cell = row[at] ?? null;
        if (cell === null) return '';
        return type === 'string' ? textCell(String(cell)) : String(shown(cell, type));
      }),
    ),
  );
}

function shown(cell: Exclude<Cell, null>, type: Column['type']): Exclude<Cell, null> {
  return type === 'timestamp' ? new Date(cell as number).toISOString() : cell;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function lines(out: Writable, first: readonly string[], lineOf: (row: readonly Cell[]) => string): RowWriter {
  let buffered = first.join('');
  const flush = async () => {
    const text = buffered;
    buffered = '';
    if (text !== '' && !out.write(text)) await once(out, 'drain');
  };
  return {
    write(row) {
      buffered += lineOf(row);
      return buffered.length < flushChars ? undefined : flush();
    },
    end: flush,
  };
}

const flushChars = 64 * 1024;
