/**
 * Gathers a page's visible text: blanks collapsed to one, entities decoded, bounded.
 *
 * Character by character into one buffer, where pieces of strings would cost five times as much in slices, ropes and
 * garbage. Pages beyond Latin-1 switch to two bytes a character on their first such character. Linear, and free once full.
 */

import { decodeText } from './entities.ts';
import { parseLimits } from './parse-limits.ts';

export interface TextCollector {
  /** Adds the text of `html` from `start` to `end`, which still contains character references. */
  add(html: string, start: number, end: number): void;
  /** The next text does not run on with the previous one: a blank separates them. */
  breakHere(): void;
  /**
   * The collected text, without blanks at its ends, at most `charsMax` characters. Do not use the collector after
   * this call.
   */
  finish(): string;
}

/** A blank that is no single space. */
const untidy = /[^\S ]| {2}/;

export function collapseBlanks(text: string): string {
  return (untidy.test(text) ? text.replace(/\s+/g, ' ') : text).trim();
}

/** Removes U+0000 from text as HTML does (§13.2.6.4.7), and merges the blanks around it. */
function withoutNul(text: string): string {
  return text.includes('\0') ? collapseBlanks(text.replaceAll('\0', '')) : text;
}

/** The longest named reference, for one or two characters. */
const referenceCharsMax = 33;
const ampersand = 0x26;
const none = -1;

/** Classes of characters up to U+00FF for the loops below. Blanks are those of `\s`. */
const blank = 1;
const reference = 2;
const classes = new Uint8Array(256);
for (const c of [0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0]) classes[c] = blank;
classes[ampersand] = reference;
/** Output for each character up to U+00FF: a space for each blank. */
const written = Uint8Array.from(classes, (kind, c) => (kind === blank ? 0x20 : c));

/**
 * Most characters collected. Two more than the limit: one for a blank that is dropped, one for the character after a
 * cut.
 */
const room = parseLimits.textCharsMax + 2;
/**
 * Buffers shared by all collectors, because one page is read at a time, from start to end. As constants of the
 * module, like the loops that use them, their addresses become part of the compiled code, which cuts the time to a
 * third.
 */
const narrow = Buffer.alloc(room);
const wide = Buffer.alloc(room * 2);
let bound = 0;
let size = 0;
/** `blank`: the last character is one, or there is none yet. */
let last = blank;
let isWide = false;

/**
 * `ascii`: the same page as bytes, if each of its characters is one byte; reading them is faster than reading a
 * string. A new collector invalidates the previous one.
 */
export function createText(charsMax: number, ascii: Uint8Array | null = null): TextCollector {
  bound = Math.min(charsMax + 2, room);
  size = 0;
  last = blank;
  isWide = false;
  return {
    add(html, start, end) {
      if (size >= bound) return;
      const fast = ascii !== null && !isWide;
      const at = fast ? gatherAscii(ascii, start, end) : gather(html, start, end, ampersand);
      if (at === end || size >= bound) return;
      // Decodes from the first reference on. Text far beyond the bound is not decoded.
      const rest = decodeText(html.slice(at, Math.min(end, at + (bound - size) * referenceCharsMax)));
      gather(rest, 0, rest.length, none);
    },
    breakHere() {
      if (last !== blank) gather(' ', 0, 1, none);
    },
    finish() {
      const end = last === blank ? Math.max(size - 1, 0) : size;
      const text = isWide ? wide.toString('utf16le', 0, end * 2) : narrow.toString('latin1', 0, end);
      return cut(withoutNul(text), Math.min(charsMax, parseLimits.textCharsMax)).trimEnd();
    },
  };
}

// The loops below have no branches that a processor cannot predict. Each character is written, and the next character
// overwrites a repeated blank. Each loop stops at a character it cannot handle, or at `end`, and returns its index.

function gatherAscii(source: Uint8Array, start: number, end: number): number {
  let at = size;
  let before = last;
  let i = start;
  for (; i < end && at < bound; i++) {
    const c = source[i]!;
    const kind = classes[c]!;
    if (kind === reference) break;
    narrow[at] = written[c]!;
    at += 1 - (kind & before);
    before = kind;
  }
  size = at;
  last = before;
  return i;
}

function gatherLatin(text: string, start: number, end: number, stopAt: number): number {
  let at = size;
  let before = last;
  let i = start;
  for (; i < end && at < bound; i++) {
    const c = text.charCodeAt(i);
    if (c > 0xff || c === stopAt) break;
    const kind = classes[c]! & blank;
    narrow[at] = written[c]!;
    at += 1 - (kind & before);
    before = kind;
  }
  size = at;
  last = before;
  return i;
}

function gatherWide(text: string, start: number, end: number, stopAt: number): number {
  let i = start;
  for (; i < end && size < bound; i++) {
    const c = text.charCodeAt(i);
    if (c === stopAt) break;
    const kind = c <= 0xff ? classes[c]! & blank : isWideBlank(c) ? blank : 0;
    const code = kind === blank ? 0x20 : c;
    wide[2 * size] = code & 0xff;
    wide[2 * size + 1] = code >>> 8;
    size += 1 - (kind & last);
    last = kind;
  }
  return i;
}

/** `stopAt`: a character that is not gathered. */
function gather(text: string, start: number, end: number, stopAt: number): number {
  if (isWide) return gatherWide(text, start, end, stopAt);
  const at = gatherLatin(text, start, end, stopAt);
  if (at === end || size >= bound || text.charCodeAt(at) === stopAt) return at;
  // The first character that one byte can't hold.
  isWide = true;
  for (let i = 0; i < size; i++) {
    wide[2 * i] = narrow[i]!;
    wide[2 * i + 1] = 0;
  }
  return gatherWide(text, at, end, stopAt);
}

/** Blanks of `\s` beyond Latin-1. */
function isWideBlank(c: number): boolean {
  if (c < 0x1680) return false;
  if (c >= 0x2000 && c <= 0x200a) return true;
  return c === 0x1680 || c === 0x2028 || c === 0x2029 || c === 0x202f || c === 0x205f || c === 0x3000 || c === 0xfeff;
}

/** At most `charsMax` UTF-16 units, never half of a surrogate pair. */
export function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const last = text.charCodeAt(charsMax - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? charsMax - 1 : charsMax);
}
