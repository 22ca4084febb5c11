/**
 * Rewrites the links of a page, or a drawing, into the archive: with htmlparser2's Tokenizer, linear and without a
 * tree. Parts without a link stay unchanged, byte for byte.
 */
import { Tokenizer } from 'htmlparser2';
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

/** `xml`: the rules of XML hold (SVG, XHTML). */
export function rewriteHtml(html: string, linker: Linker, xml: boolean, depth = 0): string {
  let out = '';
  let written = 0;
  let element = '';
  let raw = '';
  let attributes: Attribute[] = [];
  let current: Attribute | undefined;
  /** The first base that the page names. Links before it use it, too. */
  let base: string | null = null;
  const decode = xml ? decodeXmlText : decodeAttribute;
  const nested = (text: string) => (depth < replayLimits.nestedMax ? rewriteHtml(text, linker, false, depth + 1) : '');
  const replace = (start: number, end: number, text: string) => {
    out += html.slice(written, start) + text;
    written = end;
  };
  const open = () => {
    const values = new Map<string, string>();
    for (const { name, valueStart, valueEnd } of attributes) {
      if (!values.has(name)) values.set(name, valueStart < 0 ? '' : decode(html.slice(valueStart, valueEnd)));
    }
    if (element === 'base' && base === null) base = values.get('href') ?? null;
    const seen = new Set<string>();
    for (const { name, start, end } of attributes) {
      // The first of a name counts; whether another parser thinks so, too, is not to matter.
      const change = seen.has(name) ? null : changeOf(element, name, values.get(name)!, values, linker, nested);
      seen.add(name);
      if (change === undefined) continue;
      replace(start, end, change === null ? '' : `${name}="${escaped(change)}"`);
    }
    attributes = [];
    raw = element;
  };
  const style = (start: number, end: number, isEscaped: boolean) => {
    if (raw !== 'style') return;
    const css = html.slice(start, end);
    const led = rewriteCss(isEscaped ? decodeXmlText(css) : css, linker);
    replace(start, end, isEscaped ? escaped(led) : led);
  };
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    { xmlMode: xml, decodeEntities: false },
    {
      onopentagname(start, end) {
        element = html
          .slice(start, end)
          .toLowerCase()
          .replace(/^(?:svg|html|xhtml):/, '');
        attributes = [];
      },
      onattribname(start, end) {
        const name = html.slice(start, end).toLowerCase();
        current = { name, start, end, valueStart: -1, valueEnd: -1 };
        attributes.push(current);
      },
      onattribdata(start, end) {
        if (current!.valueStart < 0) current!.valueStart = start;
        current!.valueEnd = end;
        current!.end = end;
      },
      onattribend(_, end) {
        if (current!.valueStart >= 0) current!.end = end;
      },
      onopentagend: open,
      onselfclosingtag() {
        open();
        raw = '';
      },
      onclosetag() {
        raw = '';
      },
      ontext: (start, end) => style(start, end, xml),
      oncdata: (start, end) => style(start, end, false),
      onend: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onattribentity: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  if (base !== null) {
    const based = linker.withBase(base);
    // Once: without its `href`, no base is there any more.
    if (based.base !== linker.base) return rewriteHtml(html, { ...based, withBase: () => based }, xml, depth);
  }
  return out + html.slice(written);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
