/**
 * The role of this process for one partition: owner, standby or none; one at a time, on one store.
 *
 * A standby that becomes the owner passes its state on, so that nothing is read twice. An owner that becomes a standby
 * begins at its last checkpoint, because decisions in memory that were not durable are not in the changelog.
 *
 * If the partition's own records are at fault (damaged, or missing), it stops, reports why, and retries now and then,
 * because an operator may have repaired it. The process continues with its other partitions.
 */

import { CrawlstreamError, type ErrorCode } from '../../../topology/errors.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { FrontierPartition } from '../../../topology/frontier/partition.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { changelogLimits } from '../changelog-limits.ts';
import { type OwnerOptions, PartitionOwner } from '../own/partition-owner.ts';
import { Standby, type StandbyOptions } from './standby.ts';

export interface PartitionTaskOptions extends Omit<OwnerOptions, 'store' | 'warm'> {
  readonly identity: PartitionIdentity;
  readonly onStandbyTrouble?: StandbyOptions['onTrouble'];
  openStore(): Promise<StateStore>;
  /**
   * Called when records of the partition stop it. Returns false if no other partition works; the process then fails.
   */
  onStopped?(error: CrawlstreamError): boolean;
  onFailure(error: unknown): void;
}

/** Faults of one partition's records, which leave the others alone. */
const ofPartition: ReadonlySet<ErrorCode> = new Set([
  'INVALID_RECORD',
  'STATE_DIVERGED',
  'CHANGELOG_GAP',
  'OFFSET_OUT_OF_RANGE',
  'LOG_TRUNCATED',
]);

/** `rank` above 0: 1 for the first copy, 2 for the second. */
export type PartitionRole =
  | { readonly is: 'none' }
  | { readonly is: 'owner' }
  | { readonly is: 'standby'; readonly rank: number };

export class PartitionTask {
  readonly #options: PartitionTaskOptions;
  #duty: PartitionRole = { is: 'none' };
  #working: Promise<void> | undefined;
  #settle: (() => void) | undefined;
  #ready: Promise<void> = Promise.resolve();
  /** Ends the pause of a partition that has stopped. */
  #wake = new AbortController();
  #stopped: CrawlstreamError | undefined;
  owner: PartitionOwner | undefined;
  standby: Standby | undefined;

  constructor(options: PartitionTaskOptions) {
    this.#options = options;
  }

  /** Is the partition this process's, restored or not? */
  get owns(): boolean {
    return this.#duty.is === 'owner';
  }

  /** Does this process keep a copy of the partition, complete or not? */
  get copies(): boolean {
    return this.#duty.is === 'standby';
  }

  /** Why the partition has stopped; undefined: it has not. */
  get stopped(): CrawlstreamError | undefined {
    return this.#stopped;
  }

  /** Resolves once the partition is restored and claimed, or no longer belongs to this process, or has stopped. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /** Sets the role; the current work ends first. */
  take(duty: PartitionRole): void {
    const before = this.#duty;
    this.#duty = duty;
    if (isSame(before, duty)) return;
    this.#stopped = undefined;
    this.#settle?.();
    this.#settle = undefined;
    if (duty.is === 'owner') this.#ready = new Promise((resolve) => (this.#settle = resolve));
    this.owner?.stop();
    this.standby?.stop();
    this.#wake.abort();
    this.#begin();
  }

  /** Ends the current work for good; resolves when the store is closed. */
  async end(): Promise<void> {
    this.take({ is: 'none' });
    await this.#working;
  }

  #begin(): void {
    if (this.#duty.is === 'none' || this.#working !== undefined) return;
    this.#working = this.#work()
      .catch((error) => this.#failed(error))
      .finally(() => {
        this.#working = undefined;
        // A new role may have been set while the store was closing.
        this.#begin();
      });
  }

  async #failed(error: unknown): Promise<void> {
    const { clock, onStopped, onStandbyTrouble, onFailure } = this.#options;
    const fault = error instanceof CrawlstreamError && ofPartition.has(error.code) ? error : undefined;
    if (this.owns) this.#stopped = fault;
    else if (fault !== undefined) onStandbyTrouble?.(fault);
    if (fault === undefined || (this.owns && onStopped?.(fault) !== true)) {
      this.#duty = { is: 'none' };
      this.#settle?.();
      return onFailure(error);
    }
    this.#settle?.();
    this.#wake = new AbortController();
    await clock.sleepUntil(clock.nowMs() + changelogLimits.stoppedAgainMs, this.#wake.signal);
  }

  async #work(): Promise<void> {
    const store = await this.#options.openStore();
    try {
      let warm: FrontierState | undefined;
      // A role that was taken away and given again has ended in between: it is begun again.
      for (let duty = this.#duty; duty.is !== 'none'; duty = this.#duty) {
        if (duty.is === 'owner') warm = await this.#own(store, warm);
        else warm = await this.#follow(store, warm, duty.rank);
      }
    } finally {
      await store.close();
    }
  }

  async #own(store: StateStore, warm: FrontierState | undefined): Promise<undefined> {
    const onOpened = (core: FrontierPartition) => {
      this.#options.onOpened?.(core);
      this.#stopped = undefined;
      this.#settle?.();
    };
    this.owner = new PartitionOwner({ ...this.#options, store, warm, onOpened });
    try {
      await this.owner.run();
    } finally {
      this.owner = undefined;
    }
  }

  async #follow(store: StateStore, warm: FrontierState | undefined, rank: number): Promise<FrontierState | undefined> {
    const { onStandbyTrouble: onTrouble } = this.#options;
    this.standby = new Standby({ ...this.#options, store, warm, rank, onTrouble });
    try {
      return await this.standby.run();
    } finally {
      this.standby = undefined;
    }
  }
}

function isSame(a: PartitionRole, b: PartitionRole): boolean {
  return a.is === b.is && (a.is !== 'standby' || b.is !== 'standby' || a.rank === b.rank);
}
