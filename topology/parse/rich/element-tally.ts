/** Word counts of elements, including all descendants: one count for each block and each of its elements. */
import type { TextBlock, TextElement } from './text-blocks.ts';

export interface Tally {
  words: number;
  /** Words in links; part of `words`. */
  linked: number;
  /** Words of blocks that are prose. */
  prose: number;
  /** Words of prose directly in the element, and in no child element. */
  ownProse: number;
  /** Rank of a heading (1 to 6) with which the element begins; 0: it begins with none. */
  readonly heading: number;
  /** Elements directly in it that hold text. */
  readonly children: TextElement[];
}

const proseWordsMin = 6;
const proseLinkDensityMax = 1 / 3;

/** Returns whether a block is long enough to be a sentence, and no list of links. */
export function isProse({ words, linkDensity }: TextBlock): boolean {
  return words >= proseWordsMin && linkDensity <= proseLinkDensityMax;
}

/** Counts by element, for every element that holds one of the blocks. */
export function elementTallies(blocks: readonly TextBlock[]): ReadonlyMap<TextElement, Tally> {
  const tallies = new Map<TextElement, Tally>();
  for (const block of blocks) {
    const tally = tallyOf(block, tallies);
    tally.words += block.words;
    tally.linked += block.words * block.linkDensity;
    if (isProse(block)) tally.ownProse += block.words;
  }
  // Deepest first, so that the counts of an element are complete before its parent uses them.
  for (const [element, tally] of [...tallies].sort(([a], [b]) => b.depth - a.depth)) {
    tally.prose += tally.ownProse;
    const above = element.parent === null ? undefined : tallies.get(element.parent);
    if (above === undefined) continue;
    above.words += tally.words;
    above.linked += tally.linked;
    above.prose += tally.prose;
  }
  return tallies;
}

/** Creates the missing counts of the element and its ancestors. */
function tallyOf({ at: element, heading }: TextBlock, tallies: Map<TextElement, Tally>): Tally {
  const known = tallies.get(element);
  if (known !== undefined) return known;
  let made: Tally | undefined;
  let below: TextElement | undefined;
  for (let one: TextElement | null = element; one !== null; one = one.parent) {
    const there = tallies.get(one);
    const tally = there ?? { words: 0, linked: 0, prose: 0, ownProse: 0, heading, children: [] };
    if (below !== undefined) tally.children.push(below);
    made ??= tally;
    if (there !== undefined) break;
    tallies.set(one, tally);
    below = one;
  }
  return made!;
}
