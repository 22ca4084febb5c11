/**
 * Applies records of the changelog without deciding anything: for owners that restore, standbys, snapshots and
 * replays.
 */
import type { Claim, Commit, Foreign } from './changes/changelog.ts';
import { expectOffset, validateCommit } from './changes/changelog.ts';
import { verifyCheck } from './check/self-check.ts';
import { endLeases } from './decide/leases/end-leases.ts';
import type { FrontierState } from './state/state.ts';

/**
 * Applies a record of the changelog, at an owner that restores, a standby or a replay. `hash`: hash of its bytes;
 * null: the caller does not need the origin of this state later.
 */
export function replay(
  state: FrontierState,
  offset: number,
  record: Claim | Commit | Foreign,
  hash: number | null = null,
): void {
  const { changelog, isAhead } = state;
  expectOffset(changelog, offset);
  const read = hash === null ? null : { offset, hash };
  if (record.kind === 'foreign') state.foreignRecords += 1;
  else if (record.kind === 'claim') replayClaim(state, offset, record);
  else if (validateCommit(changelog, record) === 'counts') replayCommit(state, offset, record);
  const { epoch, seq } = state.changelog;
  const counts = record.kind === 'claim' || epoch !== changelog.epoch || seq !== changelog.seq;
  state.changelog = { offset: offset + 1, epoch, seq, read, counted: counts ? read : changelog.counted };
  // A host's row does not contain its schedule, which belongs to the position: only now are both of the same moment.
  if (isAhead && !state.isAhead) for (const host of state.ahead.end()) state.settle(state.hosts.at(host));
}

function replayClaim(
  state: FrontierState,
  offset: number,
  { nowMs, endsLeases: doesEnd, schedulesAgain }: Claim,
): void {
  state.nowMs = Math.max(state.nowMs, nowMs);
  state.changelog = { ...state.changelog, offset: offset + 1, epoch: offset };
  state.foreignBeforeClaim = state.foreignRecords;
  state.traps.forget();
  state.budgets.restart();
  if (doesEnd) endLeases(state, state.nowMs, schedulesAgain);
}

function replayCommit(state: FrontierState, offset: number, record: Commit): void {
  const { isAhead } = state;
  state.nowMs = Math.max(state.nowMs, record.nowMs);
  for (const change of record.changes) {
    if (change.kind !== 'check') state.apply(change);
    else if (!isAhead) verifyCheck(state, change, offset);
  }
  if (isAhead) state.counters = { ...record.counters };
  for (const { topic, to } of record.inputs) state.positions[topic] = to;
  state.changelog = { ...state.changelog, offset: offset + 1, epoch: record.epoch, seq: record.seq };
}
