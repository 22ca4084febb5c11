/**
 * Takes operators' events so far, before the other inputs are read: operators may have moved those inputs (`crawlstream
 * seek`) from a position that no longer exists.
 */
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { Step } from '../../../topology/frontier/decide/step.ts';
import type { FrontierPartition } from '../../../topology/frontier/partition.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log, LogRecord, PollOptions } from '../../runtime/log/log.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { runJob } from '../restore/job-runner.ts';
import { frontierServiceLimits } from '../service-limits.ts';

export interface CatchUpControl {
  readonly log: Pick<Log, 'offsets'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly store: StateStore;
  readonly identity: PartitionIdentity;
  /** Full name of `control`. */
  readonly topic: string;
  readonly core: FrontierPartition;
  readonly signal: AbortSignal;
  poll(options: PollOptions): Promise<LogRecord[]>;
  take(record: LogRecord): Promise<void>;
  commit(step: Step): Promise<void>;
}

export async function catchUpControl({ core, signal, ...options }: CatchUpControl): Promise<void> {
  const { log, clock, store, identity, topic } = options;
  const { pollBytes: maxBytes, idleMs: waitMs } = frontierServiceLimits;
  const { end } = await log.offsets(topic, identity.partition);
  while (core.state.positions.control.offset < end && !signal.aborted) {
    const records = await options.poll({ maxBytes, waitMs });
    // A foreign transaction ends without a record; a late record is read with the other inputs.
    if (records.length === 0) break;
    for (const record of records) await options.take(record);
    while (core.waiting('control') > 0) {
      if (core.isUnread) await runJob(store, core.reads());
      const step = core.step(clock.nowMs(), 0);
      if (step !== null) await options.commit(step);
    }
  }
  // Nothing else has been read yet.
  core.takeSought();
}
