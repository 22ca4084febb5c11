/**
 * The text of a page in blocks, each with its element: the input for finding the main text.
 *
 * A block ends where a block element begins or ends. The cells of a row form one block, and so do a term and its
 * definition. Only elements with text are kept, by reference from their blocks, so a page of a million empty elements
 * costs nothing.
 */
import { type Apart, apartOf } from './apart.ts';
import type { CellName, InlineCell, InlineReader } from './inline-markdown.ts';
import type { Attributes } from './markup.ts';
import { voidNames } from './markup.ts';
import { richLimits } from './rich-limits.ts';

export interface TextElement {
  readonly name: string;
  /** First of its classes; empty: none. */
  readonly class: string;
  /** Null for the page itself. */
  readonly parent: TextElement | null;
  readonly depth: number;
  readonly apart: Apart;
  /** Its role, or its ancestor's, in HTML's main part; `main` if it is both. */
  readonly inMain: '' | 'main' | 'article';
}

export interface TextBlock {
  readonly text: string;
  readonly words: number;
  /** Share of the words that are in links. */
  readonly linkDensity: number;
  /** Share of the characters that do: `foo(<a>String</a> s)` is a link by its words, and none by its characters. */
  readonly linkShare: number;
  /** 1 to 6 of a heading, else 0. */
  readonly heading: number;
  readonly at: TextElement;
  /** Its cells with their marks; absent: not asked for. */
  readonly cells?: readonly InlineCell[];
}

export interface BlockReader {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(text: string): void;
  finish(): readonly TextBlock[];
}

/** Elements that end no block. */
export const inlineNames: ReadonlySet<string> = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data dfn em font i img ins del kbd label mark q rp rt ruby s samp small span ' +
    'strike strong sub sup time tt u var wbr'
  ).split(' '),
);
/** Elements that are shown next to each other on a line. */
const joined = new Set(['td', 'th', 'dt']);
/** Elements with optional end tags: the next of these names ends them, if nothing of `within` is between. */
const impliedEnds: Readonly<Record<string, { readonly ends: ReadonlySet<string>; readonly within: RegExp }>> = {
  li: { ends: new Set(['li']), within: /^[uo]l$/ },
  dt: { ends: new Set(['dt', 'dd']), within: /^dl$/ },
  dd: { ends: new Set(['dt', 'dd']), within: /^dl$/ },
  td: { ends: new Set(['td', 'th']), within: /^(tr|table)$/ },
  th: { ends: new Set(['td', 'th']), within: /^(tr|table)$/ },
  tr: { ends: new Set(['tr']), within: /^table$/ },
  option: { ends: new Set(['option']), within: /^(select|datalist)$/ },
};

/** Elements that are distinguished within a block. */
const cellNames: ReadonlySet<string> = new Set(['td', 'th', 'dt', 'dd']);

/** `inline` keeps the inline content of each block. */
export function createBlockReader(inline?: InlineReader): BlockReader {
  return new TagBlocks(inline);
}

/** Its public acts are fields, since callers hand out single ones: `{ open: reader.open }`. */
class TagBlocks implements BlockReader {
  readonly #inline: InlineReader | undefined;
  readonly #blocks: TextBlock[] = [];
  #at: TextElement = { name: '', class: '', parent: null, depth: 0, apart: '', inMain: '' };
  #depth = 0;
  /** Open elements beyond the limit: counted, not kept. */
  #beyond = 0;
  /** Depth of the open link; -1: none is open. */
  #linkAt = -1;
  #heading = 0;
  /** Number of open nested drawings. Their content is not text, and ends no block. */
  #drawings = 0;
  /** The previous tag of a block element. */
  #before = '';
  #pieces: string[] = [];
  #linkWords = 0;
  #linkChars = 0;
  #chars = 0;

  constructor(inline: InlineReader | undefined) {
    this.#inline = inline;
  }

  #endBlock() {
    if (this.#pieces.length === 0) return;
    const text = this.#pieces.join('').replace(/\s+/g, ' ').trim();
    this.#pieces = [];
    const words = wordsOf(text);
    if (words > 0) {
      const linkDensity = Math.min(this.#linkWords / words, 1);
      const linkShare = Math.min(this.#linkChars / text.length, 1);
      const block = { text, words, linkDensity, linkShare, heading: this.#heading, at: this.#at };
      this.#blocks.push(this.#inline === undefined ? block : { ...block, cells: this.#inline.take() });
    }
    this.#linkWords = this.#linkChars = 0;
  }

  #popTo(element: TextElement, count: number) {
    this.#at = element;
    this.#depth -= count;
  }

  /**
   * Number of levels up to the nearest element that `wanted` accepts, without passing one that matches `barrier`; -1:
   * none near.
   */
  #near(wanted: (name: string) => boolean, barrier?: RegExp) {
    let up = 0;
    for (
      let one: TextElement | null = this.#at;
      one?.parent != null && up < richLimits.closeDepthMax;
      one = one.parent
    ) {
      if (wanted(one.name)) return up;
      if (barrier?.test(one.name) === true) return -1;
      up += 1;
    }
    return -1;
  }

  #closeUp(up: number) {
    let one = this.#at;
    for (let i = 0; i <= up; i++) one = one.parent!;
    this.#popTo(one, up + 1);
  }

  #push(name: string, attributes: Attributes) {
    const implied = impliedEnds[name];
    // A paragraph ends where any block begins.
    if (this.#at.name === 'p') this.#closeUp(0);
    if (implied !== undefined) {
      const up = this.#near((one) => implied.ends.has(one), implied.within);
      if (up >= 0) this.#closeUp(up);
    }
    if (this.#depth >= richLimits.depthMax) {
      this.#beyond += 1;
      return;
    }
    const isMain = name === 'main' || attributes.get('role') === 'main';
    const isArticle = name === 'article';
    const apart = isMain || isArticle ? '' : apartOf(name, attributes, this.#at.inMain !== '');
    const inMain = isMain || this.#at.inMain === 'main' ? 'main' : isArticle ? 'article' : this.#at.inMain;
    const classes = (attributes.get('class') ?? '').trim();
    const ofClass = classes.includes(' ') ? classes.slice(0, classes.indexOf(' ')) : classes;
    this.#at = { name, class: ofClass, parent: this.#at, depth: this.#depth + 1, apart, inMain };
    this.#depth += 1;
  }

  #pop(name: string) {
    if (this.#beyond > 0) {
      this.#beyond -= 1;
      return;
    }
    // An end tag without a matching element nearby is ignored; a matching one also closes open elements inside it.
    const up = this.#at.name === name ? 0 : this.#near((one) => one === name);
    if (up >= 0) this.#closeUp(up);
  }

  readonly open: BlockReader['open'] = (name, attributes) => {
    if (name === 'svg') this.#drawings += 1;
    if (this.#drawings > 0) return;
    // `<a name=top>` is not a link, and is seldom closed; a second link ends the first. A heading's link to itself
    // does not count either.
    if (name === 'a') {
      const href = attributes.get('href');
      this.#linkAt = href === undefined || (this.#heading > 0 && href.startsWith('#')) ? -1 : this.#depth;
    }
    if (inlineNames.has(name)) {
      this.#inline?.open(name, attributes);
      return;
    }
    if (joinsBefore(name, this.#before)) this.#pieces.push(' ');
    else this.#endBlock();
    if (this.#inline !== undefined && cellNames.has(name)) this.#inline.cell(name as CellName);
    this.#before = name;
    this.#heading = headingOf(name) || this.#heading;
    if (!voidNames.has(name)) this.#push(name, attributes);
  };

  readonly close: BlockReader['close'] = (name) => {
    if (this.#drawings > 0) {
      if (name === 'svg') this.#drawings -= 1;
      return;
    }
    if (name === 'a') this.#linkAt = -1;
    if (inlineNames.has(name)) {
      this.#inline?.close(name);
      return;
    }
    if (joined.has(name)) this.#pieces.push(' ');
    else this.#endBlock();
    this.#before = name;
    if (headingOf(name) > 0) this.#heading = 0;
    this.#pop(name);
    // The link was not closed: the end of its block closes it.
    if (this.#linkAt > this.#depth) this.#linkAt = -1;
  };

  readonly text: BlockReader['text'] = (text) => {
    if (this.#drawings > 0) return;
    if (this.#chars >= richLimits.mainTextCharsMax * 2) return;
    this.#chars += text.length;
    this.#inline?.text(text);
    const inLine = text.trim();
    if (inLine === '') {
      if (this.#pieces.length > 0) this.#pieces.push(' ');
      return;
    }
    this.#pieces.push(text);
    if (this.#linkAt < 0) return;
    this.#linkWords += wordsOf(inLine);
    this.#linkChars += inLine.length;
  };

  readonly finish: BlockReader['finish'] = () => {
    this.#endBlock();
    return this.#blocks;
  };
}

function joinsBefore(name: string, before: string): boolean {
  return ((name === 'td' || name === 'th') && joined.has(before)) || (name === 'dd' && before === 'dt');
}

/** Rank of a heading, 1 to 6; 0: not a heading. */
function headingOf(name: string): number {
  const level = name.length === 2 && name.charCodeAt(0) === 0x68 ? name.charCodeAt(1) - 0x30 : 0;
  return level >= 1 && level <= 6 ? level : 0;
}

function isBlank(code: number): boolean {
  return code <= 0x20 || code === 0xa0;
}

/** Scripts without spaces have about two characters a word. */
function wordsOf(text: string): number {
  let words = 0;
  let unspaced = 0;
  let inside = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    const blank = isBlank(c);
    if (c >= 0x2e80 && c < 0xd7b0 && !(c >= 0xac00 && c < 0xd7a4)) unspaced += 1;
    else if (!blank && !inside) words += 1;
    inside = !blank;
  }
  return words + Math.ceil(unspaced / 2);
}
