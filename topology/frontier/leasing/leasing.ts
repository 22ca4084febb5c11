/**
 * How URLs leave a frontier, and how a lease ends when nobody reports on it. There are two ways: tasks for fetchers,
 * and calls of clients that pull (pull-leasing.ts). A crawl's first policy chooses one; all else is the same for both.
 */

import type { Decision } from '../decide/decision.ts';
import { decideGrants } from '../decide/leases/grants.ts';
import { decideRobotsHops } from '../decide/leases/robots-hops.ts';
import { decideExpiries } from '../decide/results/time.ts';
import { frontierLimits } from '../frontier-limits.ts';
import type { FrontierState } from '../state/state.ts';
import type { StoreJob } from '../storage/store-job.ts';

export interface Leasing {
  /** How long after its deadline a lease is over, ms: its holder may have another clock. */
  readonly graceMs: number;
  /** Do holders report by `results`? What they said may then wait in the log, where a call is answered or was not made. */
  readonly isReported: boolean;
  /** Is a queue a host, which belongs to the partition that its name leads to? */
  readonly isByHost: boolean;
  /** Ends leases that are over. */
  endLate(decision: Decision): void;
  /** Decides pending calls, before new URLs are admitted. */
  answer(decision: Decision): void;
  /** Grants leases to whoever takes them. `demand`: how many can be taken. */
  grant(decision: Decision, demand: number): void;
  /** Is there a call that a step could decide? */
  readonly isCalled: boolean;
  /** Is there a call with rows to read before the next step? */
  readonly isUnread: boolean;
  /** Reads what the next step needs, and what the last one's leases hold. To be run after each step. */
  reads(state: FrontierState): StoreJob;
}

/** Tasks for fetchers, who report by `results`. */
export const taskLeasing: Leasing = {
  graceMs: frontierLimits.clockSkewMs,
  isReported: true,
  isByHost: true,
  endLate: decideExpiries,
  answer: () => {},
  grant: (decision, demand) => decideGrants(decision, decideRobotsHops(decision, demand)),
  isCalled: false,
  isUnread: false,
  *reads() {},
};
