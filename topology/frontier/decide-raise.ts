/**
 * An operator raises a URL: it leaves its place in the host's queue and goes to the end of the first front queue. The URL
 * is looked for before the step (read-rows.ts). One that is on lease, came back, is finished or was never met stays as
 * it is: a forced link is for those.
 */
import type { Decision } from './decision.ts';
import type { FoundPlace } from './read-rows.ts';

/** `found`: where each URL waits; it is taken out, so that a second event finds nothing. */
export function decideRaise(decision: Decision, hostKey: string, url: string, found: Map<string, FoundPlace>): void {
  const place = found.get(url);
  if (place === undefined) return;
  found.delete(url);
  const { number: band, seq, entry } = place;
  if (band > 0) decision.emit({ kind: 'raise', hostKey, band, seq, entry: { ...entry, band: 0 } });
}
