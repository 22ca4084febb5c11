/**
 * The ways in which URLs leave a frontier, and in which a lease ends without a report. There are two: tasks for
 * fetchers, and calls of clients that pull (pull-leasing.ts). A crawl's first policy chooses one; all else is the same
 * for both.
 */

import type { Decision } from '../decide/decision.ts';
import { decideGrants } from '../decide/leases/grants.ts';
import { decideRobotsHops } from '../decide/leases/robots-hops.ts';
import { decideExpiries } from '../decide/results/time.ts';
import { frontierLimits } from '../frontier-limits.ts';
import type { FrontierState } from '../state/state.ts';
import type { StoreJob } from '../storage/store-job.ts';

export interface Leasing {
  /** How long after its deadline a lease ends, ms, because its holder may have another clock. */
  readonly graceMs: number;
  /**
   * Whether holders report through `results`. Reports may then wait in the log, while a call is either answered or
   * was never made.
   */
  readonly isReported: boolean;
  /** Whether a queue is a host, which belongs to the partition that its name leads to. */
  readonly isByHost: boolean;
  /** Ends expired leases. */
  endLate(decision: Decision): void;
  /** Decides pending calls, before new URLs are admitted. */
  answer(decision: Decision): void;
  /** Grants leases to clients. `demand`: how many can be taken. */
  grant(decision: Decision, demand: number): void;
  /** Whether a call waits that a step could decide. */
  readonly isCalled: boolean;
  /** Whether a call has rows to read before the next step. */
  readonly isUnread: boolean;
  /** Reads rows for the next step, and the URLs of the last step's leases. Run it after each step. */
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
