/**
 * What the pages of a host have in common, seen in their MinHash signatures: menus, banners and footers give the same
 * least hash in the same slots of most pages. Per slot, a vote for the value that most pages have (Boyer & Moore, "MJRTY", 1981):
 * 388 bytes a host, whatever its pages.
 */
import { type Minhash, slots } from './minhash.ts';

export interface CommonSlots {
  readonly pages: number;
  readonly values: Uint16Array;
  /** By how many pages each value is ahead of all others, 255 at most. */
  readonly leads: Uint8Array;
}

/** Pages of a host that must be seen before it is known what they have in common. */
export const pagesMin = 8;
const leadMin = 4;
/** A value is common if half of the pages, and this share of them more, have it. */
const leadShare = 0.15;

export function noCommonSlots(): CommonSlots {
  return { pages: 0, values: new Uint16Array(slots), leads: new Uint8Array(slots) };
}

/** The vote with one more page. */
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
