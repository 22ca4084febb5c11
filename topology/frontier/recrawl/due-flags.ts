/** What a row of the schedule says beside its numbers, in 9 bits. */
export interface DueFlags {
  /** Number of a final status: changes/changes.ts. */
  readonly status: number;
  readonly band: number;
  readonly told: boolean;
  readonly out: boolean;
}

export const inUseFlag = 0x40;
const toldFlag = 0x80;
const outFlag = 0x100;

export function packFlags({ status, band, told, out }: DueFlags): number {
  return status | (band << 3) | inUseFlag | (told ? toldFlag : 0) | (out ? outFlag : 0);
}

export function unpackFlags(flags: number): DueFlags {
  const [told, out] = [(flags & toldFlag) !== 0, (flags & outFlag) !== 0];
  return { status: flags & 7, band: (flags >> 3) & 7, told, out };
}
