/**
 * Follows a partition's changelog: applies its records one by one to a state, and writes the checkpoint now and then.
 *
 * Invariants: the checkpoint always has the position of an applied record, so a kill at any point leaves a usable
 * checkpoint. The amount of unsaved changes is bounded, whatever the length of the changelog; the last ones are left
 * to the caller.
 *
 * If a record does not certainly follow the records that were read here, either it is void, or the log has lost the
 * records that were read. The log's content is checked before the record is applied.
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

  /** Throws STATE_DIVERGED, naming the partition, if the replay leads to another state than the owner's. */
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

  /** Writes the checkpoint, unless hosts of the loaded checkpoint are still ahead of its position. */
  async save(): Promise<void> {
    if (this.#state.isAhead) return;
    await runJob(this.#store, readLeases(this.#state));
    await runJob(this.#store, saveCheckpoint(this.#state));
    this.#unsavedBytes = 0;
  }

  /** Throws INVALID_RECORD, with partition and offset, if the log is damaged. */
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
