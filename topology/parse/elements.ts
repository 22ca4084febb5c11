/**
 * Roles of HTML elements for the extractor. Names are in lower case; an element that is not listed breaks the text
 * around it.
 */

export const element = {
  /** Any other element: its text counts, with a blank before and after it. */
  block: 0,
  /** Its text runs on with the text around it. */
  inline: 1,
  a: 2,
  area: 3,
  link: 4,
  meta: 5,
  base: 6,
  frame: 7,
  /** A frame with raw text content. */
  iframe: 12,
  /** The element that declares the page's language. */
  html: 13,
  title: 8,
  /** Raw text that readers do not see; the tokeniser reads it to its end tag. */
  hiddenRaw: 9,
  /** Raw text that readers see. */
  shownRaw: 14,
  /** The rest of the page is its raw text. */
  plaintext: 15,
  /** Markup with text that a reader doesn't see. */
  hidden: 10,
  /** A root of foreign markup: SVG, or MathML. */
  svg: 11,
  /** Elements that determine the position of links (landmarks.ts). */
  main: 16,
  nav: 17,
  footer: 18,
  aside: 19,
} as const;

export type Element = (typeof element)[keyof typeof element];

const inlineNames =
  'abbr acronym b bdi bdo big cite code data dfn em font i ins del kbd label mark nobr q rp rt ruby s samp small ' +
  'span strike strong sub sup time tt u var wbr';
const hiddenRawNames = 'script style textarea noembed noframes';
const hiddenNames = 'noscript template datalist select audio video canvas';

const elements = new Map<string, Element>([
  ...inlineNames.split(' ').map((name) => [name, element.inline] as const),
  ...hiddenRawNames.split(' ').map((name) => [name, element.hiddenRaw] as const),
  ...hiddenNames.split(' ').map((name) => [name, element.hidden] as const),
  ['a', element.a],
  ['area', element.area],
  ['link', element.link],
  ['meta', element.meta],
  ['base', element.base],
  ['html', element.html],
  ['iframe', element.iframe],
  ['frame', element.frame],
  ['title', element.title],
  ['xmp', element.shownRaw],
  ['plaintext', element.plaintext],
  ['svg', element.svg],
  ['math', element.svg],
  ['main', element.main],
  ['article', element.main],
  ['nav', element.nav],
  ['footer', element.footer],
  ['header', element.aside],
  ['aside', element.aside],
]);
/**
 * Names of up to six letters as one number, five bits a letter: exact, and without creating a string. Most tags have
 * such a name. Others are looked up by name.
 */
const packedCharsMax = 6;
const nameCharsMax = 10;
const packed = new Map<number, Element>();
for (const [name, kind] of elements)
  if (name.length <= packedCharsMax && /^[a-z]+$/.test(name)) packed.set(pack(name), kind);

function pack(name: string): number {
  let key = 0;
  for (let i = 0; i < name.length; i++) key = (key << 5) | (name.charCodeAt(i) & 0x1f);
  return key;
}

/** The role of the element named in `html` from `start` to `end`, in any case. */
export function elementOf(html: string, start: number, end: number): Element {
  const size = end - start;
  if (size > nameCharsMax) return element.block;
  if (size <= packedCharsMax) {
    let key = 0;
    let i = start;
    for (; i < end; i++) {
      const lower = html.charCodeAt(i) | 0x20;
      if (lower < 0x61 || lower > 0x7a) break;
      key = (key << 5) | (lower & 0x1f);
    }
    // Listed names of this length hold only letters.
    return i < end ? element.block : (packed.get(key) ?? element.block);
  }
  return elements.get(html.slice(start, end).toLowerCase()) ?? element.block;
}

/** Elements with text content up to their own end tag. */
export function isRawText(kind: Element): boolean {
  return kind === element.title || kind === element.hiddenRaw || kind === element.iframe || isShownRaw(kind);
}

/** Elements with text content that a reader sees. */
export function isShownRaw(kind: Element): boolean {
  return kind === element.shownRaw || kind === element.plaintext;
}
