/**
 * XML as a stream of elements and text, by htmlparser2's Tokenizer in XML mode.
 *
 * Nothing is ever expanded but the five predefined entities and numeric references: a DTD is passed over, so that
 * neither its internal nor its external entities do harm. Markup need not be well formed; what is there is read.
 */
import { Tokenizer } from 'htmlparser2';
import { parseLimits } from '../limits.ts';
import { decodeXmlText } from './entities.ts';

export interface XmlEvents {
  /** Names lower case; `prefix` is '' where there is none. `value` reads an attribute, '' where absent. */
  open(prefix: string, name: string, value: (attribute: string) => string): void;
  close(prefix: string, name: string): void;
  text(text: string): void;
}

/** Reads until the end, or until `stop`, asked between slices, says so. */
export function scanXml(xml: string, events: XmlEvents, stop: () => boolean): void {
  let prefix = '';
  let name = '';
  let attributeName = '';
  let valueStart = -1;
  let valueEnd = -1;
  const values = new Map<string, string>();
  const read = (attribute: string) => values.get(attribute) ?? '';
  const split = (start: number, end: number) => {
    const full = xml.slice(start, Math.min(end, start + nameCharsMax)).toLowerCase();
    const colon = full.indexOf(':');
    prefix = colon < 0 ? '' : full.slice(0, colon);
    name = colon < 0 ? full : full.slice(colon + 1);
  };
  const openTag = () => {
    events.open(prefix, name, read);
    values.clear();
  };
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: false },
    {
      onopentagname: split,
      onattribname(start, end) {
        attributeName = xml.slice(start, Math.min(end, start + nameCharsMax)).toLowerCase();
        valueStart = valueEnd = -1;
      },
      onattribdata(start, end) {
        if (valueStart < 0) valueStart = start;
        valueEnd = end;
      },
      onattribend() {
        if (valueStart < 0 || valueEnd - valueStart > parseLimits.hrefCharsMax || values.size >= attributesMax) return;
        if (!values.has(attributeName)) values.set(attributeName, decodeXmlText(xml.slice(valueStart, valueEnd)));
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
        events.text(decodeXmlText(xml.slice(start, end)));
      },
      oncdata(start, end, endOffset) {
        events.text(xml.slice(start, end - endOffset));
      },
      onend: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onattribentity: ignore,
      ontextentity: ignore,
    },
  );
  const { sliceChars } = parseLimits;
  for (let at = 0; at < xml.length; at += sliceChars) {
    if (stop()) return;
    tokenizer.write(xml.slice(at, at + sliceChars));
  }
}

const nameCharsMax = 256;
const attributesMax = 32;
