/** A sum, modulo 2^64, over the whole schedule in any order; the digest and the self-check use it. */
import { packFlags } from './due-flags.ts';
import type { Due } from './due-table.ts';

export class DueSum {
  /** Least significant first. */
  readonly words = new Uint32Array(2);

  add(due: Due, by: 1 | -1): void {
    const said = packFlags(due) | (due.rateClass << 16);
    const a = mix(due.lo ^ Math.imul(due.dueS, 0x9e3779b1) ^ said);
    const b = mix(due.hi ^ Math.imul(due.visitedS, 0x85ebca77) ^ a);
    const low = this.words[0]! + by * a;
    this.words[0] = low;
    this.words[1] = this.words[1]! + by * b + Math.floor(low / 2 ** 32);
  }
}

function mix(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return (h ^ (h >>> 15)) >>> 0;
}
