/** Fields of a row of the schedule other than its numbers, packed into 16 bits. */
export interface DueFlags {
  /** Number of a final status: changes/changes.ts. */
  readonly status: number;
  readonly frontQueue: number;
  readonly fromSitemap: boolean;
  readonly out: boolean;
  readonly pushed: boolean;
  /** The content dedup reports that the page is nearly the same as another one. */
  readonly duplicate: boolean;
  /** New URLs that links of the page have led to since its last visit; `gainedMax`: this many or more. */
  readonly gained: number;
}

export const inUseFlag = 0x40;
const fromSitemapFlag = 0x80;
const outFlag = 0x100;
const pushedFlag = 0x200;
const duplicateFlag = 0x400;
const gainedShift = 11;
/** Limit of five bits. A page that gains more is visited sooner, until it gains fewer between two visits. */
export const gainedMax = 31;

export function packFlags({ status, frontQueue, fromSitemap, out, pushed, duplicate, gained }: DueFlags): number {
  const marks =
    (fromSitemap ? fromSitemapFlag : 0) |
    (out ? outFlag : 0) |
    (pushed ? pushedFlag : 0) |
    (duplicate ? duplicateFlag : 0);
  return status | (frontQueue << 3) | inUseFlag | marks | (gained << gainedShift);
}

export function unpackFlags(flags: number): DueFlags {
  const [fromSitemap, out, pushed] = [
    (flags & fromSitemapFlag) !== 0,
    (flags & outFlag) !== 0,
    (flags & pushedFlag) !== 0,
  ];
  const duplicate = (flags & duplicateFlag) !== 0;
  return {
    status: flags & 7,
    frontQueue: (flags >> 3) & 7,
    fromSitemap,
    out,
    pushed,
    duplicate,
    gained: flags >>> gainedShift,
  };
}
