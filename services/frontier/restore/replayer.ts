/**
 * Follows a partition's changelog: takes its records one by one into a state, and writes the checkpoint now and then.
 *
 * Invariants: the checkpoint is written as of a record that was taken, so a kill at any point leaves a checkpoint to go on from; what
 * waits to be written is bounded, whatever the length of the changelog, and left to the caller at the end.
 *
 * If a record does not beyond doubt follow what was read here, either the record is void, or what was read here is gone
 * from the log. The log is asked which, before the record is taken.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import {
  type Claim,
  type Commit,
  type Foreign,
  follows,
  readChangelog,
} from '../../../topology/frontier/changes/changelog.ts';
import { recordHash } from '../../../topology/frontier/changes/record-hash.ts';
import { readLeases } from '../../../topology/frontier/checkpoint/read-rows.ts';
import { saveCheckpoint } from '../../../topology/frontier/checkpoint/save-checkpoint.ts';
import { replay } from '../../../topology/frontier/replay.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import type { LogRecord } from '../../runtime/log/log.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { runJob } from './job-runner.ts';
import { expectInLog, type InLog } from './stands-in-log.ts';

export class Replayer {
  readonly #inLog: InLog;
  readonly #state: FrontierState;
  readonly #store: StateStore;
  readonly #saveBytes: number;
  /** Changelog taken since the checkpoint was last written. */
  #unsavedBytes = 0;

  /** `saveBytes`: changelog between two writes of the checkpoint. */
  constructor(inLog: InLog, state: FrontierState, store: StateStore, saveBytes: number) {
    this.#inLog = inLog;
    this.#state = state;
    this.#store = store;
    this.#saveBytes = saveBytes;
  }

  get unsavedBytes(): number {
    return this.#unsavedBytes;
  }

  /** Throws STATE_DIVERGED, naming the partition, where it leads to another state than its owner had. */
  async take({ offset, value }: Pick<LogRecord, 'offset' | 'value'>): Promise<void> {
    const state = this.#state;
    const record = this.#read(offset, value);
    if (!follows(state.changelog, record)) await expectInLog(this.#inLog, state);
    // Entries that come back into the queue must have been read.
    if (record.kind === 'claim' && record.endsLeases) await runJob(this.#store, readLeases(state));
    this.#apply(offset, record, recordHash(value));
    this.#unsavedBytes += value.length;
    // A long replay fills the seen test's table as ingest does.
    const job = state.seen.stalled ? state.seen.work(false) : null;
    if (job !== null) await runJob(this.#store, job);
    if (this.#unsavedBytes >= this.#saveBytes) await this.save();
  }

  /** Writes the checkpoint; not while what it was loaded from is ahead of its position. */
  async save(): Promise<void> {
    if (this.#state.isAhead) return;
    await runJob(this.#store, readLeases(this.#state));
    await runJob(this.#store, saveCheckpoint(this.#state));
    this.#unsavedBytes = 0;
  }

  /** Throws INVALID_RECORD, by name, where the log is damaged. */
  #read(offset: number, value: Buffer): Claim | Commit | Foreign {
    try {
      return readChangelog(value);
    } catch (error) {
      if (!(error instanceof CrawlstreamError)) throw error;
      const where = `partition ${this.#inLog.identity.partition}, changelog offset ${offset}`;
      throw new CrawlstreamError(error.code, `${where}: ${error.message}`, error);
    }
  }

  #apply(offset: number, record: Claim | Commit | Foreign, hash: number): void {
    try {
      replay(this.#state, offset, record, hash);
    } catch (error) {
      if (!(error instanceof CrawlstreamError && error.code === 'STATE_DIVERGED')) throw error;
      const { partition } = this.#inLog.identity;
      throw new CrawlstreamError('STATE_DIVERGED', `partition ${partition}: ${error.message}`, error);
    }
  }
}
