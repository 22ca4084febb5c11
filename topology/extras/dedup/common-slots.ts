/**
 * The MinHash values that most pages of a host have in common. Menus, banners and footers give the same least hash in
 * the same slots of most pages. Each slot keeps a majority vote (Boyer & Moore, "MJRTY", 1981): 388 bytes a host,
 * whatever the number of pages.
 */
import { type Minhash, slots } from './minhash.ts';

export interface CommonSlots {
  readonly pages: number;
  readonly values: Uint16Array;
  /** By slot: the number of votes by which the value leads, at most 255. */
  readonly leads: Uint8Array;
}

/** Pages of a host to see before its common values are known. */
export const pagesMin = 8;
const leadMin = 4;
/** A value is common if half of the pages, plus this share of all pages, have it. */
const leadShare = 0.15;

export function noCommonSlots(): CommonSlots {
  return { pages: 0, values: new Uint16Array(slots), leads: new Uint8Array(slots) };
}

/** The votes after one more page. */
export function withPage(common: CommonSlots, page: Minhash): CommonSlots {
  const values = common.values.slice();
  const leads = common.leads.slice();
  for (let slot = 0; slot < slots; slot++) {
    if (leads[slot] === 0) {
      values[slot] = page[slot]!;
      leads[slot] = 1;
    } else if (values[slot] === page[slot]) leads[slot] = Math.min(leads[slot]! + 1, 255);
    else leads[slot]! -= 1;
  }
  return { pages: Math.min(common.pages + 1, 0xffffffff), values, leads };
}

/** Do most pages of the host have this value there? Not known before `pagesMin` pages. */
export function isCommon({ pages, values, leads }: CommonSlots, slot: number, value: number): boolean {
  if (pages < pagesMin || values[slot] !== value) return false;
  return leads[slot]! >= Math.max(leadMin, leadShare * Math.min(pages, 255));
}
