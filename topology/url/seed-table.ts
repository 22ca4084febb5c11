/**
 * Seeds in a table with a header line: `url`, and notes on each seed (seed-notes.ts) in other columns. Reads CSV as
 * in RFC 4180, TSV, and one JSON object a line with the same names. Empty cells are ignored.
 */
import { CrawlstreamError } from '../errors.ts';
import { parseSeed } from './seed.ts';
import type { ListedSeed } from './seed-list.ts';
import { seedNotes } from './seed-notes.ts';

/** Throws INVALID_SEED with the line and what to write instead. `name` of the file, for messages; `keys` as of `seedNotes`. */
export function parseSeedTable(
  text: string,
  separator: ',' | '\t',
  name: string,
  keys: readonly string[] = [],
): ListedSeed[] {
  const rows = rowsOf(text, separator).filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const names = rows[0]?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  const at = names.indexOf('url');
  if (at < 0)
    throw new CrawlstreamError(
      'INVALID_SEED',
      `${name}: there is no column named url; write the column names in the first line, as in url${separator}priority`,
    );
  return rows.slice(1).map(({ line, cells }) => {
    const notes = names.flatMap((column, index): [string, string][] => {
      const value = cells[index]?.trim() ?? '';
      return index === at || value === '' ? [] : [[column, value]];
    });
    return seedAt(name, line, cells[at] ?? '', notes, keys);
  });
}

/** One JSON object a line. Throws as above. */
export function parseSeedObjects(text: string, name: string, keys: readonly string[] = []): ListedSeed[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return [];
    const fields = objectOf(line);
    if (fields === null || typeof fields['url'] !== 'string')
      throw new CrawlstreamError(
        'INVALID_SEED',
        `${name} line ${index + 1}: write one JSON object per line, as in {"url":"https://example.org/","priority":0}`,
      );
    const { url, ...notes } = fields;
    const said = Object.entries(notes).filter(([, value]) => value !== null);
    return [
      seedAt(
        name,
        index + 1,
        url as string,
        said.map(([key, value]) => [key, `${value}`]),
        keys,
      ),
    ];
  });
}

function seedAt(
  name: string,
  line: number,
  url: string,
  notes: readonly (readonly [string, string])[],
  keys: readonly string[],
): ListedSeed {
  try {
    const said = seedNotes(notes, keys);
    if (typeof said === 'string') throw new CrawlstreamError('INVALID_SEED', said);
    return { url: parseSeed(url), ...said };
  } catch (error) {
    throw new CrawlstreamError('INVALID_SEED', `${name} line ${line}: ${(error as Error).message}`, error);
  }
}

function objectOf(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

interface Row {
  /** Line on which the row begins, from 1. */
  readonly line: number;
  readonly cells: string[];
}

/** Cells in quotes may hold separators, line ends and doubled quotes. */
function rowsOf(text: string, separator: string): Row[] {
  const rows: Row[] = [];
  let [line, at] = [1, 0];
  while (at < text.length) {
    const row: Row = { line, cells: [] };
    for (let isOpen = true; isOpen; ) {
      let cell = '';
      if (text[at] === '"') {
        for (at += 1; at < text.length && (text[at] !== '"' || text[at + 1] === '"'); at++) {
          if (text[at] === '"') at += 1;
          if (text[at] === '\n') line += 1;
          cell += text[at];
        }
        at += 1;
      }
      for (; at < text.length && text[at] !== separator && text[at] !== '\n'; at++) cell += text[at];
      row.cells.push(cell);
      isOpen = text[at] === separator;
      at += 1;
    }
    line += 1;
    rows.push(row);
  }
  return rows;
}
