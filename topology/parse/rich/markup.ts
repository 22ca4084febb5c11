/**
 * HTML as a stream of elements with all their attributes, for what looks at more than links: names in lower case,
 * entities decoded, text of scripts and styles apart from a reader's. By htmlparser2's Tokenizer: linear, and no tree.
 */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { decodeAttribute, decodeText } from '../entities.ts';
import { richLimits } from './rich-limits.ts';

export type Attributes = ReadonlyMap<string, string>;

export interface MarkupEvents {
  /** A void element (`<br>`) gets no `close`. One of SVG or MathML that closes itself (`<path/>`) does. */
  open(name: string, attributes: Attributes): void;
  /** An end tag as in the source: it may close no element, or several. */
  close(name: string): void;
  /** `raw`: of a script or style. */
  text(text: string, raw: boolean): void;
}

const rawNames = new Set(['script', 'style', 'noembed', 'noframes', 'iframe', 'xmp']);
export const voidNames: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);

/** Roots of markup in a page that is not HTML's own. */
const foreignRoots = new Set(['svg', 'math']);
/** Elements in foreign markup that contain HTML again. */
const htmlWithin = new Set(['foreignobject', 'annotation-xml']);
/** Elements that end a drawing, since no author of drawings uses them (HTML standard §13.2.6.5). */
const endsForeign = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ' +
    'ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);

/** Makes elements of the tokeniser's marks. Ends drawings as HTML does, because their end tags may be missing. */
class MarkupReader implements TokenizerCallbacks {
  readonly #html: string;
  readonly #hasNul: boolean;
  readonly #events: MarkupEvents;
  #name = '';
  #raw = '';
  #attribute = '';
  #valueStart = -1;
  #valueEnd = -1;
  #attributes = new Map<string, string>();
  #textStart = -1;
  #textEnd = -1;
  /** Name of the open root of foreign markup; empty: none. */
  #foreign = '';
  /** Number of open elements with that name. */
  #foreignDepth = 0;
  /** Open elements in it that contain HTML again. */
  #within = 0;

  constructor(html: string, events: MarkupEvents) {
    this.#html = html;
    this.#hasNul = html.includes('\0');
    this.#events = events;
  }

  onopentagname(start: number, end: number): void {
    this.#endText();
    this.#name = this.#nameAt(start, end);
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#nameAt(start, end);
    this.#valueStart = this.#valueEnd = -1;
  }

  onattribdata(start: number, end: number): void {
    if (this.#valueStart < 0) this.#valueStart = start;
    this.#valueEnd = end;
  }

  onattribend(): void {
    if (this.#attributes.size >= richLimits.attributesMax || this.#attributes.has(this.#attribute)) return;
    const start = this.#valueStart;
    const value = start < 0 ? '' : this.#html.slice(start, Math.min(this.#valueEnd, start + richLimits.valueCharsMax));
    this.#attributes.set(this.#attribute, decodeAttribute(this.#hasNul ? value.replaceAll('\0', '\ufffd') : value));
  }

  onopentagend(): void {
    const name = this.#name;
    if (this.#foreign === '') {
      if (foreignRoots.has(name)) this.#foreign = name;
    } else if (htmlWithin.has(name)) this.#within += 1;
    else if (this.#within === 0 && endsForeign.has(name)) while (this.#foreign !== '') this.#closeForeign();
    if (name === this.#foreign) this.#foreignDepth += 1;
    this.#events.open(name, this.#attributes);
    if (this.#attributes.size > 0) this.#attributes = new Map();
    this.#raw = rawNames.has(name) ? name : '';
  }

  onselfclosingtag(): void {
    this.onopentagend();
    // `<script/>` begins no raw text here, as in `scan.ts`; other names of HTML ignore the slash, as HTML does.
    this.#raw = '';
    if (this.#foreign === '') return;
    if (htmlWithin.has(this.#name)) this.#within -= 1;
    if (this.#name === this.#foreign) this.#closeForeign();
    else if (!voidNames.has(this.#name)) this.#events.close(this.#name);
  }

  onclosetag(start: number, end: number): void {
    this.#endText();
    this.#raw = '';
    const closed = this.#nameAt(start, end);
    if (closed === this.#foreign) return this.#closeForeign();
    if (this.#foreign !== '' && this.#within > 0 && htmlWithin.has(closed)) this.#within -= 1;
    this.#events.close(closed);
  }

  ontext(start: number, end: number): void {
    if (this.#textStart >= 0 && start !== this.#textEnd) this.#endText();
    if (this.#textStart < 0) this.#textStart = start;
    this.#textEnd = end;
  }

  onend(): void {
    this.#endText();
  }

  oncomment(): void {
    this.#endText();
  }

  ondeclaration(): void {
    this.#endText();
  }

  onprocessinginstruction(): void {
    this.#endText();
  }

  oncdata(): void {}

  onattribentity(): void {}

  ontextentity(): void {}

  #nameAt(start: number, end: number): string {
    return this.#html.slice(start, Math.min(end, start + richLimits.nameCharsMax)).toLowerCase();
  }

  #endText(): void {
    if (this.#textStart < 0) return;
    const isRaw = this.#raw !== '';
    const written = this.#html.slice(this.#textStart, this.#textEnd);
    const text = this.#hasNul ? written.replaceAll('\0', isRaw ? '\ufffd' : '') : written;
    this.#events.text(isRaw ? text : decodeText(text), isRaw);
    this.#textStart = -1;
  }

  #closeForeign(): void {
    this.#events.close(this.#foreign);
    this.#foreignDepth -= 1;
    if (this.#foreignDepth > 0) return;
    this.#foreign = '';
    this.#within = 0;
  }
}

/** Reads the markup. Returns false if `expired`, called between slices, stopped it. */
export function readMarkup(html: string, events: MarkupEvents, expired: () => boolean): boolean {
  const options = { xmlMode: false, decodeEntities: false, recognizeSelfClosing: true };
  const tokenizer = new Tokenizer(options, new MarkupReader(html, events));
  for (let at = 0; at < html.length; at += richLimits.sliceChars) {
    if (at > 0 && expired()) return false;
    tokenizer.write(html.slice(at, at + richLimits.sliceChars));
  }
  tokenizer.end();
  return true;
}
