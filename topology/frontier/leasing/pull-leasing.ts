/** Leasing by the calls of clients, who pull and report by gRPC. */

import type { Decision } from '../decide/decision.ts';
import { decideLapses } from '../decide/pull/gets.ts';
import { PullQueue } from '../decide/pull/pull-queue.ts';
import type { FrontierState } from '../state/state.ts';
import type { Leasing } from './leasing.ts';

export class PullLeasing implements Leasing {
  readonly queue = new PullQueue();
  /** Deadlines are measured by this clock alone, since clients do not see it. */
  readonly graceMs = 0;
  /** A client may give a queue any key. */
  readonly isReported = false;
  readonly isByHost = false;
  readonly endLate = decideLapses;

  answer(decision: Decision): void {
    this.queue.decide(decision);
  }

  /** Leases are granted only to clients that ask. */
  grant(): void {}

  get isCalled(): boolean {
    return this.queue.waiting;
  }

  get isUnread(): boolean {
    return this.queue.isUnread;
  }

  reads(state: FrontierState) {
    return this.queue.reads(state);
  }
}
