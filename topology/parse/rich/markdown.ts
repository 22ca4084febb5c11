/**
 * Main text as Markdown (CommonMark 0.31, and GitHub's tables): headings, paragraphs, lists, quotations, code, data
 * tables, and terms in bold before their definitions. It has the words of the main text, in the same order.
 */
import { type InlineCell, inlineMarkdown, longestRun, type MarkedText, rawText } from './inline-markdown.ts';
import { richLimits } from './rich-limits.ts';
import type { TextBlock, TextElement } from './text-blocks.ts';

type Resolve = (href: string) => string | null;

/**
 * Converts blocks to Markdown. `resolve`: returns the absolute address of a link; with null, only the link's text is
 * written.
 */
export function markdownOf(blocks: readonly TextBlock[], resolve: Resolve): string {
  const places = createPlaces();
  const written: string[] = [];
  /** Tables used for page layout. */
  const layout = new Set<TextElement>();
  let chars = 0;
  for (let at = 0; at < blocks.length; ) {
    const { at: element } = blocks[at]!;
    const whole = outermost(element, (one) => one.name === 'pre' || (one.name === 'table' && !layout.has(one)));
    const end = endOf(blocks, at, (one) => goesOn(one.at, element, whole));
    const run = blocks.slice(at, end);
    // A table within another is met before the rest of the outer one is walked through: there may be many.
    const holdsTable =
      whole?.name === 'table' &&
      (nearest(element, 'table') !== whole || (end < blocks.length && isIn(blocks[end]!.at, whole)));
    const lines = holdsTable ? null : linesOf(run, whole, resolve);
    if (lines === null) {
      layout.add(whole!);
      continue;
    }
    at = end;
    if (lines.length === 0) continue;
    const { text, between } = places.put(lines, whole ?? element);
    chars += text.length;
    if (chars > richLimits.markdownCharsMax) break;
    if (written.length > 0) written.push(between);
    written.push(text);
  }
  return written.join('');
}

/** The lines of a run of blocks; null for a layout table, where each block is converted separately. */
function linesOf(run: readonly TextBlock[], whole: TextElement | null, resolve: Resolve): string[] | null {
  if (whole?.name === 'pre') return fenced(run);
  if (whole !== null) return rowsOf(run, resolve);
  const lines = run.map(({ cells = [] }) => lineOf(cells, resolve)).filter((line) => line !== '');
  const { heading } = run[0]!;
  // Escapes `#` at the end of a heading, which Markdown would drop.
  if (heading > 0)
    return lines.length === 0 ? [] : [`${'#'.repeat(heading)} ${lines.join(' ').replace(/(?<=^|\s)#+$/, '\\$&')}`];
  // Lines of one element are joined by hard line breaks.
  return lines.map((line, n) => (n < lines.length - 1 ? `${line}\\` : line));
}

function lineOf(cells: readonly InlineCell[], resolve: Resolve): string {
  return cells
    .map(({ name, text }) => {
      const line = inlineMarkdown(text, resolve);
      return name === 'dt' && line !== '' && !line.includes('*') ? `**${line}**` : line;
    })
    .filter((line) => line !== '')
    .join(' ');
}

/** A fenced code block; its fence is longer than any run of backticks in the code. */
function fenced(run: readonly TextBlock[]): string[] {
  const raw = run.map(({ cells = [] }) => cells.map(({ text }) => rawText(text)).join(' ')).join('\n');
  const lines = raw.trimEnd().split(/\r\n?|\n/);
  while (lines[0]?.trim() === '') lines.shift();
  const fence = '`'.repeat(Math.max(3, longestRun(raw, '`') + 1));
  return [fence, ...lines, fence];
}

/**
 * The rows of a data table. Null if it has a heading, fewer than two rows or columns, or a cell longer than
 * `cellCharsMax`: the table is then used for layout.
 */
function rowsOf(run: readonly TextBlock[], resolve: Resolve): string[] | null {
  const rows: { readonly row: TextElement | null; readonly cells: InlineCell[] }[] = [];
  const before: string[] = [];
  for (const { at, cells = [], heading } of run) {
    if (heading > 0) return null;
    const row = nearest(at, 'tr');
    if (row === null) before.push(lineOf(cells, resolve), '');
    else if (rows.at(-1)?.row === row) rows.at(-1)!.cells.push(...cells);
    else rows.push({ row, cells: [...cells] });
  }
  const texts = rows.map(({ cells }) => cellTexts(cells, resolve));
  const columns = Math.max(0, ...texts.map((row) => row.length));
  if (rows.length < 2 || columns < 2 || texts.some((row) => row.some((text) => text.length > cellCharsMax)))
    return null;
  const line = (row: readonly string[]) =>
    `| ${Array.from({ length: columns }, (_, at) => row[at] ?? '').join(' | ')} |`;
  const headed = rows[0]!.cells.every(({ name }) => name === 'th');
  const [head, ...rest] = headed ? texts : [[], ...texts];
  return [...before, line(head!), `|${' --- |'.repeat(columns)}`, ...rest.map(line)];
}

/** Longest cell of a data table, in characters; a table with a longer cell is used for layout. */
const cellCharsMax = 1_000;

/** Text before the first cell of a row, or between blocks of one cell, belongs to the previous cell. */
function cellTexts(cells: readonly InlineCell[], resolve: Resolve): string[] {
  const texts: string[] = [];
  for (const { name, text } of cells) {
    const one = inlineMarkdown(withoutBarsInCode(text), resolve);
    if (name === 'td' || name === 'th' || texts.length === 0) texts.push(one);
    else texts[texts.length - 1] = `${texts.at(-1)} ${one}`.trim();
  }
  return texts;
}

/** In a table, a bar ends a cell even within code, so code with a bar is written as plain text. */
function withoutBarsInCode({ mark, href, parts }: MarkedText): MarkedText {
  const text = { mark, href, parts: parts.map((part) => (typeof part === 'string' ? part : withoutBarsInCode(part))) };
  return mark === 'code' && rawText(text).includes('|') ? { ...text, mark: '' } : text;
}

interface Places {
  /** Returns the lines with the marks of their lists and quotations, and the separator from the lines before. */
  put(lines: readonly string[], at: TextElement): { readonly text: string; readonly between: string };
}

/** Lists and quotations within each other; deeper, the marks would be most of the text. */
const nestedMax = 16;

function createPlaces(): Places {
  /** `counts`: list → number of items so far. `marks`: item → its mark, once written. */
  const counts = new Map<TextElement, number>();
  const marks = new Map<TextElement, string>();
  let before: readonly TextElement[] = [];
  const markOf = (item: TextElement) => {
    const list = item.parent!;
    const count = (counts.get(list) ?? 0) + 1;
    counts.set(list, count);
    return list.name === 'ol' ? `${count}. ` : '- ';
  };
  return {
    put(lines, at) {
      const holders: TextElement[] = [];
      for (let one: TextElement | null = at; one !== null; one = one.parent)
        if (one.name === 'li' || one.name === 'blockquote') holders.unshift(one);
      const shown = holders.slice(0, nestedMax);
      let [first, others, shared] = ['', '', ''];
      for (const holder of shown) {
        const known = marks.get(holder);
        const mark = holder.name === 'blockquote' ? '> ' : (known ?? markOf(holder));
        const rest = holder.name === 'blockquote' ? '> ' : ' '.repeat(mark.length);
        first += known === undefined ? mark : rest;
        others += rest;
        marks.set(holder, mark);
        if (before.includes(holder)) shared = others;
      }
      const text = lines.map((line, n) => `${n === 0 ? first : others}${line}`.trimEnd()).join('\n');
      const item = shown.at(-1);
      // An item after one of the same list, or below one.
      const follows = (one: TextElement) => one.name === 'li' && (one.parent === item?.parent || shown.includes(one));
      const tight = item?.name === 'li' && !before.includes(item) && before.some(follows);
      before = shown;
      return { text, between: tight ? '\n' : `\n${shared.trimEnd()}\n` };
    },
  };
}

function endOf(blocks: readonly TextBlock[], from: number, goesOn: (block: TextBlock) => boolean): number {
  let end = from + 1;
  while (end < blocks.length && goesOn(blocks[end]!)) end += 1;
  return end;
}

/** Returns whether the block at `at` is part of the run that began at `from`. */
function goesOn(at: TextElement, from: TextElement, whole: TextElement | null): boolean {
  if (whole === null) return at === from;
  return whole.name === 'table' ? nearest(at, 'table') === whole : isIn(at, whole);
}

function isIn(at: TextElement, holder: TextElement): boolean {
  return outermost(at, (one) => one === holder) !== null;
}

/** The outermost matching element among this one and its ancestors; null: none. */
function outermost(at: TextElement, wanted: (element: TextElement) => boolean): TextElement | null {
  let found: TextElement | null = null;
  for (let one: TextElement | null = at; one !== null; one = one.parent) if (wanted(one)) found = one;
  return found;
}

function nearest(at: TextElement, name: string): TextElement | null {
  for (let one: TextElement | null = at; one !== null; one = one.parent) if (one.name === name) return one;
  return null;
}
