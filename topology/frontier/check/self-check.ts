/**
 * Checks of the state that the owner writes with its changes. A replay uses them to verify that its state equals the
 * owner's. docs/design.md §4.14.
 *
 * A check covers small values and values that are already sums: policy (summed once), counters (the place of every
 * admitted URL), quota, next ids, leases, all admitted URLs, all queued entries and the schedule. So its cost does
 * not depend on the size of the state. `digest` covers the rest: the facts of hosts and the heads of their queues.
 * Positions are in each commit. Checks are skipped while a checkpoint that was written in slices is ahead of its
 * changelog.
 */
import { CrawlstreamError } from '../../errors.ts';
import type { Change } from '../changes/changes.ts';
import { countersPresent } from '../changes/counters.ts';
import type { FrontierState } from '../state/state.ts';
import { RowSum, scheduleRow } from './digest.ts';

/** Version of the rows below; a check of another version is ignored. */
const checkVersion = 4;

export function checkOf(state: FrontierState): Change & { readonly kind: 'check' } {
  const sum = new RowSum();
  sum.addSum(policySum(state));
  sum.add(['next', state.leases.nextId, state.quota.wanted]);
  sum.add(['counters', ...countersPresent(state.counters).map((name) => state.counters[name])]);
  for (const [partition, { granted, returned, wanted, version }] of state.quota.book) {
    sum.add(['quota', partition, granted, returned, wanted, version]);
  }
  sum.add(['leases', state.leases.size, leaseSum(state)]);
  sum.add(['everQueued', state.queues.frontQueues.queuedEver, ...state.queued.sum.words]);
  sum.add(['seen', state.seen.size, ...state.seen.sum.words]);
  if (!state.recrawl.isEmpty) sum.add(scheduleRow(state.recrawl));
  return { kind: 'check', version: checkVersion, sum: sum.hex() };
}

interface PolicySummed {
  readonly version: number;
  readonly json: string;
  readonly sum: RowSum;
}

const policies = new WeakMap<FrontierState, PolicySummed>();

/** A policy with thousands of overlays or patterns is megabytes, and the same at each check. */
function policySum(state: FrontierState): RowSum {
  const { policyVersion: version, policyJson: json } = state;
  const known = policies.get(state);
  if (known?.version === version && known.json === json) return known.sum;
  const sum = new RowSum();
  sum.add(['policy', version, json]);
  policies.set(state, { version, json, sum });
  return sum;
}

/**
 * Leases are summed by their numbers alone: there may be a thousand, and a row for each would cost a hundred times as
 * much.
 */
function leaseSum(state: FrontierState): number {
  let sum = 0;
  for (const { id, deadlineMs, delayMs } of state.leases.values()) {
    let hash = Math.imul(id, 0xcc9e2d51) ^ Math.imul(deadlineMs % 0x1_0000_0000, 0x1b873593) ^ delayMs;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    sum = (sum + (hash ^ (hash >>> 13))) >>> 0;
  }
  return sum;
}

/** Throws STATE_DIVERGED if a replay has reached another state than the owner had. */
export function verifyCheck(state: FrontierState, check: Change & { readonly kind: 'check' }, offset: number): void {
  if (check.version !== checkVersion || checkOf(state).sum === check.sum) return;
  throw new CrawlstreamError(
    'STATE_DIVERGED',
    `the state replayed up to changelog offset ${offset} differs from the state committed there`,
  );
}
