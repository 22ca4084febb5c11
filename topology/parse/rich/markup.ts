/**
 * HTML as a stream of elements with all their attributes, for what looks at more than links: names in lower case,
 * entities decoded, text of scripts and styles apart from a reader's. By htmlparser2's Tokenizer: linear, and no tree.
 */
import { Tokenizer } from 'htmlparser2';
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

/** Reads the markup. Returns false if `expired`, called between slices, stopped it. */
export function readMarkup(html: string, events: MarkupEvents, expired: () => boolean): boolean {
  const hasNul = html.includes('\0');
  let name = '';
  let raw = '';
  let attribute = '';
  let valueStart = -1;
  let valueEnd = -1;
  let attributes = new Map<string, string>();
  let textStart = -1;
  let textEnd = -1;
  /** Name of the open root of foreign markup; empty: none. */
  let foreign = '';
  /** Number of open elements with that name. */
  let foreignDepth = 0;
  /** Open elements in it that contain HTML again. */
  let within = 0;
  const closeForeign = () => {
    events.close(foreign);
    foreignDepth -= 1;
    if (foreignDepth > 0) return;
    foreign = '';
    within = 0;
  };
  const nameAt = (start: number, end: number) =>
    html.slice(start, Math.min(end, start + richLimits.nameCharsMax)).toLowerCase();
  const endText = () => {
    if (textStart < 0) return;
    const written = html.slice(textStart, textEnd);
    const text = hasNul ? written.replaceAll('\0', raw === '' ? '' : '\ufffd') : written;
    events.text(raw === '' ? decodeText(text) : text, raw !== '');
    textStart = -1;
  };
  const open = () => {
    if (foreign === '' && foreignRoots.has(name)) foreign = name;
    else if (foreign !== '' && htmlWithin.has(name)) within += 1;
    else if (foreign !== '' && within === 0 && endsForeign.has(name)) while (foreign !== '') closeForeign();
    if (name === foreign) foreignDepth += 1;
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
        attributes.set(attribute, decodeAttribute(hasNul ? value.replaceAll('\0', '\ufffd') : value));
      },
      onopentagend: open,
      onselfclosingtag() {
        open();
        // `<script/>` begins no raw text here, as in `scan.ts`; other names of HTML ignore the slash, as HTML does.
        raw = '';
        if (foreign === '') return;
        if (htmlWithin.has(name)) within -= 1;
        if (name === foreign) closeForeign();
        else if (!voidNames.has(name)) events.close(name);
      },
      onclosetag(start, end) {
        endText();
        raw = '';
        const closed = nameAt(start, end);
        if (closed === foreign) return closeForeign();
        if (foreign !== '' && within > 0 && htmlWithin.has(closed)) within -= 1;
        events.close(closed);
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
