/**
 * The content of one block as inline Markdown (CommonMark 0.31, with GitHub's tables). Emphasis, code and links of
 * the page become Markdown; everything else is escaped, so that a Markdown reader shows the page's own words.
 * Pictures are left out.
 */
import type { Attributes } from './markup.ts';

/** A cell of a row, a term, or its definition. */
export type CellName = 'td' | 'th' | 'dt' | 'dd';

type Mark = 'strong' | 'em' | 'code' | 'a';

export interface MarkedText {
  readonly mark: Mark | '';
  /** Target of a link, as written; empty for other marks. */
  readonly href: string;
  readonly parts: (string | MarkedText)[];
}

/** Block: its cells, or one without a name. */
export interface InlineCell {
  readonly name: CellName | '';
  readonly text: MarkedText;
}

export interface InlineReader {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(text: string): void;
  cell(name: CellName): void;
  /** Text since the last block; open marks end with it, a link continues. */
  take(): readonly InlineCell[];
}

const marks: Readonly<Record<string, Mark>> = {
  ...{ a: 'a', b: 'strong', strong: 'strong', i: 'em', em: 'em', cite: 'em', dfn: 'em', var: 'em' },
  ...{ code: 'code', kbd: 'code', samp: 'code', tt: 'code' },
};
/** Most nested marks; deeper ones are skipped, so that recursion stays bounded. */
const marksDeepMax = 16;

export function createInlineReader(): InlineReader {
  let cells: InlineCell[] = [];
  let open: MarkedText[] = [];
  let passedOver = 0;

  const last = () => {
    if (open.length > 0) return open[open.length - 1]!;
    if (cells.length === 0) cells.push({ name: '', text: plain() });
    return cells[cells.length - 1]!.text;
  };
  const begin = (mark: Mark, href: string) => {
    const made: MarkedText = { mark, href, parts: [] };
    last().parts.push(made);
    open.push(made);
  };
  const end = (mark: Mark) => {
    const at = open.findLastIndex((one) => one.mark === mark);
    if (at >= 0) open = open.slice(0, at);
  };
  const link = () => open.find(({ mark }) => mark === 'a');
  return {
    open(name, attributes) {
      const mark = marks[name];
      if (mark === undefined) return;
      // A second link ends the first; code holds no marks.
      if (mark === 'a') end('a');
      if (open.length >= marksDeepMax) passedOver += 1;
      else begin(mark, mark === 'a' ? (attributes.get('href') ?? '') : '');
    },
    close(name) {
      const mark = marks[name];
      if (mark === undefined) return;
      if (passedOver > 0) passedOver -= 1;
      else end(mark);
    },
    text(text) {
      const { parts } = last();
      const before = parts.at(-1);
      if (typeof before === 'string') parts[parts.length - 1] = before + text;
      else parts.push(text);
    },
    cell(name) {
      const goesOn = link();
      open = [];
      // An empty first cell is dropped.
      if (cells.length === 1 && cells[0]!.name === '' && isBlank(cells[0]!.text)) cells = [];
      cells.push({ name, text: plain() });
      if (goesOn !== undefined) begin('a', goesOn.href);
    },
    take() {
      const taken = cells;
      const goesOn = link();
      cells = [];
      open = [];
      passedOver = 0;
      if (goesOn !== undefined) begin('a', goesOn.href);
      return taken;
    },
  };
}

function plain(): MarkedText {
  return { mark: '', href: '', parts: [] };
}

function isBlank({ parts }: MarkedText): boolean {
  return parts.every((part) => (typeof part === 'string' ? part.trim() === '' : isBlank(part)));
}

/** Only the words, as they are in the source. */
export function rawText({ parts }: MarkedText): string {
  return parts.map((part) => (typeof part === 'string' ? part : rawText(part))).join('');
}

/** `resolve`: a link's address in full; null: it is left out, and its text stays. On one line, without blanks around it. */
export function inlineMarkdown(text: MarkedText, resolve: (href: string) => string | null): string {
  return escapeStart(written(text, resolve, ['', '']).replace(/\s+/g, ' ').trim());
}

/**
 * Writes a mark. `around`: the characters before and after it. `isEmphasis`: it is already inside emphasis; nested
 * emphasis is ambiguous in Markdown, so it is left out.
 */
function written(
  { mark, href, parts }: MarkedText,
  resolve: (href: string) => string | null,
  around: readonly [string, string],
  isEmphasis = false,
): string {
  if (mark === 'code') {
    const raw = rawText({ mark, href, parts });
    // Two code spans side by side would become one.
    return around.includes('`') ? escaped(raw) : codeOf(raw);
  }
  let inner = '';
  const all = joined(parts);
  all.forEach((part, at) => {
    const next = firstOf(all[at + 1]) || around[1];
    if (typeof part !== 'string')
      inner += written(
        part,
        resolve,
        [lastOf(inner) || around[0], next],
        isEmphasis || mark === 'strong' || mark === 'em',
      );
    // Before a link, an exclamation mark would make a picture of it.
    else inner += part.endsWith('!') && signs.includes(next) ? `${escaped(part.slice(0, -1))}\\!` : escaped(part);
  });
  if (mark === '') return inner;
  const core = inner.trim();
  if (core === '') return inner;
  const [before, behind] = [inner.slice(0, inner.indexOf(core)), inner.slice(inner.indexOf(core) + core.length)];
  if (mark === 'a') {
    const url = resolve(href);
    return url === null ? inner : `${before}[${core}](${inParentheses(url)})${behind}`;
  }
  const sign = mark === 'strong' ? '**' : '*';
  const fits =
    !isEmphasis &&
    flanks(lastOf(before) || around[0], firstOf(core)) &&
    flanks(firstOf(behind) || around[1], lastOf(core)) &&
    // A star next to another star has another meaning.
    (before === '' ? around[0] : '') !== '*' &&
    (behind === '' ? around[1] : '') !== '*';
  return fits ? `${before}${sign}${core}${sign}${behind}` : inner;
}

/** Code that goes on is one. */
function joined(parts: readonly (string | MarkedText)[]): readonly (string | MarkedText)[] {
  const all: (string | MarkedText)[] = [];
  for (const part of parts) {
    const before = all.at(-1);
    if (typeof part !== 'string' && part.mark === 'code' && typeof before === 'object' && before.mark === 'code')
      all[all.length - 1] = { ...before, parts: [...before.parts, ...part.parts] };
    else all.push(part);
  }
  return all;
}

/** The last character, in code points; empty: none. */
function lastOf(text: string): string {
  return /.$/su.exec(text)?.[0] ?? '';
}

function firstOf(part: string | MarkedText | undefined): string {
  if (part === undefined) return '';
  if (typeof part === 'string') return /^./su.exec(part)?.[0] ?? '';
  // Its own sign would stand there.
  return part.mark === 'a' ? '[' : part.mark === 'code' ? '`' : '*';
}

/** May a sign stand between a character outside it and one inside? CommonMark's rule of flanking runs. */
function flanks(outside: string, inside: string): boolean {
  const isPunctuation = /[\p{P}\p{S}]/u;
  return outside === '' || /[\s]/.test(outside) || isPunctuation.test(outside) || !isPunctuation.test(inside);
}

function codeOf(raw: string): string {
  const text = raw.replace(/\s+/g, ' ');
  const core = text.trim();
  if (core === '') return text;
  const fence = '`'.repeat(longestRun(core, '`') + 1);
  const pad = core.startsWith('`') || core.endsWith('`') ? ' ' : '';
  return `${text.startsWith(' ') ? ' ' : ''}${fence}${pad}${core}${pad}${fence}${text.endsWith(' ') ? ' ' : ''}`;
}

/** Length of the longest run of a character. */
export function longestRun(text: string, character: string): number {
  let [longest, run] = [0, 0];
  for (const one of text) {
    run = one === character ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** First characters of marks. */
const signs = ['[', '*', '`'];

/** An underscore within a word has no effect in Markdown. */
const special = /[\\`*[\]<>~|]|&(?=#?\w{1,32};)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

function escaped(text: string): string {
  return text.replace(special, '\\$&');
}

/** Escapes characters that would start a heading, list, quotation or rule at the start of a line. */
function escapeStart(line: string): string {
  return line.replace(/^(#{1,6}(?=\s|$)|[-+=](?=[\s=+-]|$)|\d{1,9}(?=[.)](?:\s|$)))/, (start) =>
    /^\d/.test(start) ? `${start}\\` : `\\${start}`,
  );
}

function inParentheses(url: string): string {
  return url.replace(/[()\\<>\s]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
