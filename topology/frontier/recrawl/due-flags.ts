/** What a row of the schedule says beside its numbers, in 10 bits. */
export interface DueFlags {
  /** Number of a final status: changes/changes.ts. */
  readonly status: number;
  readonly frontQueue: number;
  readonly told: boolean;
  readonly out: boolean;
  readonly pushed: boolean;
}

export const inUseFlag = 0x40;
const toldFlag = 0x80;
const outFlag = 0x100;
const pushedFlag = 0x200;

export function packFlags({ status, frontQueue, told, out, pushed }: DueFlags): number {
  const marks = (told ? toldFlag : 0) | (out ? outFlag : 0) | (pushed ? pushedFlag : 0);
  return status | (frontQueue << 3) | inUseFlag | marks;
}

export function unpackFlags(flags: number): DueFlags {
  const [told, out, pushed] = [(flags & toldFlag) !== 0, (flags & outFlag) !== 0, (flags & pushedFlag) !== 0];
  return { status: flags & 7, frontQueue: (flags >> 3) & 7, told, out, pushed };
}
