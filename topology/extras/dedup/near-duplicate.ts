/**
 * Decides whether two pages are near-duplicates. Two parts must agree: the titles, and the texts without the parts
 * common to their site.
 *
 * Texts are compared by distinct pairs of words (MinHash; Broder 1997). A slot is ignored if both texts have the
 * value there that most pages of the site have, because pages of a site may share nine tenths of their words. If
 * nearly all slots are common, or the site is not known yet, only almost equal texts are near. Titles count because
 * authors distinguish pages by title: the pages of a reference differ only in their subject.
 */
import { fnv1a } from '../../url/fnv.ts';
import { type CommonSlots, isCommon, pagesMin } from './common-slots.ts';
import { type Minhash, slots } from './minhash.ts';

export interface PageEvidence {
  readonly minhash: Minhash;
  readonly title: TitleHashes;
  /** 32-bit hash. */
  readonly host: number;
}

/** 32-bit hashes of a title, in lower case; 0: none. */
export interface TitleHashes {
  readonly whole: number;
  /** Up to the first and from the last dash, bar or colon: one of them may name the site. */
  readonly first: number;
  readonly last: number;
}

/**
 * Share of the significant slots in which both texts must agree. A copy with a tenth of its words edited shares 0.73
 * of the pairs; different texts share at most 0.06 (`npm run bench -- near-duplicates`).
 */
const resemblanceMin = 0.6;
/** Fewest significant slots for a comparison by share. */
const distinctSlotsMin = 8;
/** Slots that may differ if fewer are significant. */
const differingMax = 1;
/** Share of all slots that must agree if nothing is known of the site yet: its template may be most of the text. */
const resemblanceUnknown = 0.8;

/** Resemblance of two near-duplicates, up to 1; 0 if they are not. `common`: values common to the host of `a`. */
export function nearness(a: PageEvidence, b: PageEvidence, common: CommonSlots): number {
  return titlesAgree(a, b) ? textNearness(a.minhash, b.minhash, 0, common, a.host === b.host) : 0;
}

/** Resemblance of the texts alone. The signature of `b` begins at `from`. */
export function textNearness(a: Minhash, b: Minhash, from: number, common: CommonSlots, oneHost: boolean): number {
  let agreeing = 0;
  let shared = 0;
  for (let slot = 0; slot < slots; slot++) {
    if (a[slot] !== b[from + slot]) continue;
    if (isCommon(common, slot, a[slot]!)) shared += 1;
    else agreeing += 1;
  }
  const reporting = slots - shared;
  const whole = (agreeing + shared) / slots;
  if (common.pages < pagesMin) return whole >= (oneHost ? resemblanceUnknown : resemblanceMin) ? whole : 0;
  if (reporting < distinctSlotsMin) return slots - agreeing - shared <= differingMax ? whole : 0;
  return agreeing >= resemblanceMin * reporting ? whole : 0;
}

function titlesAgree(a: PageEvidence, b: PageEvidence): boolean {
  if (a.title.whole === b.title.whole) return true;
  if (a.host === b.host || a.title.whole === 0 || b.title.whole === 0) return false;
  return a.title.first === b.title.first || a.title.last === b.title.last;
}

const separator = /\s+[-–—|·•»«:/]+\s+|:\s+/;

export function titleHashes(title: string): TitleHashes {
  const plain = title.toLowerCase().replace(/\s+/g, ' ').trim();
  const parts = plain.split(separator);
  return { whole: hash32(plain), first: hash32(parts[0]!), last: hash32(parts.at(-1)!) };
}

/** The hash of a text; 0 only if the text is empty. */
export function hash32(text: string): number {
  if (text === '') return 0;
  const hash = fnv1a(text);
  return (hash ^ (hash >>> 15)) >>> 0 || 1;
}
