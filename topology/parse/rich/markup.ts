/**
 * HTML as a stream of elements with all their attributes, for what looks at more than links: names in lower case,
 * entities decoded, text of scripts and styles apart from a reader's. By htmlparser2's Tokenizer: linear, and no tree.
 */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { decodeAttribute, decodeText } from '../entities.ts';
import { ForeignMarkup } from '../foreign.ts';
import { richLimits } from './rich-limits.ts';

export type Attributes = ReadonlyMap<string, string>;

export interface MarkupEvents {
  /** A void element (`<br>`) gets no `close`. One of SVG or MathML that closes itself (`<path/>`) does, and so does `<iframe/>`. */
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

/** Makes elements of the tokeniser's marks. */
class MarkupReader implements TokenizerCallbacks {
  readonly #html: string;
  readonly #hasNul: boolean;
  readonly #events: MarkupEvents;
  readonly #stop: () => void;
  #name = '';
  #raw = '';
  #attribute = '';
  #valueStart = -1;
  #valueEnd = -1;
  #attributes = new Map<string, string>();
  #textStart = -1;
  #textEnd = -1;
  readonly #foreign = new ForeignMarkup();
  /** Start of the tokeniser in the document: its positions count from there. */
  #base = 0;
  /** Start of the next tokeniser; 0: the present one goes on. */
  #goOnAt = 0;

  /** `stop`: the tokeniser. */
  constructor(html: string, events: MarkupEvents, stop: () => void) {
    this.#html = html;
    this.#hasNul = html.includes('\0');
    this.#events = events;
    this.#stop = stop;
  }

  /** Returns the place from which a new tokeniser goes on, and counts its positions from there. 0: the present one goes on. */
  startAfresh(): number {
    const at = this.#goOnAt;
    this.#goOnAt = 0;
    if (at > 0) this.#base = at;
    return at;
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
    if (this.#valueStart < 0) this.#valueStart = this.#base + start;
    this.#valueEnd = this.#base + end;
  }

  onattribend(): void {
    if (this.#attributes.size >= richLimits.attributesMax || this.#attributes.has(this.#attribute)) return;
    const start = this.#valueStart;
    const value = start < 0 ? '' : this.#html.slice(start, Math.min(this.#valueEnd, start + richLimits.valueCharsMax));
    this.#attributes.set(this.#attribute, decodeAttribute(this.#hasNul ? value.replaceAll('\0', '\ufffd') : value));
  }

  onopentagend(): void {
    this.#open(false);
  }

  onselfclosingtag(end: number): void {
    const slash = this.#html.charCodeAt(this.#base + end - 1) === 0x2f;
    this.#open(slash);
    // As in `scan.ts`. This tokeniser would read the rest as raw text.
    if (slash && this.#raw === 'iframe') {
      this.#raw = '';
      this.#events.close('iframe');
      this.#goOnAt = this.#base + end + 1;
      this.#stop();
    }
  }

  #open(slash: boolean): void {
    const name = this.#name;
    for (const ended of this.#foreign.endedBy(name)) this.#events.close(ended);
    const closesItself = this.#foreign.opens(name, slash);
    this.#events.open(name, this.#attributes);
    if (this.#attributes.size > 0) this.#attributes = new Map();
    this.#raw = rawNames.has(name) && !closesItself ? name : '';
    if (closesItself && !voidNames.has(name)) this.#events.close(name);
  }

  /** Asked by the tokeniser, which then begins no raw text. */
  isInForeignContext(): boolean {
    return this.#foreign.isHere;
  }

  onclosetag(start: number, end: number): void {
    this.#endText();
    this.#raw = '';
    const closed = this.#nameAt(start, end);
    this.#foreign.closes(closed);
    this.#events.close(closed);
  }

  ontext(from: number, to: number): void {
    const start = this.#base + from;
    if (this.#textStart >= 0 && start !== this.#textEnd) this.#endText();
    if (this.#textStart < 0) this.#textStart = start;
    this.#textEnd = this.#base + to;
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

  /** The script of a drawing may be in such a section. */
  oncdata(start: number, end: number, marks: number): void {
    this.#endText();
    if (this.#raw !== '') this.#events.text(this.#html.slice(this.#base + start, this.#base + end - marks), true);
  }

  onattribentity(): void {}

  ontextentity(): void {}

  #nameAt(start: number, end: number): string {
    const from = this.#base + start;
    return this.#html.slice(from, Math.min(this.#base + end, from + richLimits.nameCharsMax)).toLowerCase();
  }

  #endText(): void {
    if (this.#textStart < 0) return;
    const isRaw = this.#raw !== '';
    const written = this.#html.slice(this.#textStart, this.#textEnd);
    const text = this.#hasNul ? written.replaceAll('\0', isRaw ? '\ufffd' : '') : written;
    this.#events.text(isRaw ? text : decodeText(text), isRaw);
    this.#textStart = -1;
  }
}

const tokenizerOptions = { xmlMode: false, decodeEntities: false };

/** Reads the markup. Returns false if `expired`, called between slices, stopped it. */
export function readMarkup(html: string, events: MarkupEvents, expired: () => boolean): boolean {
  const reader = new MarkupReader(html, events, () => tokenizer.pause());
  let tokenizer = new Tokenizer(tokenizerOptions, reader);
  for (let at = 0; at < html.length; ) {
    if (at > 0 && expired()) return false;
    tokenizer.write(html.slice(at, at + richLimits.sliceChars));
    const next = reader.startAfresh();
    if (next > 0) tokenizer = new Tokenizer(tokenizerOptions, reader);
    at = next > 0 ? next : at + richLimits.sliceChars;
  }
  tokenizer.end();
  return true;
}
