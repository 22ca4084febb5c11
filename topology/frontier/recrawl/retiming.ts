/**
 * How far pages that wait have got due times by a new policy (decide/results/retime.ts). It is state, so that the next
 * owner goes on from there.
 */
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';
import type { DuePlace } from './due-order.ts';

export interface Retiming extends DuePlace {
  /** When the policy came. */
  readonly atMs: number;
  /** A page that waits longer since a visit after this time than its interval waits because its answer was fresh. */
  readonly freshFromMs: number;
  /** No page is left. */
  readonly done: boolean;
}

export function writeRetiming(writer: ByteWriter, { atMs, freshFromMs, reversed, hi, done }: Retiming): void {
  writer.uint(atMs);
  writer.uint(freshFromMs);
  writer.uint(reversed);
  writer.uint(hi);
  writer.boolean(done);
}

export function readRetiming(reader: ByteReader): Retiming {
  return {
    atMs: reader.uint(),
    freshFromMs: reader.uint(),
    reversed: reader.uint(),
    hi: reader.uint(),
    done: reader.boolean(),
  };
}

/** The same as a row of the digest; empty: no policy has changed `recrawl`. */
export function retimingFields(retiming: Retiming | null): number[] {
  if (retiming === null) return [];
  const { atMs, freshFromMs, reversed, hi, done } = retiming;
  return [atMs, freshFromMs, reversed, hi, done ? 1 : 0];
}
