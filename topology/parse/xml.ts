/**
 * XML as a stream of elements and text, by htmlparser2's Tokenizer in XML mode.
 *
 * Only the five predefined entities and numeric references are expanded. DTDs are skipped, so neither internal nor
 * external entities can do harm. Markup need not be well formed. The text may come in pieces of any size; only the
 * last `sliceChars` of it are kept, so a longer token loses its beginning (no location is that long).
 */
import { Tokenizer } from 'htmlparser2';
import { decodeXmlText } from './entities.ts';
import { parseLimits } from './parse-limits.ts';

export interface XmlEvents {
  /**
   * Names are in lower case; `prefix` is empty if there is none. `value` returns an attribute, or an empty string.
   * `values` has all attributes, and is valid during the call only.
   */
  open(prefix: string, name: string, value: (attribute: string) => string, values: ReadonlyMap<string, string>): void;
  close(prefix: string, name: string): void;
  text(text: string): void;
}

export interface XmlScanner {
  write(xml: string): void;
  /** Call at the end. True: the text breaks off inside markup. */
  end(): boolean;
}

export function createXmlScanner(events: XmlEvents): XmlScanner {
  /** The text from `windowStart` on; offsets of the tokenizer count from the very beginning. */
  let window = '';
  let windowStart = 0;
  let prefix = '';
  let name = '';
  let attributeName = '';
  let valueStart = -1;
  let valueEnd = -1;
  let textStart = -1;
  let textEnd = -1;
  const values = new Map<string, string>();
  const read = (attribute: string) => values.get(attribute) ?? '';
  const cut = (start: number, end: number) =>
    window.slice(Math.max(start - windowStart, 0), Math.max(end - windowStart, 0));
  /** Neighbouring pieces go out as one, or a reference that lies across them would be lost. */
  const endText = () => {
    if (textStart >= 0) events.text(decodeXmlText(cut(textStart, textEnd)));
    textStart = -1;
  };
  const split = (start: number, end: number) => {
    endText();
    const full = cut(start, Math.min(end, start + nameCharsMax)).toLowerCase();
    const colon = full.indexOf(':');
    prefix = colon < 0 ? '' : full.slice(0, colon);
    name = colon < 0 ? full : full.slice(colon + 1);
  };
  const openTag = () => {
    events.open(prefix, name, read, values);
    values.clear();
  };
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: false },
    {
      onopentagname: split,
      onattribname(start, end) {
        attributeName = cut(start, Math.min(end, start + nameCharsMax)).toLowerCase();
        valueStart = valueEnd = -1;
      },
      onattribdata(start, end) {
        if (valueStart < 0) valueStart = start;
        valueEnd = end;
      },
      onattribend() {
        if (valueStart < 0 || valueEnd - valueStart > parseLimits.hrefCharsMax || values.size >= attributesMax) return;
        if (!values.has(attributeName)) values.set(attributeName, decodeXmlText(cut(valueStart, valueEnd)));
      },
      onopentagend: openTag,
      onselfclosingtag() {
        openTag();
        events.close(prefix, name);
      },
      onclosetag(start, end) {
        split(start, end);
        events.close(prefix, name);
      },
      ontext(start, end) {
        if (textStart >= 0 && (start !== textEnd || end - textStart > parseLimits.hrefCharsMax)) endText();
        if (textStart < 0) textStart = start;
        textEnd = end;
      },
      oncdata(start, end, endOffset) {
        endText();
        events.text(cut(start, end - endOffset));
      },
      onend: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onattribentity: ignore,
      ontextentity: ignore,
    },
  );
  return {
    write(xml) {
      const { sliceChars } = parseLimits;
      for (let at = 0; at < xml.length; at += sliceChars) {
        const slice = xml.slice(at, at + sliceChars);
        const kept = window.slice(-sliceChars);
        windowStart += window.length - kept.length;
        window = kept + slice;
        tokenizer.write(slice);
      }
    },
    end() {
      endText();
      return window.lastIndexOf('<') > window.lastIndexOf('>');
    },
  };
}

const nameCharsMax = 256;
const attributesMax = 32;
