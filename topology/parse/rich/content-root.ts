/**
 * Finds the element that holds the main text. The search goes down from the page, each time into the child with most
 * of the prose. It stops at an element that is one of several of a kind (sections, posts), or that has paragraphs of
 * its parent beside it.
 *
 * Elements left beside this path (menus, teasers of other pages, "most read") do not count as main text, unless they
 * are prose with hardly any links: a preamble, or a question above its answers.
 */
import { elementTallies, type Tally } from './element-tally.ts';
import type { TextBlock, TextElement } from './text-blocks.ts';

export interface ContentRoot {
  readonly element: TextElement;
  /** Elements beside it that also hold main text. */
  readonly beside: ReadonlySet<TextElement>;
}

/** An element holds the text if its own paragraphs have at least this share of its prose. */
const ownShareMin = 0.1;
/** If the best element has less than this share of the prose, the others may hold main text, too. */
const bestShareMin = 0.5;
/** The same for tables, which hold data more often than pages. */
const tableShareMin = 0.75;
/** Fewest words of prose in a part of the text; fewer are a line of a template. */
const partWordsMin = 10;
/** Without a distinguishing class, this many others of a name and class, with this share of the prose, are of a kind. */
const kindCountMin = 3;
const kindShareMin = 0.1;
/** Fewest parts under headings of the same rank beside the largest one; with fewer, they may be other texts. */
const headedMin = 2;
/**
 * An element beside the root is main text if it has at least this many words of prose, at least this share of the
 * root's, and at most this share of them in links.
 */
const besideWordsMin = 20;
const besideShareMin = 0.05;
const besideLinksMax = 0.1;

const paragraphs = new Set('p pre ul ol li dl dt dd blockquote figure h1 h2 h3 h4 h5 h6 details summary'.split(' '));
const tables = new Set(['table', 'tbody', 'tr']);
/** Names that frameworks give to boxes of any content. */
const layoutClass =
  /^(col|column|span|grid|cell|row|container|wrap|block|box|clearfix|inner|large|small|medium)(?![a-z])/i;

/** The root of the main text; null if no block is prose. */
export function contentRoot(blocks: readonly TextBlock[]): ContentRoot | null {
  const tallies = elementTallies(blocks);
  const proseOf = (one: TextElement) => tallies.get(one)!.prose;
  let element = blocks[0]?.at;
  while (element?.parent != null) element = element.parent;
  if (element === undefined || proseOf(element) === 0) return null;
  const beside = new Set<TextElement>();
  for (;;) {
    const { prose, ownProse, children }: Tally = tallies.get(element)!;
    let own = ownProse;
    let best: TextElement | undefined;
    for (const child of children) {
      if (paragraphs.has(child.name)) own += proseOf(child);
      else if (best === undefined || proseOf(child) > proseOf(best)) best = child;
    }
    if (best === undefined || own >= ownShareMin * prose) return { element, beside };
    const share = tables.has(best.name) ? tableShareMin : bestShareMin;
    if (
      proseOf(best) < share * prose ||
      isOneOfSeveral(best, children, proseOf) ||
      isUnderHeading(best, children, tallies)
    )
      return { element, beside };
    for (const child of children) {
      if (child !== best && !paragraphs.has(child.name) && isText(tallies.get(child)!, proseOf(best)))
        beside.add(child);
    }
    element = best;
  }
}

function isText({ words, linked, prose }: Tally, most: number): boolean {
  return prose >= besideWordsMin && prose >= besideShareMin * most && linked <= besideLinksMax * words;
}

/** Returns whether it is below one of several headings of a rank, each followed by a part of the text. */
export function isUnderHeading(
  best: TextElement,
  children: readonly TextElement[],
  tallies: ReadonlyMap<TextElement, Tally>,
): boolean {
  const parts: { readonly rank: number; words: number; linked: number; prose: number; hasBest: boolean }[] = [];
  for (const child of children) {
    const { words, linked, prose, heading } = tallies.get(child)!;
    if (heading > 0) parts.push({ rank: heading, words: 0, linked: 0, prose: 0, hasBest: false });
    const part = parts.at(-1);
    if (part === undefined) continue;
    part.words += words;
    part.linked += linked;
    part.prose += prose;
    part.hasBest ||= child === best;
  }
  const rank = parts.find(({ hasBest }) => hasBest)?.rank;
  const others = parts.filter((part) => part.rank === rank && !part.hasBest && part.linked < part.words / 2);
  return others.length >= headedMin && others.reduce((sum, { prose }) => sum + prose, 0) >= partWordsMin;
}

function isOneOfSeveral(
  best: TextElement,
  children: readonly TextElement[],
  proseOf: (one: TextElement) => number,
): boolean {
  const isSection = best.name === 'section';
  const isArticle = best.name === 'article';
  const isNamed = best.class !== '' && !layoutClass.test(best.class);
  let [others, count, all] = [0, 0, 0];
  for (const child of children) {
    all += proseOf(child);
    if (child === best || child.name !== best.name || (child.class !== best.class && !isSection)) continue;
    others += proseOf(child);
    count += 1;
  }
  if (isSection || (isNamed && !isArticle)) return others >= partWordsMin;
  return (isArticle || count >= kindCountMin) && others >= kindShareMin * all;
}
