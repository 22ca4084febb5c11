/**
 * The main text of a page: what is left without navigation, banners, lists of links and footers.
 *
 * Text is cut into blocks at block elements; each is kept or not by its words, its share of words inside links, and the
 * same of its neighbours. Source: Kohlschütter, Fankhauser, Nejdl, "Boilerplate detection using shallow text features"
 * (WSDM 2010), the tree over word counts and link densities. On top of it, what HTML itself says: `nav`, `aside`,
 * `footer`, forms and hidden elements are none of it, `main` or `article` is all of it where it has text enough, and a
 * heading stays with what follows it, and so does what is no list of links between two blocks that stay: bullets, code,
 * rows of a table. The cells of a row are one block, and so are a term and its definition. A page of which hardly anything is
 * main by all this (a reference of three lines, a table) is its text, and an index that HTML calls main is its links.
 */

import { cut } from '../text.ts';
import type { Attributes } from './markup.ts';
import { voidNames } from './markup.ts';
import { richLimits } from './rich-limits.ts';

export interface MainText {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(text: string): void;
  /** Blocks of text with line breaks between; empty where nothing is main. */
  finish(): string;
}

interface Block {
  readonly text: string;
  readonly words: number;
  readonly linkDensity: number;
  readonly heading: boolean;
  /** Inside main or article. */
  readonly inMain: boolean;
  /** Inside an element that is never main text. */
  readonly aside: boolean;
}

const inlineNames = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data dfn em font i img ins del kbd label mark q rp rt ruby s samp small span ' +
    'strike strong sub sup time tt u var wbr'
  ).split(' '),
);
/** Never main, with all they hold. */
const asideNames = new Set(
  'nav aside footer form button select textarea noscript template svg dialog menu object audio video canvas'.split(' '),
);
const headings = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const asideRoles = /^(navigation|banner|contentinfo|complementary|search|dialog|alertdialog|menu|menubar)$/i;
/** Whole words of a class or an id. */
const asideClass =
  /(^|[\s_-])(nav|navbar|menu|breadcrumbs?|sidebar|footer|cookies?|consent|banner|share|sharing|social|related|recommended|comments?|advert|advertisement|ads?|promo|newsletter|subscribe|pagination|pager|tags)($|[\s_-])/i;

export function createMainText(): MainText {
  const blocks: Block[] = [];
  /** Open block elements; what is beyond the limit is counted, not kept. */
  const stack: { readonly name: string; readonly aside: boolean; readonly main: boolean }[] = [];
  let beyond = 0;
  let asideDepth = 0;
  let mainDepth = 0;
  /** Open block elements around the link that is open; -1: none is. */
  let linkAt = -1;
  let heading = false;
  /** The tag before, of a block element. */
  let before = '';
  let pieces: string[] = [];
  let linkWords = 0;
  let chars = 0;

  const endBlock = () => {
    if (pieces.length === 0) return;
    const text = pieces.join('').replace(/\s+/g, ' ').trim();
    pieces = [];
    const words = wordsOf(text);
    if (words > 0) {
      const linkDensity = Math.min(linkWords / words, 1);
      blocks.push({ text, words, linkDensity, heading, inMain: mainDepth > 0, aside: asideDepth > 0 });
    }
    linkWords = 0;
  };
  const push = (name: string, attributes: Attributes) => {
    if (stack.length >= richLimits.depthMax) {
      beyond += 1;
      return;
    }
    const main = name === 'main' || name === 'article' || attributes.get('role') === 'main';
    const aside = !main && isAside(name, attributes, mainDepth > 0);
    stack.push({ name, aside, main });
    if (aside) asideDepth += 1;
    if (main) mainDepth += 1;
  };
  const pop = (name: string) => {
    if (beyond > 0) {
      beyond -= 1;
      return;
    }
    // An end tag that fits nothing near is passed over; one that fits closes what was left open.
    const from = Math.max(0, stack.length - richLimits.closeDepthMax);
    let at = stack.length - 1;
    while (at >= from && stack[at]!.name !== name) at -= 1;
    if (at < from) return;
    for (const { aside, main } of stack.splice(at)) {
      if (aside) asideDepth -= 1;
      if (main) mainDepth -= 1;
    }
  };

  return {
    open(name, attributes) {
      // `<a name=top>` is no link, and is seldom closed; a second link ends the first. A heading's to itself is none either.
      if (name === 'a') {
        const href = attributes.get('href');
        linkAt = href === undefined || (heading && href.startsWith('#')) ? -1 : stack.length;
      }
      if (inlineNames.has(name)) return;
      if (joinsBefore(name, before)) pieces.push(' ');
      else endBlock();
      before = name;
      if (headings.has(name)) heading = true;
      if (!voidNames.has(name)) push(name, attributes);
    },
    close(name) {
      if (name === 'a') linkAt = -1;
      if (inlineNames.has(name)) return;
      if (joined.has(name)) pieces.push(' ');
      else endBlock();
      before = name;
      if (headings.has(name)) heading = false;
      pop(name);
      // Nobody closed it: its block did.
      if (linkAt > stack.length) linkAt = -1;
    },
    text(text) {
      if (chars >= richLimits.mainTextCharsMax * 2) return;
      chars += text.length;
      pieces.push(text);
      if (linkAt >= 0) linkWords += wordsOf(text);
    },
    finish() {
      endBlock();
      return cut(chosen(blocks), richLimits.mainTextCharsMax);
    },
  };
}

function isAside(name: string, attributes: Attributes, inMain: boolean): boolean {
  if (asideNames.has(name)) return true;
  // The header of an article is its title; that of a page is not.
  if (name === 'header') return !inMain;
  if (attributes.size === 0) return false;
  if (attributes.has('hidden') || attributes.get('aria-hidden') === 'true') return true;
  if (asideRoles.test(attributes.get('role') ?? '')) return true;
  // Page-wide wrappers bear all kinds of names.
  if (name === 'body' || name === 'html' || name === 'p') return false;
  return asideClass.test(`${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`);
}

function chosen(all: readonly Block[]): string {
  const blocks = all.filter(({ aside }) => !aside);
  const inside = blocks.filter(({ inMain }) => inMain);
  const wordsInside = wordsIn(inside);
  const candidates = wordsInside >= richLimits.mainWordsMin ? inside : blocks;
  const kept = candidates.map((block, at) => isContent(block, candidates[at - 1], candidates[at + 1]));
  const [first, last] = [kept.indexOf(true), kept.lastIndexOf(true)];
  for (let at = first + 1; at < last; at++) kept[at] ||= candidates[at]!.linkDensity <= linkDensityMax;
  // From the end, so that a heading over a heading over text stays too.
  for (let at = kept.length - 2; at >= 0; at--) {
    if (candidates[at]!.heading) kept[at] = kept[at + 1]!;
  }
  const begin = kept.indexOf(true);
  kept.fill(true, headingBefore(candidates, begin), Math.max(begin, 0));
  // Sections of a few words, as references have them, once the text has begun.
  for (let at = kept.indexOf(true) + 1; at > 0 && at < candidates.length; at++) {
    const block = candidates[at]!;
    if (!candidates[at - 1]!.heading || block.heading || block.linkDensity > linkDensityMax) continue;
    kept[at - 1] = true;
    kept[at] = true;
  }
  // A sentence with links stays beside text that does, where HTML says that all of it is main.
  if (candidates === inside)
    candidates.forEach(({ words, linkDensity }, at) => {
      if (words >= sentenceWordsMin && linkDensity <= sentenceDensityMax && kept[at - 1] === true) kept[at] = true;
    });
  const main = candidates.filter((_, at) => kept[at]);
  const words = wordsIn(main);
  // What HTML says is main, and holds hardly a sentence beside its links, is an index: its links are its text.
  if (candidates === inside && words < indexWordsMax && words < leastShare * wordsInside) return written(inside);
  // Hardly anything is main, and yet there may be text: whatever is no list of links.
  const plain = (candidates.length > 0 ? candidates : all).filter(({ linkDensity }) => linkDensity <= linkDensityMax);
  return written(words < leastShare * wordsIn(plain) ? plain : main);
}

/** The heading that a text begins under, with a line or a few between: where it is; `first` where there is none. */
function headingBefore(blocks: readonly Block[], first: number): number {
  if (first < 0) return 0;
  for (let at = first - 1; at >= Math.max(0, first - leadBlocksMax); at--) {
    if (blocks[at]!.linkDensity > linkDensityMax) return first;
    if (blocks[at]!.heading) return at;
  }
  return first;
}

const leadBlocksMax = 4;
/** The paper's other figure. */
const sentenceDensityMax = 5 / 9;
const sentenceWordsMin = 8;
/** Sentences that stand above an index at most. */
const indexWordsMax = 40;

function wordsIn(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { words }) => sum + words, 0);
}

/** Less of a page's text than this is no main text: its blocks are too short to tell. */
const leastShare = 1 / 2;

function written(blocks: readonly Block[]): string {
  return blocks.map(({ text }) => text).join('\n');
}

/** Above it, a block is a list of links (the paper's figure). */
const linkDensityMax = 1 / 3;

/** Elements that stand beside each other on a line. */
const joined = new Set(['td', 'th', 'dt']);

function joinsBefore(name: string, before: string): boolean {
  return ((name === 'td' || name === 'th') && joined.has(before)) || (name === 'dd' && before === 'dt');
}

/** The paper's tree. No neighbour: one without words. */
function isContent(block: Block, before: Block | undefined, after: Block | undefined): boolean {
  if (block.linkDensity > linkDensityMax) return false;
  const wordsBefore = before?.words ?? 0;
  const wordsAfter = after?.words ?? 0;
  if ((before?.linkDensity ?? 0) <= 5 / 9) return block.words > 16 || wordsAfter > 15 || wordsBefore > 4;
  return block.words > 40 || wordsAfter > 17;
}

/** Scripts without spaces have about two characters a word. */
function wordsOf(text: string): number {
  let words = 0;
  let unspaced = 0;
  let inside = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    const blank = c <= 0x20 || c === 0xa0;
    if (c >= 0x2e80 && c < 0xd7b0 && !(c >= 0xac00 && c < 0xd7a4)) unspaced += 1;
    else if (!blank && !inside) words += 1;
    inside = !blank;
  }
  return words + Math.ceil(unspaced / 2);
}
