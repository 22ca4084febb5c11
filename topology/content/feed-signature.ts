/**
 * The signature of a feed, by which a poll finds out whether the feed brings anything: a mark for each entry, and the
 * feed's requested pause. `feed/SECONDS/MARKS`, a mark being 8 hexadecimal digits of its entry's URL.
 *
 * A feed has changed if it has a new entry. An entry that drops off the end, moves, or gets a new date is no change. A
 * list of more than `entryMarksMax` has one mark for all of it, in any order: for such a list, a removed entry counts
 * as a change as well.
 */

import { parseLimits } from '../parse/parse-limits.ts';
import { fnv1a } from '../url/fnv.ts';

const prefix = 'feed/';
const markChars = 8;

/** `pollMs`: shortest time between polls that the feed, or its server, asks for; 0: none. */
export function feedSignature(urls: readonly string[], pollMs: number): string {
  const marks = [...new Set(urls)].map(markOf);
  const kept = marks.length <= parseLimits.entryMarksMax ? marks : [marks.reduce((sum, mark) => (sum + mark) >>> 0, 0)];
  const text = kept.map((mark) => mark.toString(16).padStart(markChars, '0')).join('');
  return `${prefix}${Math.ceil(pollMs / 1_000)}/${text}`;
}

export function isFeedSignature(signature: string): boolean {
  return signature.startsWith(prefix);
}

/** Shortest time between polls, s; 0: none is asked for. */
export function pollSecondsOf(signature: string): number {
  return Number.parseInt(signature.slice(prefix.length), 10);
}

/** Has `now` an entry that `before` had not? Both are signatures of feeds. */
export function hasNewEntries(before: string, now: string): boolean {
  const known = new Set(marksOf(before));
  return marksOf(now).some((mark) => !known.has(mark));
}

function marksOf(signature: string): string[] {
  const from = signature.indexOf('/', prefix.length) + 1;
  return Array.from({ length: (signature.length - from) / markChars }, (_, n) =>
    signature.slice(from + n * markChars, from + (n + 1) * markChars),
  );
}

/** Mixes a hash once more: it must distinguish ordinary entries, and need not resist contrived ones. */
function markOf(url: string): number {
  let hash = fnv1a(url);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}
