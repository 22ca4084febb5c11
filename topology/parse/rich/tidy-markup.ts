/**
 * A page's markup as a library that builds trees can bear it: names in lower case, at most `depthMax` deep, every
 * element closed in order, scripts and styles empty, bounded in size. What lies deeper keeps its text and loses its tags.
 */

import type { Attributes } from './markup.ts';
import { voidNames } from './markup.ts';
import { richLimits } from './rich-limits.ts';

export interface TidyMarkup {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(text: string): void;
  finish(): string;
}

/** An open one of these ends where another begins (HTML standard §13.1.2.4, optional tags, the frequent ones). */
const endsBefore: Readonly<Record<string, readonly string[]>> = {
  li: ['li'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
  tr: ['tr', 'td', 'th'],
  td: ['td', 'th'],
  th: ['td', 'th'],
  option: ['option'],
};
const endsParagraph = new Set(
  (
    'address article aside blockquote details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p ' +
    'pre section table ul'
  ).split(' '),
);

export function createTidyMarkup(): TidyMarkup {
  const pieces: string[] = [];
  const stack: string[] = [];
  let chars = 0;
  const write = (piece: string) => {
    if (chars + piece.length > richLimits.tidyCharsMax) return;
    chars += piece.length;
    pieces.push(piece);
  };
  const popTo = (at: number) => {
    while (stack.length > at) write(`</${stack.pop()}>`);
  };
  return {
    open(name, attributes) {
      if (!plainName.test(name)) return;
      const ended = endsBefore[name];
      const isEnded = (at: number) => ended?.includes(stack[at] ?? '') === true;
      let from = stack.length;
      // Closing an element also closes a paragraph that contains it as its last child.
      if (stack[from - 1] === 'p' && (endsParagraph.has(name) || isEnded(from - 2))) from -= 1;
      // The same for a row and its last cell.
      while (isEnded(from - 1)) from -= 1;
      popTo(from);
      if (stack.length >= richLimits.depthMax) return;
      write(`<${name}${written(attributes)}>`);
      if (!voidNames.has(name)) stack.push(name);
    },
    close(name) {
      const from = Math.max(0, stack.length - richLimits.closeDepthMax);
      const at = stack.lastIndexOf(name);
      if (at >= from) popTo(at);
    },
    text: (text) => write(escaped(text)),
    finish() {
      // End tags are always written, even beyond the length limit.
      for (const name of stack.reverse()) pieces.push(`</${name}>`);
      return pieces.join('');
    },
  };
}

const plainName = /^[a-z][a-z0-9-]*$/;
const plainAttribute = /^[a-z_:@][\w:.@-]*$/;

function written(attributes: Attributes): string {
  let text = '';
  for (const [name, value] of attributes) {
    if (plainAttribute.test(name)) text += ` ${name}="${escaped(value).replaceAll('"', '&quot;')}"`;
  }
  return text;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
