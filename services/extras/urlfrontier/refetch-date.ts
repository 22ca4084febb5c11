/**
 * Dates of rescheduled URLs: seconds since the Unix epoch, any whole number of 64 bits.
 *
 * The frontier uses milliseconds that a number can hold, and forgets them once the URL is on lease. So the client's
 * date is stored with the URL's metadata, in an entry of this server that no client sees.
 */
import { entryOf, textOf } from './metadata.ts';
import type { Whole } from './wire.ts';

export const dateKey = 'crawlstream.refetchableFromDate';

/** The last moment that a `Date` has (ECMA-262 §21.4.1.1): the frontier's never. */
const latestMs = 8.64e15;

/** Converts seconds to the frontier's milliseconds. */
export function msOf(seconds: Whole): number {
  return Math.min(1000 * Number(digitsOf(seconds)), latestMs);
}

export function dateEntry(seconds: Whole): Uint8Array {
  return entryOf(dateKey, digitsOf(seconds));
}

/** The date of a rescheduled URL, in the form of the wire. */
export function dateOf(entries: readonly Uint8Array[]): Whole | undefined {
  for (const entry of entries) {
    const digits = textOf(entry, dateKey);
    if (digits !== undefined) return wholeOf(digits);
  }
  return undefined;
}

function digitsOf(seconds: Whole): string {
  if (typeof seconds === 'number') return String(seconds);
  return String((BigInt(seconds.high >>> 0) << 32n) | BigInt(seconds.low >>> 0));
}

function wholeOf(digits: string): Whole {
  const seconds = Number(digits);
  if (Number.isSafeInteger(seconds)) return seconds;
  const exact = BigInt(digits);
  return { low: Number(exact & 0xffff_ffffn), high: Number(exact >> 32n), toNumber: () => seconds };
}
