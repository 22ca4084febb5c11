/**
 * HTML as a stream of elements with all their attributes, for what looks at more than links: names in lower case,
 * entities decoded, text of scripts and styles apart from a reader's. By htmlparser2's Tokenizer: linear, and no tree.
 */
import { Tokenizer } from 'htmlparser2';
import { decodeAttribute, decodeText } from '../entities.ts';
import { richLimits } from './rich-limits.ts';

export type Attributes = ReadonlyMap<string, string>;

export interface MarkupEvents {
  /** A void element (`<br>`) gets no `close`. */
  open(name: string, attributes: Attributes): void;
  /** As it stands in the source: it may close nothing, or more than one. */
  close(name: string): void;
  /** `raw`: of a script or style. */
  text(text: string, raw: boolean): void;
}

const rawNames = new Set(['script', 'style', 'noembed', 'noframes', 'iframe', 'xmp']);
export const voidNames: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);

/** False: `expired`, which is asked between slices, ended it. */
export function readMarkup(html: string, events: MarkupEvents, expired: () => boolean): boolean {
  let name = '';
  let raw = '';
  let attribute = '';
  let valueStart = -1;
  let valueEnd = -1;
  let attributes = new Map<string, string>();
  let textStart = -1;
  let textEnd = -1;
  const nameAt = (start: number, end: number) =>
    html.slice(start, Math.min(end, start + richLimits.nameCharsMax)).toLowerCase();
  const endText = () => {
    if (textStart < 0) return;
    const text = html.slice(textStart, textEnd);
    events.text(raw === '' ? decodeText(text) : text, raw !== '');
    textStart = -1;
  };
  const open = () => {
    events.open(name, attributes);
    if (attributes.size > 0) attributes = new Map();
    raw = rawNames.has(name) ? name : '';
  };
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: false },
    {
      onopentagname(start, end) {
        endText();
        name = nameAt(start, end);
      },
      onattribname(start, end) {
        attribute = nameAt(start, end);
        valueStart = valueEnd = -1;
      },
      onattribdata(start, end) {
        if (valueStart < 0) valueStart = start;
        valueEnd = end;
      },
      onattribend() {
        if (attributes.size >= richLimits.attributesMax || attributes.has(attribute)) return;
        const value =
          valueStart < 0 ? '' : html.slice(valueStart, Math.min(valueEnd, valueStart + richLimits.valueCharsMax));
        attributes.set(attribute, decodeAttribute(value));
      },
      onopentagend: open,
      onselfclosingtag() {
        open();
        // `<script/>` begins no raw text here, as in `scan.ts`; other names ignore the slash, as HTML does.
        raw = '';
      },
      onclosetag(start, end) {
        endText();
        raw = '';
        events.close(nameAt(start, end));
      },
      ontext(start, end) {
        if (textStart >= 0 && start !== textEnd) endText();
        if (textStart < 0) textStart = start;
        textEnd = end;
      },
      oncdata: ignore,
      onend: endText,
      oncomment: endText,
      ondeclaration: endText,
      onprocessinginstruction: endText,
      onattribentity: ignore,
      ontextentity: ignore,
    },
  );
  for (let at = 0; at < html.length; at += richLimits.sliceChars) {
    if (at > 0 && expired()) return false;
    tokenizer.write(html.slice(at, at + richLimits.sliceChars));
  }
  tokenizer.end();
  return true;
}
