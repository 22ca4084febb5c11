/**
 * HTML as a stream of events, by htmlparser2's Tokenizer, behind this one file.
 *
 * The tokeniser and not the parser: nesting is nothing to us, and the parser's stack is quadratic on 200,000 nested
 * elements where the tokeniser takes 20 ms. Work is linear in the input: attribute values and entities are looked at
 * only for elements that are of use. Events carry positions, so that what is not wanted is never copied.
 */
import { Tokenizer } from 'htmlparser2';
import { parseLimits } from '../limits.ts';
import { type Element, element, elementOf } from './elements.ts';
import { decodeAttribute } from './entities.ts';

/** The attributes that are read; anything else in a tag is passed over. */
export const attribute = { href: 0, src: 1, rel: 2, name: 3, content: 4, httpEquiv: 5 } as const;
export type Attribute = (typeof attribute)[keyof typeof attribute];
const attributeCount = 6;

const attributesByName: ReadonlyMap<string, Attribute> = new Map([
  ['href', attribute.href],
  ['src', attribute.src],
  ['rel', attribute.rel],
  ['name', attribute.name],
  ['content', attribute.content],
  ['http-equiv', attribute.httpEquiv],
]);
const nameCharsMax = 10;

export interface HtmlEvents {
  /** A start tag. `value` reads its attributes, entities decoded, '' where absent; valid during the call only. */
  open(kind: Element, value: (name: Attribute) => string): void;
  close(kind: Element): void;
  /** Text between two tags, raw: may hold entities. */
  text(start: number, end: number): void;
}

/** Which elements have attributes we read: from `a` to `frame`, and `iframe`. */
function hasAttributes(kind: Element): boolean {
  return (kind >= element.a && kind <= element.frame) || kind === element.iframe;
}

/**
 * Reads `html` to its end, or until `expired`, which is asked between slices of the input, says so.
 * True: it was read to its end.
 */
export function scanHtml(html: string, events: HtmlEvents, expired: () => boolean): boolean {
  let kind: Element = element.block;
  let wanted = false;
  let current = -1;
  let valueStart = -1;
  let valueEnd = -1;
  let textStart = -1;
  let textEnd = -1;
  const starts = new Int32Array(attributeCount).fill(-1);
  const ends = new Int32Array(attributeCount);

  const value = (name: Attribute) => (starts[name]! < 0 ? '' : decodeAttribute(html.slice(starts[name], ends[name])));
  const flushText = () => {
    if (textStart < 0) return;
    events.text(textStart, textEnd);
    textStart = -1;
  };
  const openTag = () => {
    events.open(kind, value);
    if (wanted) starts.fill(-1);
  };
  const ignore = () => {};

  const tokenizer = new Tokenizer(
    // Entities are decoded by us, in what is used: the tokeniser may then skip from mark to mark.
    { decodeEntities: false },
    {
      onopentagname(start, end) {
        flushText();
        kind = elementOf(html.slice(start, end));
        wanted = hasAttributes(kind);
      },
      onattribname(start, end) {
        if (!wanted) return;
        const name = end - start > nameCharsMax ? undefined : attributesByName.get(lower(html.slice(start, end)));
        // The first attribute of a name counts (HTML standard §13.2.5.33).
        current = name === undefined || starts[name]! >= 0 ? -1 : name;
        valueStart = valueEnd = -1;
      },
      onattribdata(start, end) {
        // A value may come in two parts, where a slice ends in it.
        if (valueStart < 0) valueStart = start;
        valueEnd = end;
      },
      onattribend() {
        if (!wanted || current < 0) return;
        starts[current] = Math.max(valueStart, 0);
        ends[current] = valueStart < 0 ? 0 : valueEnd;
        current = -1;
      },
      onopentagend: openTag,
      onselfclosingtag: openTag,
      onclosetag(start, end) {
        flushText();
        events.close(elementOf(html.slice(start, end)));
      },
      ontext(start, end) {
        if (textStart >= 0 && textEnd !== start) flushText();
        if (textStart < 0) textStart = start;
        textEnd = end;
      },
      onend: flushText,
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onattribentity: ignore,
      ontextentity: ignore,
    },
  );
  const { sliceChars } = parseLimits;
  for (let at = 0; at < html.length; at += sliceChars) {
    if (at > 0 && expired()) {
      flushText();
      return false;
    }
    tokenizer.write(html.length <= sliceChars ? html : html.slice(at, at + sliceChars));
  }
  tokenizer.end();
  return true;
}

/** Most names are written in lower case already. */
function lower(name: string): string {
  return attributesByName.has(name) ? name : name.toLowerCase();
}
