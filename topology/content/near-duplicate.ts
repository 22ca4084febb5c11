/**
 * Are two pages nearly the same? Both must say so: their titles, and their texts without what their site repeats.
 *
 * Texts are compared by distinct pairs of words (MinHash; Broder 1997). Slots in which both have what most pages of the
 * site have say nothing: pages of a site may share nine tenths of their words. Where nearly all slots are such, or nothing
 * is known of the site yet, only texts that hardly differ are near. Titles are what authors tell pages apart by: pages of
 * a reference are alike in all but their subject.
 */
import { fnv1a } from '../url/fnv.ts';
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
 * Share of the significant slots in which both texts must agree. With a tenth of its words edited, a copy has 0.73 of
 * its pairs in common with the text; other texts have at most 0.06 (`npm run bench -- near-duplicates`).
 */
const resemblanceMin = 0.6;
/** So many slots must be significant. */
const distinctSlotsMin = 8;
/** Slots that may differ if fewer are significant. */
const differingMax = 1;
/** The share of all slots for two pages of one site of which nothing is known yet: its template may be most of them. */
const resemblanceUnknown = 0.8;

/** 0: no. Otherwise how much they resemble each other, up to 1. `common`: slots common to the host of `a`. */
export function nearness(a: PageEvidence, b: PageEvidence, common: CommonSlots): number {
  return titlesAgree(a, b) ? textNearness(a.minhash, b.minhash, 0, common, a.host === b.host) : 0;
}

/** The same of the texts alone; that of `b` begins at `from`. */
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
