/**
 * Keeps a warm copy of one partition: it follows the owner's changelog to the owner's state, and compares it with the
 * owner's checks on the way. When it is stopped, the next owner continues from its state. It claims nothing, and writes
 * nothing but its checkpoint.
 *
 * It publishes its position as that of a group of its rank, once a second, so that others see how far behind it is.
 */
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { CrawlstreamError, type ErrorCode } from '../../../topology/errors.ts';
import { readLeases } from '../../../topology/frontier/checkpoint/read-rows.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import type { FingerprintKey, FrontierState } from '../../../topology/frontier/state/state.ts';
import type { StoreJob } from '../../../topology/frontier/storage/store-job.ts';
import type { Clock } from '../../runtime/clock.ts';
import { standbyGroup } from '../../runtime/crawl/frontier-members.ts';
import type { Log, LogReader } from '../../runtime/log/log.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { firstOf } from '../open/bring-up.ts';
import { type StartingStates, startingStates } from '../open/starting-states.ts';
import { runJob } from '../restore/job-runner.ts';
import { clearCheckpoint } from '../restore/load-checkpoint.ts';
import { ReadQueue } from '../restore/read-queue.ts';
import { Replayer } from '../restore/replayer.ts';
import { changelogTopic } from '../restore/restore.ts';
import { expectInLog } from '../restore/stands-in-log.ts';
import { frontierServiceLimits } from '../service-limits.ts';

/** Errors that mean that the copy is wrong, or that its changelog has changed: the copy is made again. */
const lostCodes: ReadonlySet<ErrorCode> = new Set(['STATE_DIVERGED', 'OFFSET_OUT_OF_RANGE', 'LOG_TRUNCATED']);

export interface StandbyOptions {
  readonly log: Log;
  readonly store: StateStore;
  readonly identity: PartitionIdentity;
  readonly key: FingerprintKey;
  readonly seen?: SeenConfig | undefined;
  readonly clock: Clock;
  /** Snapshots to start from if the store's checkpoint is unusable. */
  readonly repository?: StartingStates['repository'];
  readonly onNotice?: StartingStates['onNotice'];
  /** State that it has replayed before. */
  readonly warm?: FrontierState | undefined;
  /** 1 for the first copy of the partition, 2 for the second. */
  readonly rank: number;
  /** Called with the reason when the changelog is read again. */
  readonly onTrouble?: ((error: CrawlstreamError) => void) | undefined;
}

export interface StandbyStatus {
  readonly rank: number;
  /** Records of the changelog that it has applied. */
  readonly position: number;
  /** Records that it still had to apply at the last check. */
  readonly behind: number;
  /** It was close behind its owner a moment ago: an owner that takes over its state is ready in a moment. */
  readonly hasCaughtUp: boolean;
  /** The copy contains all decisions of the owner up to this time, ms since the Unix epoch; 0: unknown yet. */
  readonly asOfMs: number;
}

export class Standby {
  readonly #options: StandbyOptions;
  readonly #stopping = new AbortController();
  #state: FrontierState | undefined;
  #reader: LogReader | undefined;
  #asOfMs = 0;
  #end = 0;
  #lookedAtMs = 0;
  #looking = false;
  /** When it last read the end of the changelog, ms since the Unix epoch; before the first time: -Infinity. */
  #knownAtMs = Number.NEGATIVE_INFINITY;
  readonly #reads = new ReadQueue<FrontierState>();

  constructor(options: StandbyOptions) {
    this.#options = options;
    this.#state = options.warm;
  }

  /** Undefined until it has a state. */
  get state(): FrontierState | undefined {
    return this.#state;
  }

  get status(): StandbyStatus {
    const position = this.#state?.changelog.offset ?? 0;
    const behind = Math.max(0, this.#end - position);
    const { caughtUpRecords, caughtUpMs } = frontierServiceLimits;
    const isKnown = this.#options.clock.nowMs() - this.#knownAtMs <= caughtUpMs;
    const hasCaughtUp = isKnown && behind <= caughtUpRecords;
    return { rank: this.#options.rank, position, behind, hasCaughtUp, asOfMs: this.#asOfMs };
  }

  /** Reads of the state between two of its records. */
  look<Result>(job: (state: FrontierState) => StoreJob<Result>): Promise<Result> {
    if (this.#reader === undefined) return Promise.reject(this.#away());
    const answer = this.#reads.ask(job);
    this.#reader.wake();
    return answer;
  }

  stop(): void {
    this.#stopping.abort();
    this.#reader?.wake();
  }

  /**
   * Follows until `stop`, and resolves with the state so far, or undefined. Rejects on an error that another try would
   * not mend.
   */
  async run(): Promise<FrontierState | undefined> {
    const { clock, store, onTrouble } = this.#options;
    const { signal } = this.#stopping;
    const { reopenMs, standbyAgainMsMax } = frontierServiceLimits;
    let [lostAt, pauseMs]: [number, number] = [-1, reopenMs];
    while (!signal.aborted) {
      try {
        await this.#follow();
      } catch (error) {
        if (!(error instanceof CrawlstreamError)) throw error;
        const isLost = lostCodes.has(error.code);
        if (!isLost && !error.retriable) throw error;
        onTrouble?.(error);
        if (isLost) {
          const at = this.#state?.changelog.offset ?? 0;
          // A copy that is wrong must not take over.
          this.#state = undefined;
          this.#knownAtMs = Number.NEGATIVE_INFINITY;
          // It was begun again and has come no further: only another snapshot helps, and that takes time.
          pauseMs = at > lostAt ? reopenMs : Math.min(4 * pauseMs, standbyAgainMsMax);
          lostAt = Math.max(lostAt, at);
          if (error.code !== 'OFFSET_OUT_OF_RANGE' && !signal.aborted) await clearCheckpoint(store);
        }
        await clock.sleepUntil(clock.nowMs() + (isLost ? pauseMs : reopenMs), signal);
      } finally {
        await this.#reader?.close();
        this.#reader = undefined;
        this.#reads.refuse(this.#away());
      }
    }
    return this.#state;
  }

  async #follow(): Promise<void> {
    const { log, store, identity, clock } = this.#options;
    const { restoreSaveBytes, restoreSliceBytes, saveEveryMs, standbyWaitMs } = frontierServiceLimits;
    const { signal } = this.#stopping;
    this.#state ??= await firstOf(startingStates(this.#options));
    const state = this.#state;
    // This process may have been away while the log lost records and grew again.
    await expectInLog({ log, identity }, state);
    const replayer = new Replayer({ log, identity }, state, store, restoreSaveBytes);
    const reader = log.reader();
    this.#reader = reader;
    reader.seek(changelogTopic(identity.crawl), identity.partition, state.changelog.offset);
    let [savedAtMs, sliceBytes] = [clock.nowMs(), 0];
    while (!signal.aborted) {
      for (const record of await reader.poll({
        maxBytes: restoreSliceBytes,
        waitMs: this.#reads.isAsked ? 0 : standbyWaitMs,
      })) {
        if (signal.aborted) return;
        await replayer.take(record);
        this.#asOfMs = Math.max(this.#asOfMs, record.timestampMs);
        sliceBytes += record.value.length;
      }
      const nowMs = clock.nowMs();
      if (replayer.unsavedBytes > 0 && nowMs - savedAtMs >= saveEveryMs) {
        await replayer.save();
        savedAtMs = nowMs;
      }
      if (this.#reads.isAsked) {
        await runJob(store, readLeases(state));
        await this.#reads.answerOne(state, store);
      }
      this.#report(nowMs);
      if (sliceBytes < restoreSliceBytes) continue;
      sliceBytes = 0;
      await turnOfOthers();
    }
  }

  #away(): CrawlstreamError {
    const { partition } = this.#options.identity;
    return new CrawlstreamError('NOT_READY', `the copy of partition ${partition} is not ready: retry in a moment`);
  }

  /** Finds out how far behind it is, and publishes that; for information only, so it must not hold anything up. */
  #report(nowMs: number): void {
    const { log, identity, rank } = this.#options;
    const state = this.#state;
    if (this.#looking || state === undefined || nowMs - this.#lookedAtMs < frontierServiceLimits.standbyLookMs) return;
    this.#looking = true;
    this.#lookedAtMs = nowMs;
    const topic = changelogTopic(identity.crawl);
    const { partition } = identity;
    const look = async () => {
      const { end } = await log.offsets(topic, partition);
      const { offset } = state.changelog;
      this.#end = end;
      this.#knownAtMs = nowMs;
      if (offset >= end) this.#asOfMs = Math.max(this.#asOfMs, nowMs);
      await log.commit(standbyGroup(identity.crawl, rank), [{ topic, partition, offset }]);
    };
    look()
      .catch(() => {})
      .finally(() => (this.#looking = false));
  }
}
