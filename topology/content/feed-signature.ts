/**
 * The signature of a feed: a mark for each entry, and the pause that the feed asks for. A poll compares signatures to
 * see whether the feed has new entries. Format: `feed/SECONDS/MARKS`, with 8 hexadecimal digits of each entry's URL
 * as its mark.
 *
 * A feed has changed if it has a new entry. An entry that drops off the end, moves, or gets a new date is no change.
 * A list of more than `entryMarksMax` entries has one mark for all of them, in any order; a removed entry then counts
 * as a change too.
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

/** True if `now` has an entry that `before` lacks. Both are signatures of feeds. */
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
