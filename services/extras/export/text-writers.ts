/** Rows as text: JSON lines, and CSV (RFC 4180, with a header line). */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Cell, Column, RowWriter } from '../../runtime/table/table.ts';

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

/**
 * Beginnings of a cell that a spreadsheet takes for a formula and runs (OWASP, CSV injection), including the wide forms
 * of East Asian keyboards. In locales that split lines at semicolons, a cell may begin within ours, and quotes do not
 * prevent that.
 */
const formula = /^[\s\ufeff\u200b]*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/;
const formulaWithin = /([;\t\r\n])(?=[=+\-@\uff0b\uff0d\uff1d\uff20])/g;
const signWithin = /(?<=;)[=+\-@\uff0b\uff0d\uff1d\uff20]/g;

interface Guard {
  readonly string: (text: string) => string;
  readonly json: (text: string) => string;
}

/**
 * Strangers wrote the text: an apostrophe is put before a formula that would run. Text in JSON is escaped in another
 * way, so that it reads back the same.
 */
const spreadsheet: Guard = {
  string: (text) => (formula.test(text) ? `'${text}` : text).replace(formulaWithin, "$1'"),
  json: (text) => text.replace(signWithin, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`),
};
const asItIs = (text: string) => text;

export function csv(out: Writable, columns: readonly Column[]): RowWriter {
  return csvWith(out, columns, spreadsheet);
}

/** Text without changes, for readers other than spreadsheets. */
export function rawCsv(out: Writable, columns: readonly Column[]): RowWriter {
  return csvWith(out, columns, { string: asItIs, json: asItIs });
}

function csvWith(out: Writable, columns: readonly Column[], guard: Guard): RowWriter {
  const line = (cells: readonly string[]) => `${cells.map(quoted).join(',')}\r\n`;
  const header = line(columns.map(({ name }) => name));
  return lines(out, [header], (row) =>
    line(
      columns.map(({ type }, at) => {
        const cell = row[at] ?? null;
        if (cell === null) return '';
        if (type === 'string' || type === 'json') return guard[type](String(cell));
        return String(shown(cell, type));
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
