/**
 * The main text of a page: without navigation, banners, lists of links, teasers of other pages and footers.
 *
 * First, content-root.ts finds the element with most of the prose. Inside it, everything is kept except lists of
 * links and parts that HTML sets apart: so tables, code, bullets, short sections and signatures full of links stay.
 * If that element is the whole page, each block is kept or dropped by its number of words, its share of words in
 * links, and those of its neighbours: Kohlschütter, Fankhauser, Nejdl, "Boilerplate detection using shallow text
 * features" (WSDM 2010), the tree over word counts and link densities.
 *
 * If hardly anything is main text by these rules (a reference of three lines, a table), the whole text is used. If
 * HTML marks an index as main, its links are the main text.
 */
import { cut } from '../text.ts';
import { type ContentRoot, contentRoot, isUnderHeading } from './content-root.ts';
import { elementTallies, isProse } from './element-tally.ts';
import { createInlineReader } from './inline-markdown.ts';
import { markdownOf } from './markdown.ts';
import type { Attributes } from './markup.ts';
import { richLimits } from './rich-limits.ts';
import { createBlockReader, type TextBlock, type TextElement } from './text-blocks.ts';

export interface MainText {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(text: string): void;
  /**
   * `text`: blocks separated by line breaks. `markdown`: the same with its marks. Both are empty if nothing is main
   * text.
   */
  finish(): { readonly text: string; readonly markdown: string };
}

/** `resolve`: for Markdown, resolves links as the page has them (markdown.ts). */
export function createMainText(resolve?: (href: string) => string | null): MainText {
  const reader = createBlockReader(resolve === undefined ? undefined : createInlineReader());
  return {
    open: reader.open,
    close: reader.close,
    text: reader.text,
    finish() {
      const main = chosen(reader.finish());
      const text = cut(written(main), richLimits.mainTextCharsMax);
      return { text, markdown: resolve === undefined ? '' : markdownOf(main, resolve) };
    },
  };
}

/** Above it, a block is a list of links (the paper's figure). */
const linkDensityMax = 1 / 3;
/** Above it, a block is nothing but links. */
const linkShareMax = 0.8;
/** Blocks that are links alone, one after another: more of them are a list. */
const linksInRowMax = 2;
/** Words of a paragraph after which only lists of links may follow, and the share of links in the rest. */
const solidWordsMin = 20;
const solidLinksMax = 0.2;
const trailShareMin = 0.4;
/** A page with less text has no main text: its blocks are too short to judge. */
const leastShare = 1 / 2;
/**
 * An element that is set apart by its class alone counts as a wrapper of the page if it holds this share of the
 * prose.
 */
const wrapperShareMin = 1 / 2;
/** Fewest words outside the comments, so that they count as comments on something. */
const commentedWordsMin = 60;

function chosen(all: readonly TextBlock[]): readonly TextBlock[] {
  const blocks = withoutApart(all);
  const inside = blocks.filter(({ at }) => at.inMain !== '');
  const wordsInside = wordsIn(inside);
  // Some pages mark each entry of a reference as an article, so one article is then only a part of the text.
  const isMain =
    wordsInside >= richLimits.mainWordsMin &&
    (inside.some(({ at }) => at.inMain === 'main') || isWholeText(inside, blocks));
  const candidates = isMain ? inside : blocks;
  const root = contentRoot(candidates);
  const main = root === null || (!isMain && isPage(root.element)) ? byNeighbours(candidates) : inRoot(candidates, root);
  const words = wordsIn(main);
  // HTML marks this as main, but it has hardly a sentence beside its links: it is an index, and its links are its
  // text.
  if (isMain && words < indexWordsMax && words < leastShare * wordsInside) return inside;
  if (root !== null && !isPage(root.element) && words >= richLimits.mainWordsMin) return main;
  // Hardly anything is main text: use every block that is not a list of links.
  const plain = withoutLinks(candidates);
  if (plain.length === 0 && main.length === 0) return withoutLinks(all);
  return words < leastShare * wordsIn(plain) ? plain : main;
}

/** Returns whether articles hold the whole text, and not only a part of it. */
function isWholeText(inside: readonly TextBlock[], blocks: readonly TextBlock[]): boolean {
  if (proseIn(inside) < wrapperShareMin * proseIn(blocks)) return false;
  const tallies = elementTallies(blocks);
  const articles = new Set(inside.map(({ at }) => outermostArticle(at)));
  return ![...articles].some((one) => {
    const around = one.parent === null ? undefined : tallies.get(one.parent);
    return around !== undefined && isUnderHeading(one, around.children, tallies);
  });
}

/** The outermost article around an element, or the element itself. */
function outermostArticle(element: TextElement): TextElement {
  let one = element;
  while (one.parent !== null && one.parent.inMain !== '') one = one.parent;
  return one;
}

function withoutLinks(blocks: readonly TextBlock[]): TextBlock[] {
  return blocks.filter(({ linkDensity }) => linkDensity <= linkDensityMax);
}

/** Most words of an introduction above an index. */
const indexWordsMax = 40;

function isPage({ name }: TextElement): boolean {
  return name === '' || name === 'html' || name === 'body';
}

function withoutApart(all: readonly TextBlock[]): TextBlock[] {
  const isSet = upwards(({ apart }) => apart === 'element');
  const rest = all.filter(({ at }) => !isSet(at));
  const tallies = elementTallies(rest);
  const words = proseIn(rest);
  const isApart = upwards((one) => {
    const inIt = tallies.get(one)?.prose ?? 0;
    if (one.apart === 'comments') return words - inIt >= commentedWordsMin;
    return one.apart === 'named' && inIt < wrapperShareMin * words;
  });
  return rest.filter(({ at }) => !isApart(at));
}

/** True if an element, or one around it, has the property. Each is checked once. */
function upwards(isSaid: (element: TextElement) => boolean): (element: TextElement) => boolean {
  const known = new Map<TextElement, boolean>();
  return (element) => {
    const path: TextElement[] = [];
    let found: boolean | undefined = false;
    for (let one: TextElement | null = element; one !== null; one = one.parent) {
      found = known.get(one);
      if (found !== undefined) break;
      path.push(one);
      found = isSaid(one);
      if (found) break;
    }
    for (const one of path) known.set(one, found === true);
    return found === true;
  };
}

/** The blocks in the root and in the elements beside it, and the title before them. */
function inRoot(blocks: readonly TextBlock[], { element, beside }: ContentRoot): TextBlock[] {
  const isIn = upwards((one) => one === element || beside.has(one));
  const held = blocks.filter(({ at }) => isIn(at));
  const main = held.slice(0, lastOfText(held) + 1);
  return [...titleBefore(blocks, blocks.indexOf(held[0]!), main), ...withoutLinkLists(main)];
}

/** Index of the last block of text before the lists of links that follow it. */
function lastOfText(blocks: readonly TextBlock[]): number {
  let [words, linked] = [0, 0];
  for (let at = blocks.length - 1; at >= 0; at--) {
    const block = blocks[at]!;
    if (block.words >= solidWordsMin && block.linkDensity <= solidLinksMax)
      return linked > 0 && linked >= trailShareMin * words ? at : blocks.length - 1;
    words += block.words;
    if (block.linkShare > linkShareMax) linked += block.words;
  }
  return blocks.length - 1;
}

function titleBefore(blocks: readonly TextBlock[], first: number, main: readonly TextBlock[]): TextBlock[] {
  if (main.some(({ heading }) => heading === 1)) return [];
  for (let at = first - 1; at >= 0; at--)
    if (blocks[at]!.heading === 1) return blocks.slice(at, first).filter((one) => one.heading > 0 || isProse(one));
  return [];
}

function withoutLinkLists(blocks: readonly TextBlock[]): TextBlock[] {
  const kept: TextBlock[] = [];
  for (let at = 0; at < blocks.length; at++) {
    if (blocks[at]!.linkShare <= linkShareMax) {
      kept.push(blocks[at]!);
      continue;
    }
    let end = at + 1;
    while (end < blocks.length && blocks[end]!.linkShare > linkShareMax) end += 1;
    if (end - at <= linksInRowMax && at > 0 && end < blocks.length) kept.push(...blocks.slice(at, end));
    at = end - 1;
  }
  return kept;
}

function byNeighbours(candidates: readonly TextBlock[]): TextBlock[] {
  const kept = candidates.map((block, at) => isContent(block, candidates[at - 1], candidates[at + 1]));
  const [first, last] = [kept.indexOf(true), kept.lastIndexOf(true)];
  for (let at = first + 1; at < last; at++) kept[at] ||= candidates[at]!.linkDensity <= linkDensityMax;
  // From the end, so that a heading over a heading over text stays too.
  for (let at = kept.length - 2; at >= 0; at--) {
    if (candidates[at]!.heading > 0) kept[at] = kept[at + 1]!;
  }
  const begin = kept.indexOf(true);
  kept.fill(true, headingBefore(candidates, begin), Math.max(begin, 0));
  // Sections of a few words, as references have them, once the text has begun.
  for (let at = kept.indexOf(true) + 1; at > 0 && at < candidates.length; at++) {
    const block = candidates[at]!;
    if (candidates[at - 1]!.heading === 0 || block.heading > 0 || block.linkDensity > linkDensityMax) continue;
    kept[at - 1] = true;
    kept[at] = true;
  }
  return candidates.filter((_, at) => kept[at]);
}

const leadBlocksMax = 4;

/** Index of the heading under which a text begins, with at most a few lines between; `first` if there is none. */
function headingBefore(blocks: readonly TextBlock[], first: number): number {
  if (first < 0) return 0;
  for (let at = first - 1; at >= Math.max(0, first - leadBlocksMax); at--) {
    if (blocks[at]!.linkDensity > linkDensityMax) return first;
    if (blocks[at]!.heading > 0) return at;
  }
  return first;
}

/** The paper's tree. No neighbour: one without words. */
function isContent(block: TextBlock, before: TextBlock | undefined, after: TextBlock | undefined): boolean {
  if (block.linkDensity > linkDensityMax) return false;
  const wordsBefore = before?.words ?? 0;
  const wordsAfter = after?.words ?? 0;
  if ((before?.linkDensity ?? 0) <= 5 / 9) return block.words > 16 || wordsAfter > 15 || wordsBefore > 4;
  return block.words > 40 || wordsAfter > 17;
}

function proseIn(blocks: readonly TextBlock[]): number {
  return wordsIn(blocks.filter(isProse));
}

function wordsIn(blocks: readonly TextBlock[]): number {
  return blocks.reduce((sum, { words }) => sum + words, 0);
}

function written(blocks: readonly TextBlock[]): string {
  return blocks.map(({ text }) => text).join('\n');
}
