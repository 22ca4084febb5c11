/**
 * Writes a partition's checkpoint now and then, one slice between two steps of its owner.
 *
 * A slice is of the newest commit, which must be acked first: a checkpoint is never ahead of the changelog. If
 * changes come faster than slices are written, the round is finished at once, because changes that are not in the
 * checkpoint take memory.
 */

import { saveCheckpoint } from '../../../topology/frontier/checkpoint/save-checkpoint.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import type { StoreJob, StoreReply } from '../../../topology/frontier/storage/store-job.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { frontierServiceLimits } from '../service-limits.ts';
import { answerRequest } from './job-runner.ts';

export interface CheckpointSaverOptions {
  readonly state: FrontierState;
  readonly store: StateStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Bytes of changelog after which the checkpoint is written, if not earlier. Default: frontierServiceLimits. */
  readonly saveEveryBytes?: number;
  /** As in OwnerOptions. */
  readonly saveSmallEveryMs?: number | undefined;
  /** Resolves once all decisions are durable. */
  settle(): Promise<void>;
}

export class CheckpointSaver {
  readonly #options: CheckpointSaverOptions;
  /** The running round of writing; null: none. */
  #round: StoreJob | null = null;
  /** Result of its last request. */
  #reply: StoreReply = [];
  #savedAtMs: number;
  #changedBytes = 0;

  constructor(options: CheckpointSaverOptions) {
    this.#options = options;
    this.#savedAtMs = options.clock.nowMs();
  }

  get isSaving(): boolean {
    return this.#round !== null;
  }

  /** Call it after each write to the changelog, with its size in bytes. */
  changed(bytes: number): void {
    this.#changedBytes += bytes;
  }

  /** Begins a checkpoint when one is due, or writes the next slice of the current one. */
  async saveIfDue(): Promise<void> {
    const { state, clock, saveEveryBytes = frontierServiceLimits.saveEveryBytes } = this.#options;
    const nowMs = clock.nowMs();
    const due = this.#changedBytes >= saveEveryBytes || nowMs - this.#savedAtMs >= this.#everyMs;
    if (this.#round === null && due && this.#changedBytes > 0) {
      this.#round = saveCheckpoint(state);
      this.#changedBytes = 0;
      this.#savedAtMs = nowMs;
    }
    if (this.#changedBytes >= saveEveryBytes) await this.#finish();
    else await this.#saveSlice();
  }

  /** A checkpoint of few changes costs as much as one of many, and a restart replays them in a moment. */
  get #everyMs(): number {
    const { saveEveryMs, saveSmallBytes } = frontierServiceLimits;
    const { saveSmallEveryMs = saveEveryMs } = this.#options;
    return this.#changedBytes < saveSmallBytes ? saveSmallEveryMs : saveEveryMs;
  }

  /** Writes everything there is now. */
  async saveNow(): Promise<void> {
    await this.#finish();
    this.#round = saveCheckpoint(this.#options.state);
    await this.#finish();
  }

  async #finish(): Promise<void> {
    while (this.#round !== null) await this.#saveSlice();
  }

  async #saveSlice(): Promise<void> {
    const slice = this.#round?.next(this.#reply);
    if (slice === undefined || slice.done === true) {
      this.#round = null;
      this.#reply = [];
      return;
    }
    await this.#options.settle();
    this.#reply = await answerRequest(this.#options.store, slice.value);
  }
}
