/**
 * Stores verdicts of the content dedup on single pages: a scheduled page is nearly a copy of another, or no longer
 * is. Verdicts on other pages are not stored: the dedup repeats them at each visit of a copy.
 */

import { hostKeyOf } from '../../../url/host-key.ts';
import { seenKey } from '../../../url/seen-key.ts';
import type { DuplicatesPayload } from '../control-payloads.ts';
import type { Decision } from '../decision.ts';

export function decideVerdicts(decision: Decision, hostKey: string, urls: DuplicatesPayload['urls']): void {
  const { state, policy } = decision;
  if (policy?.config.recrawl?.demote === undefined) return;
  for (const { url: given, of } of urls) {
    const url = policy.normalize(given);
    // Any program may write to `control`: the event changes only its own host.
    if (url === null || hostKeyOf(url) !== hostKey) continue;
    const { table } = state.recrawl;
    const [hi = 0, lo = 0] = state.fingerprintOf(url);
    const row = table.find(hi, lo);
    const duplicateOf = of !== '' && seenKey(of) === seenKey(url) ? '' : of;
    if (row < 0 || table.at(row).duplicate === (duplicateOf !== '')) continue;
    decision.emit({ kind: 'verdict', hostKey, url, duplicateOf });
  }
}
