/**
 * The order in which a walk passes the schedule: by the low word of the fingerprint with its bits reversed, then by the
 * high word.
 *
 * The order depends on the URLs alone, so a walk that is continued by another owner, or after the table has grown,
 * passes the same rows. An index by the lowest bits of the low word has the rows in this order, whatever its size, as
 * in Redis's SCAN.
 */
export interface DuePlace {
  readonly reversed: number;
  readonly hi: number;
}

export const firstPlace: DuePlace = { reversed: 0, hi: 0 };

export function placeOfRow(hi: number, lo: number): DuePlace {
  return { reversed: reversedBits(lo), hi };
}

/** Below 0: a comes first. */
export function comparePlaces(a: DuePlace, b: DuePlace): number {
  return a.reversed - b.reversed || a.hi - b.hi;
}

/** The 32 bits of a word, the lowest first. */
export function reversedBits(word: number): number {
  let bits = ((word >>> 1) & 0x5555_5555) | ((word & 0x5555_5555) << 1);
  bits = ((bits >>> 2) & 0x3333_3333) | ((bits & 0x3333_3333) << 2);
  bits = ((bits >>> 4) & 0x0f0f_0f0f) | ((bits & 0x0f0f_0f0f) << 4);
  bits = ((bits >>> 8) & 0x00ff_00ff) | ((bits & 0x00ff_00ff) << 8);
  return ((bits >>> 16) | (bits << 16)) >>> 0;
}
