/** Gathers a page's visible text: blanks collapsed to one, entities decoded, bounded. Cost: linear, and no more once full. */
import { decodeText } from './entities.ts';

export interface TextCollector {
  /** Text of `html` from `start` to `end`, as it stands in the source. */
  add(html: string, start: number, end: number): void;
  /** What comes next does not run on with what was: a blank stands between. */
  breakHere(): void;
  /** What was gathered, without blanks at its ends, at most `charsMax` characters. */
  finish(): string;
}

/** A blank that is no single space. */
const untidy = /[^\S ]| {2}/;

export function collapseBlanks(text: string): string {
  return (untidy.test(text) ? text.replace(/\s+/g, ' ') : text).trim();
}

export function createText(charsMax: number): TextCollector {
  let gathered = '';
  let blankDue = false;
  return {
    add(html, start, end) {
      if (gathered.length >= charsMax) return;
      const first = skipBlanks(html, start, end);
      if (first > start) blankDue = true;
      if (first === end) return;
      // What is far beyond the bound need not be decoded: an entity is at most 33 characters for one.
      const raw = html.slice(first, Math.min(end, first + (charsMax - gathered.length) * 33));
      const decoded = decodeText(raw);
      const tidy = untidy.test(decoded) ? decoded.replace(/\s+/g, ' ') : decoded;
      const text = tidy.trim();
      if (text === '') {
        blankDue = true;
        return;
      }
      if ((blankDue || tidy.charCodeAt(0) === 0x20) && gathered !== '') gathered += ' ';
      gathered += text;
      blankDue = tidy.charCodeAt(tidy.length - 1) === 0x20;
    },
    breakHere() {
      blankDue = true;
    },
    finish: () => cut(gathered, charsMax),
  };
}

function skipBlanks(html: string, start: number, end: number): number {
  let at = start;
  for (; at < end; at++) {
    const c = html.charCodeAt(at);
    if (c !== 0x20 && (c < 9 || c > 13)) break;
  }
  return at;
}

/** At most `charsMax` UTF-16 units, never half of a surrogate pair. */
export function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const last = text.charCodeAt(charsMax - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? charsMax - 1 : charsMax);
}
