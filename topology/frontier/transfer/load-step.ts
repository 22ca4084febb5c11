/**
 * A commit of a load: changes decided elsewhere, written by the partition's current owner.
 *
 * It is applied as it is decided, like any step, and a replay of the changelog reaches the same state. No position of
 * an input moves.
 */
import { encodeCommit, inputTopics, past } from '../changes/changelog.ts';
import type { Change } from '../changes/changes.ts';
import { lostUrls } from '../changes/counters.ts';
import { Decision, type PartitionIdentity } from '../decide/decision.ts';
import type { FrontierState } from '../state/state.ts';

export interface LoadStep {
  readonly commit: Buffer;
  /** Offset that the commit must get. */
  readonly offset: number;
}

export function loadStep(
  state: FrontierState,
  identity: PartitionIdentity,
  wallMs: number,
  changes: readonly Change[],
): LoadStep {
  state.nowMs = Math.max(state.nowMs, wallMs);
  const decision = new Decision(identity, state, state.nowMs, () => null);
  for (const change of changes) decision.emit(change);
  const bytes = decision.finish();
  const lost = lostUrls(state.counters);
  if (lost !== 0) throw new Error(`invariant broken: ${lost} loaded URLs are neither queued, leased nor finished`);
  const { positions, counters, policyVersion } = state;
  const inputs = inputTopics.map((topic) => ({ topic, from: positions[topic], to: positions[topic] }));
  const { epoch, offset } = state.changelog;
  const { seq, nowMs } = decision;
  const header = { kind: 'commit', epoch, seq, nowMs, policyVersion, demand: 0, inputs, counters } as const;
  const commit = encodeCommit(header, bytes);
  state.changelog = past(offset, commit, epoch, seq);
  return { commit, offset };
}
