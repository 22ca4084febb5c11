/**
 * Learns the rewritings of a host from outcomes. A redirect to another spelling is a proof. It is contradicted by a
 * page in the spelling that the rewriting would change, and by a proof of the opposite. A contradicted rewriting must
 * be proved again, twice as often each time.
 */
import type { Outcome } from '../../../../schemas/types.ts';
import type { Policy } from '../../../policy/policy.ts';
import { oppositeOf, type Rewriting, rewritingsBetween, rewritten } from '../../../url/rewriting.ts';
import type { FinalStatus } from '../../changes/changes.ts';
import { type Evidence, isLearnt, noEvidence } from '../../state/equivalences.ts';
import type { Decision } from '../decision.ts';

/** `url`: normal, as requested. */
export function learnEquivalences(
  decision: Decision,
  policy: Policy,
  hostKey: string,
  url: string,
  outcome: Outcome,
  status: FinalStatus,
): void {
  const { equivalences } = policy.config;
  if (equivalences === undefined) return;
  if (status === 'page' && !outcome.soft404) return contradict(decision, hostKey, url);
  if (outcome.kind !== 'redirect') return;
  const target = policy.normalize(outcome.redirectUrl);
  const rewritings = target === null ? null : rewritingsBetween(url, target);
  for (const rewriting of rewritings ?? []) prove(decision, hostKey, rewriting, target!, equivalences.proofs);
}

function prove(decision: Decision, hostKey: string, rewriting: Rewriting, target: string, needed: number): void {
  const { state } = decision;
  const known = state.equivalences.of(hostKey);
  const before = known.get(rewriting);
  if (before === undefined && known.size >= rewritingsMax) return;
  const { proofs, against, targets } = before ?? noEvidence;
  if (before !== undefined && isLearnt(before, needed)) return;
  const mark = state.fingerprintOf(target)[1]!;
  if (targets.includes(mark)) return;
  const after: Evidence = { proofs: proofs + 1, against, targets: [...targets, mark].slice(-targetsMax) };
  put(decision, hostKey, rewriting, isLearnt(after, needed) ? { ...after, targets: [] } : after);
  const opposite = oppositeOf(rewriting);
  const other = opposite === undefined ? undefined : known.get(opposite);
  if (other !== undefined && other.proofs > 0) unlearn(decision, hostKey, opposite!, other);
}

/** Most rewritings of a host with evidence: parameters may have any number of names. */
const rewritingsMax = 16;

/** Last targets to remember. A target among them does not count again, so a site with few targets proves little. */
const targetsMax = 16;

function contradict(decision: Decision, hostKey: string, url: string): void {
  for (const [rewriting, evidence] of decision.state.equivalences.of(hostKey))
    if (evidence.proofs > 0 && rewritten(url, rewriting) !== url) unlearn(decision, hostKey, rewriting, evidence);
}

function unlearn(decision: Decision, hostKey: string, rewriting: Rewriting, { against }: Evidence): void {
  put(decision, hostKey, rewriting, { proofs: 0, against: against + 1, targets: [] });
}

function put(decision: Decision, hostKey: string, rewriting: Rewriting, evidence: Evidence): void {
  decision.emit({ kind: 'equivalence', hostKey, rewriting, ...evidence });
}
