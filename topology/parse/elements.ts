/** What an element means to the extractor. Names in lower case; an element not listed breaks the text around it. */

export const element = {
  /** Any other: its text counts, and a blank stands between it and its neighbours. */
  block: 0,
  /** Runs on with the text around it. */
  inline: 1,
  a: 2,
  area: 3,
  link: 4,
  meta: 5,
  base: 6,
  frame: 7,
  /** A frame whose content is raw text. */
  iframe: 12,
  title: 8,
  /** Raw text that is no text to a reader; the tokeniser reads it to its end tag. */
  hiddenRaw: 9,
  /** Markup whose text a reader doesn't see. */
  hidden: 10,
  svg: 11,
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
  ['iframe', element.iframe],
  ['frame', element.frame],
  ['title', element.title],
  ['svg', element.svg],
]);
const nameCharsMax = 10;

export function elementOf(name: string): Element {
  if (name.length > nameCharsMax) return element.block;
  return elements.get(name) ?? elements.get(name.toLowerCase()) ?? element.block;
}
