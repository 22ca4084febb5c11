/**
 * Rewrites the links of a page, or a drawing, into the archive: with htmlparser2's Tokenizer, linear and without a
 * tree. Parts without a link stay unchanged, byte for byte.
 */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { decodeAttribute, decodeXmlText } from '../../../../../topology/parse/entities.ts';
import { replayLimits } from '../replay-limits.ts';
import { changeOf } from './attributes.ts';
import { rewriteCss } from './css.ts';
import type { Linker } from './linker.ts';

interface Attribute {
  readonly name: string;
  readonly start: number;
  end: number;
  valueStart: number;
  valueEnd: number;
}

/** Copies the source, with other links in its attributes and styles. */
class LinkRewriter implements TokenizerCallbacks {
  readonly #html: string;
  readonly #linker: Linker;
  readonly #isXml: boolean;
  /** Rewrites a page in an attribute. */
  readonly #nested: (html: string) => string;
  #out = '';
  /** End of the source that is copied. */
  #copied = 0;
  #element = '';
  #raw = '';
  #attributes: Attribute[] = [];
  #current: Attribute | undefined;
  /** The first base that the page names. Links before it use it, too. */
  base: string | null = null;

  constructor(html: string, linker: Linker, isXml: boolean, nested: (html: string) => string) {
    this.#html = html;
    this.#linker = linker;
    this.#isXml = isXml;
    this.#nested = nested;
  }

  get rewritten(): string {
    return this.#out + this.#html.slice(this.#copied);
  }

  onopentagname(start: number, end: number): void {
    this.#element = this.#html
      .slice(start, end)
      .toLowerCase()
      .replace(/^(?:svg|html|xhtml):/, '');
    this.#attributes = [];
  }

  onattribname(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase();
    this.#current = { name, start, end, valueStart: -1, valueEnd: -1 };
    this.#attributes.push(this.#current);
  }

  onattribdata(start: number, end: number): void {
    const current = this.#current!;
    if (current.valueStart < 0) current.valueStart = start;
    current.valueEnd = end;
    current.end = end;
  }

  onattribend(_: unknown, end: number): void {
    if (this.#current!.valueStart >= 0) this.#current!.end = end;
  }

  onopentagend(): void {
    const values = this.#values();
    const element = this.#element;
    if (element === 'base' && this.base === null) this.base = values.get('href') ?? null;
    const seen = new Set<string>();
    for (const { name, start, end } of this.#attributes) {
      // The first of a name counts; whether another parser thinks so, too, is not to matter.
      const isFirst = !seen.has(name);
      const change = isFirst ? changeOf(element, name, values.get(name)!, values, this.#linker, this.#nested) : null;
      seen.add(name);
      if (change === undefined) continue;
      this.#replace(start, end, change === null ? '' : `${name}="${escaped(change)}"`);
    }
    this.#attributes = [];
    this.#raw = element;
  }

  onselfclosingtag(): void {
    this.onopentagend();
    this.#raw = '';
  }

  onclosetag(): void {
    this.#raw = '';
  }

  ontext(start: number, end: number): void {
    this.#style(start, end, this.#isXml);
  }

  oncdata(start: number, end: number): void {
    this.#style(start, end, false);
  }

  onend(): void {}

  oncomment(): void {}

  ondeclaration(): void {}

  onprocessinginstruction(): void {}

  onattribentity(): void {}

  ontextentity(): void {}

  /** Values of the tag's attributes; the first of a name counts. */
  #values(): Map<string, string> {
    const decode = this.#isXml ? decodeXmlText : decodeAttribute;
    const values = new Map<string, string>();
    for (const { name, valueStart, valueEnd } of this.#attributes) {
      if (!values.has(name)) values.set(name, valueStart < 0 ? '' : decode(this.#html.slice(valueStart, valueEnd)));
    }
    return values;
  }

  #style(start: number, end: number, isEscaped: boolean): void {
    if (this.#raw !== 'style') return;
    const css = this.#html.slice(start, end);
    const led = rewriteCss(isEscaped ? decodeXmlText(css) : css, this.#linker);
    this.#replace(start, end, isEscaped ? escaped(led) : led);
  }

  #replace(start: number, end: number, text: string): void {
    this.#out += this.#html.slice(this.#copied, start) + text;
    this.#copied = end;
  }
}

/** `xml`: the rules of XML hold (SVG, XHTML). */
export function rewriteHtml(html: string, linker: Linker, xml: boolean, depth = 0): string {
  const nested = (text: string) => (depth < replayLimits.nestedMax ? rewriteHtml(text, linker, false, depth + 1) : '');
  const rewriter = new LinkRewriter(html, linker, xml, nested);
  const tokenizer = new Tokenizer({ xmlMode: xml, decodeEntities: false }, rewriter);
  tokenizer.write(html);
  tokenizer.end();
  if (rewriter.base !== null) {
    const based = linker.withBase(rewriter.base);
    // Once: without its `href`, no base is there any more.
    if (based.base !== linker.base) return rewriteHtml(html, { ...based, withBase: () => based }, xml, depth);
  }
  return rewriter.rewritten;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
