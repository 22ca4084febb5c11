/**
 * Variants of a page: URLs that differ in one value alone, such as a session in each link, and bring the same page.
 *
 * A *place* is where such a value stands: a parameter (`{zz}`), or a path segment after segments of certain shapes
 * (`{/s/~}`). Two fetched URLs that are equal but for the value at a place are evidence: for it if they brought the same
 * page, against it otherwise. URLs with several tokens are compared without all of them at once (`{a} {b}`).
 *
 * A site that answers all URLs with one text (a login, a consent, an empty shell for scripts) proves nothing: a pair
 * counts only if the place is known to lead to other pages as well. Source of the idea: Bar-Yossef, Keidar & Schonfeld,
 * "Do not crawl in the DUST" (WWW 2007).
 */
import { nearBits, sameHead, textDistance } from '../../content/text-signature.ts';
import { fnv1a } from '../../url/fnv.ts';
import { placesOf, type Value } from './places.ts';
import type { Fetched } from './step.ts';
import { keptNewest } from './step-queries.ts';
import type { PlaceStat, TrapSummary, VariantBase } from './summary.ts';
import { trapLimits } from './trap-limits.ts';

type Changed = Pick<TrapSummary, 'bases' | 'places'>;

export function stepVariants(before: TrapSummary, event: Fetched): Changed {
  let { bases, places } = before;
  if (event.status < 200 || event.status > 299 || event.isWaste === true) return { bases, places };
  const met = before.events + 1;
  for (const one of placesOf(event.url)) {
    const known = places.find((other) => other.place === one.place);
    if (known !== undefined && isSettled(known)) {
      if (met - known.met >= metAgainEvery) places = withStat(places, { ...known, met });
      continue;
    }
    const [place, base, value] = [hashOf(one.place), hashOf(one.base), hashOf(one.value)];
    const newest: VariantBase = { place, base, value, signature: event.textSignature ?? '' };
    const old = bases.find((other) => other.base === base);
    if (old !== undefined && old.value !== value) {
      const stat = known ?? { place: one.place, met, ...nothingKnown };
      const others = bases.filter((other) => other.place === place && other.base !== base && other.signature !== '');
      places = withStat(places, compared({ ...stat, met }, one, old, newest, others));
    }
    bases = kept(bases, old, newest, places);
  }
  return { bases, places };
}

/** Events after which a settled place is noted as met again: without room, the place met longest ago is dropped. */
const metAgainEvery = 64;

function withStat(places: readonly PlaceStat[], stat: PlaceStat): readonly PlaceStat[] {
  return keptNewest(places, ({ place }) => place === stat.place, stat, trapLimits.placesMax);
}

const nothingKnown = { same: 0, other: 0, unread: 0, bases: [], refuted: [] } as const;

/** A small integer is stored in place; a larger number would take more memory than all else of a base. */
function hashOf(text: string): number {
  return fnv1a(text) >>> 1;
}

/**
 * The bases after one more. The newest quarter stays. Of the others, those of places that came again stay longest: with
 * several tokens in a URL, most bases never come again. Among equals, those with the smallest hashes stay, because a
 * site's links may come in a long cycle.
 */
function kept(
  bases: readonly VariantBase[],
  old: VariantBase | undefined,
  newest: VariantBase,
  places: readonly PlaceStat[],
): readonly VariantBase[] {
  const isLost = newest.signature === '' && old !== undefined && old.signature !== '';
  const after = [...bases.filter((one) => one !== old), isLost ? old : newest];
  if (after.length <= trapLimits.basesMax) return after;
  const again = places.map(({ place }) => hashOf(place));
  const older = after.slice(0, after.length - (trapLimits.basesMax >> 2));
  const once = older.filter(({ place }) => !again.includes(place));
  const victims = once.length > 0 ? once : older;
  const victim = victims.reduce((most, one) => (one.base > most.base ? one : most));
  return after.filter((one) => one !== victim);
}

function compared(
  stat: PlaceStat,
  { isToken }: Value,
  a: VariantBase,
  b: VariantBase,
  others: readonly VariantBase[],
): PlaceStat {
  const unread = { ...stat, unread: stat.unread + 1 };
  if (a.signature === '' || b.signature === '') return unread;
  const isEqual = a.signature === b.signature;
  // A number or a word may choose another page of a template, of which only few words differ: then all must be equal.
  const isNear = isToken && sameHead(a.signature, b.signature) && distanceOf(a, b) <= alikeBits;
  if (!isEqual && !isNear) return { ...stat, other: stat.other + 1, refuted: withBase(stat.refuted, b.base) };
  const distance = isEqual ? 0 : distanceOf(a, b);
  const isOneOfMany = others.some((other) => isAlike(other, b, distance));
  if (isOneOfMany || others.length < othersMin) return unread;
  return { ...stat, same: stat.same + 1, bases: withBase(stat.bases, b.base) };
}

function withBase(bases: readonly number[], base: number): readonly number[] {
  return bases.includes(base) || bases.length >= trapLimits.placeBasesMax ? bases : [...bases, base];
}

/** Other pages of the place that must be known before two count as the same. */
const othersMin = 2;
/** Bits of a signature that some changing words of a page change at most: texts of different pages differ in some 30. */
const alikeBits = 12;
/** The other pages must be this many times as far away as the two are from each other. */
const apartTimes = 2;

function distanceOf(a: VariantBase, b: VariantBase): number {
  return textDistance(a.signature, b.signature);
}

/** True if another page of the place could be the same as well. `distance`: between the two pages that are compared. */
function isAlike(other: VariantBase, one: VariantBase, distance: number): boolean {
  if (other.signature === one.signature) return true;
  const far = distanceOf(other, one);
  return far <= nearBits || far <= apartTimes * distance;
}

/**
 * Of the URLs of a lease, those with texts to compare: URLs of the host differed in a value that these also have, and
 * their texts have not yet shown that it matters. Of numbers and words that differ in nothing else, a few show it.
 */
export function variantsAmong({ places }: TrapSummary, urls: readonly string[]): ReadonlySet<string> {
  const variants = new Set<string>();
  const open = new Set(places.filter(isOpen).map(({ place }) => place));
  if (open.size === 0) return variants;
  const byBase = new Map<string, number>();
  for (const url of urls)
    for (const { place, base, isToken } of placesOf(url)) {
      if (!open.has(place)) continue;
      const before = byBase.get(base) ?? 0;
      byBase.set(base, before + 1);
      if (isToken || before < plainOfBaseMax) variants.add(url);
    }
  return variants;
}

/** Texts of a lease that are compared because of one number or word: most numbers lead to different pages. */
const plainOfBaseMax = 4;

function isOpen(stat: PlaceStat): boolean {
  return stat.same + stat.unread > 0 && !isSettled(stat);
}

/** Has the value been shown to matter? It is never proved after that. */
function isSettled({ place, same, other }: PlaceStat): boolean {
  // One contradiction settles a number for good (`isProved`).
  return other > (place.endsWith('/#}') ? 0 : doubtsMin + same / doubtOneIn);
}

/** Contradictions after which texts are not compared any more: some pages change from visit to visit. */
const doubtsMin = 8;
/** One contradiction in this many proofs is attributed to a page that changed meanwhile. */
const doubtOneIn = 8;

/**
 * Factor on the number of proofs for a value that is not a token, compared with a token: each choice of a menu has a
 * name or number.
 */
const plainTimes = 4;
/** Pages that each must have been the same under several values: one page may be a thread, named by its posts. */
const pagesMin = 3;

/** Has the place been proved? `proofs`: as many as the policy asks for a token. */
export function isProved(stat: PlaceStat, { isToken }: Value, proofs: number): boolean {
  const { same, other, bases, refuted } = stat;
  if (bases.length < pagesMin) return false;
  if (!isToken) return other === 0 && same >= plainTimes * proofs;
  // A page that needs the value refutes it for all; a page that changed has also been the same.
  return same >= proofs && other * doubtOneIn <= same && refuted.every((base) => bases.includes(base));
}
