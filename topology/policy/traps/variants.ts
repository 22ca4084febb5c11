/**
 * Variants of a page: URLs that differ in one value alone, such as a session in each link, and bring the same text.
 *
 * A *place* is where such a value stands: a parameter (`{zz}`), or a path segment after segments of certain shapes
 * (`{/s/~}`). Two fetched URLs that are equal but for the value at a place prove that the value does not matter, if
 * their texts are the same, and contradict it otherwise. URLs with several tokens are compared without all of them
 * at once (`{a} {b}`).
 */
import { sameText, textDistance } from '../../content/text-signature.ts';
import { fnv1a } from '../../url/fnv.ts';
import { placesOf, type Value } from './places.ts';
import type { Fetched } from './step.ts';
import { keptNewest } from './step-queries.ts';
import type { PlaceStat, TrapSummary, VariantBase } from './summary.ts';
import { trapLimits } from './trap-limits.ts';

type Changed = Pick<TrapSummary, 'bases' | 'places'>;

export function stepVariants(before: TrapSummary, event: Fetched): Changed {
  let { bases, places } = before;
  if (event.status < 200 || event.status > 299) return { bases, places };
  const met = before.events + 1;
  for (const one of placesOf(event.url)) {
    const [place, base, value] = [fnv1a(one.place), fnv1a(one.base), fnv1a(one.value)];
    const newest: VariantBase = { place, base, value, signature: event.textSignature ?? '' };
    const old = bases.find((other) => other.base === base);
    const others = bases.filter((other) => other.place === place && other.base !== base);
    bases = kept(bases, old, newest);
    if (old === undefined || old.value === value) continue;
    const stat = places.find((other) => other.place === one.place) ?? { place: one.place, met, ...nothingKnown };
    const after = compared({ ...stat, met }, one, old, newest, others);
    places = keptNewest(places, ({ place }) => place === one.place, after, trapLimits.placesMax);
  }
  return { bases, places };
}

const nothingKnown = { same: 0, equal: 0, other: 0, unread: 0, bases: [] } as const;

function kept(bases: readonly VariantBase[], old: VariantBase | undefined, base: VariantBase): readonly VariantBase[] {
  const newest = { ...base, signature: base.signature || (old?.signature ?? '') };
  return [...bases.filter((one) => one !== old), newest].slice(-trapLimits.basesMax);
}

function compared(
  stat: PlaceStat,
  { isToken }: Value,
  a: VariantBase,
  b: VariantBase,
  others: readonly VariantBase[],
): PlaceStat {
  if (a.signature === '' || b.signature === '') return { ...stat, unread: stat.unread + 1 };
  const isEqual = a.signature === b.signature;
  // A number or a word may choose another page of a template, of which only few words differ.
  const isSame = isEqual || (isToken && (sameText(a.signature, b.signature) || isApart(a, b, others)));
  if (!isSame) return { ...stat, other: stat.other + 1 };
  const isNew = !stat.bases.includes(b.base) && stat.bases.length < trapLimits.placeBasesMax;
  const bases = isNew ? [...stat.bases, b.base] : stat.bases;
  return { ...stat, same: stat.same + 1, equal: stat.equal + (isEqual ? 1 : 0), bases };
}

/** Bits of a signature that some changing words of a page change at most: texts of different pages differ in some 30. */
const alikeBits = 12;
/** The other pages must be so many times as far away as the two are from each other, and so many must be known. */
const apartTimes = 2;
const othersMin = 3;

/** Are two texts, of which some words differ, much nearer to each other than to all other pages of the place? */
function isApart(a: VariantBase, b: VariantBase, others: readonly VariantBase[]): boolean {
  const distance = textDistance(a.signature, b.signature);
  const known = others.filter(({ signature }) => signature !== '');
  return (
    distance <= alikeBits &&
    known.length >= othersMin &&
    known.every(({ signature }) => textDistance(b.signature, signature) > apartTimes * distance)
  );
}

/**
 * Returns whether the texts of the host's next pages should be compared: URLs differed in one value, and their texts
 * have not yet shown that it matters.
 */
export function hasVariants({ places }: TrapSummary): boolean {
  return places.some(({ same, other, unread }) => same + unread > 0 && other * doubtOneIn <= same + doubtOneIn);
}

/** One contradiction in so many proofs is taken for a page that changed meanwhile. */
const doubtOneIn = 8;

/** Proofs that a value which is no token needs, times those of a token: each choice of a menu has a name or number. */
const plainTimes = 4;
/** Different pages, each the same under several values, from which on a token's proofs count once. */
const pagesMin = 2;

/** Has the place been proved? `proofs`: as many as the policy asks for a token. */
export function isProved(stat: PlaceStat, { isToken }: Value, proofs: number): boolean {
  const { same, equal, other, bases } = stat;
  if (!isToken) return other === 0 && bases.length > pagesMin && equal >= plainTimes * proofs;
  if (other * doubtOneIn > same) return false;
  // On one page alone, what differs a little may be its content.
  return bases.length >= pagesMin ? same >= proofs : other === 0 && equal >= 2 * proofs;
}
