/**
 * A fetcher's share of a fleet's hosts: the partitions of the fleet's tasks that its group assigns to it. Only the
 * process with a host's partition contacts the host.
 *
 * - A partition moves to another process only once this process has no active request (`beforeRejoin`), or after its
 * session; it starts no request for a margin before that (`mayContact`). The new process counts the hosts as
 * contacted at that moment.
 * - A partition is read from its end. Earlier tasks that are not known to be finished belong to a former process:
 * their leases are ended, so that the frontier grants the remaining URLs again (`onLeft`).
 * - The committed position is that of the oldest unfinished task.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Log, LogRecord, Membership } from '../../../runtime/log/log.ts';
import { recordsOf } from '../../../runtime/log/records-of.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import { fleetFetcherLimits } from './fetcher-limits.ts';

export interface TaskShareOptions {
  readonly log: Log;
  readonly topic: string;
  readonly group: string;
  /** Address of this process for requests of others. */
  readonly address?: string | undefined;
  /** Reads the known facts about the hosts of a partition, which now belong to this process. */
  onTaken(partition: number): Promise<void>;
  /** Called when the hosts of a partition no longer belong to this process. */
  onGone(partition: number): void;
  /** Resolves once no request is active; none starts meanwhile. */
  atRest(): Promise<void>;
  /** Called if another process may have had its hosts: this process's state of them, and unsent reports, are void. */
  onLapsed(): void;
  /** Called with tasks, in order within each partition. */
  onTask(record: LogRecord): void;
  /**
   * Ends leases without a fetcher; resolves once that is durable. Leases that cannot be ended are left to their
   * deadlines.
   */
  onLeft(records: readonly LogRecord[]): Promise<void>;
  /** Called if the process cannot continue. */
  onFailure(error: unknown): void;
}

interface Held {
  /** Offset of the next task to read. */
  next: number;
  /** Offsets of unfinished tasks, in order. */
  readonly open: Set<number>;
  isRead: boolean;
  committed: number;
}

const { pollBytes, pollWaitMs, commitMs, takeOverMs } = fleetFetcherLimits;

export class TaskShare {
  readonly #options: TaskShareOptions;
  readonly #held = new Map<number, Held>();
  readonly #stopping = new AbortController();
  readonly #work: Promise<unknown>[] = [];
  #reader: ReturnType<Log['reader']>;
  #membership: Membership | undefined;
  #isMoving = true;
  /** The partitions of the last assignment. */
  #given: readonly number[] = [];
  #isLapsed = false;
  #terms = 0;

  private constructor(options: TaskShareOptions) {
    this.#options = options;
    this.#reader = options.log.reader();
  }

  static async join(options: TaskShareOptions): Promise<TaskShare> {
    const share = new TaskShare(options);
    const { log, topic, group, address, onFailure } = options;
    try {
      share.#membership = await log.join({
        ...{ group, topics: [topic], address, onFailure },
        onAssigned: (partitions) => share.#assigned(partitions),
        async beforeRejoin() {
          share.isHeld();
          share.#isMoving = true;
          await options.atRest();
        },
      });
    } catch (error) {
      await share.#reader.close();
      throw error;
    }
    const works = [share.#read(), share.#commitRegularly()];
    for (const work of works) work.catch((error) => share.#fail(error));
    share.#work.push(...works);
    return share;
  }

  /** True if this process has the partition, and has read the facts of its hosts. */
  has(partition: number): boolean {
    return this.#held.get(partition)?.isRead === true;
  }

  get partitions(): readonly number[] {
    return [...this.#held.keys()];
  }

  /** Number of the fleet's fetchers. */
  get members(): number {
    return Math.max(1, this.#membership?.members ?? 1);
  }

  /** True if requests may start. False while partitions move, and if another process could have this one's by now. */
  mayContact(): boolean {
    return this.isHeld() && !this.#isMoving;
  }

  /**
   * True if what a host of the partition answers counts: until the partition is given up, also while the last requests
   * end before that.
   */
  isOwn(partition: number): boolean {
    return this.isHeld() && this.has(partition);
  }

  /** False if another process could have this one's partitions by now. True again after the next assignment. */
  isHeld(): boolean {
    if (!this.#isLapsed && !this.#isAlive()) this.#lapse();
    return !this.#isLapsed;
  }

  /**
   * Returns a function that is true while reports of the present hosts count: until another process could have had the
   * hosts.
   */
  term(): () => boolean {
    const term = this.#terms;
    return () => this.isHeld() && this.#terms === term;
  }

  /** Marks a task as finished. */
  over({ partition, offset }: Pick<LogRecord, 'partition' | 'offset'>): void {
    this.#held.get(partition)?.open.delete(offset);
  }

  /** Leaves the group, so that others get the partitions. Call when no request is active any more. */
  async leave(): Promise<void> {
    this.#isMoving = true;
    this.#stopping.abort();
    this.#reader.wake();
    await Promise.allSettled(this.#work);
    await this.#commit().catch(() => {});
    await this.#membership?.leave();
    await this.#reader.close();
  }

  #isAlive(): boolean {
    const heldUntilMs = this.#membership?.heldUntilMs ?? Number.POSITIVE_INFINITY;
    return performance.now() < heldUntilMs - fleetServiceLimits.sessionMarginMs;
  }

  #lapse(): void {
    this.#isLapsed = true;
    this.#terms += 1;
    for (const partition of [...this.#held.keys()]) this.#giveUp(partition);
    if (!this.#stopping.signal.aborted) this.#options.onLapsed();
  }

  #assigned(partitions: readonly number[]): void {
    this.#given = partitions;
    this.#isLapsed = false;
    for (const partition of [...this.#held.keys()]) if (!partitions.includes(partition)) this.#giveUp(partition);
    for (const partition of partitions) {
      if (this.#held.has(partition)) continue;
      const held: Held = { next: 0, open: new Set(), isRead: false, committed: -1 };
      this.#held.set(partition, held);
      this.#take(partition, held).catch((error) => this.#fail(error));
    }
    this.#isMoving = false;
  }

  #giveUp(partition: number): void {
    this.#held.delete(partition);
    this.#reader.drop(this.#options.topic, partition);
    this.#options.onGone(partition);
  }

  async #take(partition: number, held: Held): Promise<void> {
    const { log, topic, group, onTaken, onLeft } = this.#options;
    // Another assignment may have moved the partition away, and back, meanwhile.
    const isOurs = () => this.#held.get(partition) === held && !this.#stopping.signal.aborted;
    const { start, end } = await log.offsets(topic, partition);
    const committed = (await log.committed(group, topic, partition)) ?? start;
    const left: LogRecord[] = [];
    for await (const record of recordsOf(log, topic, partition, Math.max(start, committed), end)) left.push(record);
    if (!isOurs()) return;
    for (const { offset } of left) held.open.add(offset);
    held.next = end;
    await onTaken(partition);
    if (!isOurs()) {
      if (!this.#held.has(partition)) this.#options.onGone(partition);
      return;
    }
    held.isRead = true;
    this.#reader.seek(topic, partition, end);
    this.#reader.wake();
    if (left.length === 0) return;
    // A process that was alive a moment ago still reports its interrupted work.
    await sleep(takeOverMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
    if (!isOurs()) return;
    await onLeft(left);
    for (const { offset } of left) held.open.delete(offset);
  }

  async #read(): Promise<void> {
    const { onTask } = this.#options;
    while (!this.#stopping.signal.aborted) {
      for (const record of await this.#poll()) {
        const held = this.#held.get(record.partition);
        // The record was polled before its partition moved away.
        if (held === undefined || !held.isRead || record.offset < held.next) continue;
        held.next = record.offset + 1;
        held.open.add(record.offset);
        onTask(record);
      }
    }
  }

  /** Polls tasks. If the next ones were deleted, it goes on at the end: the leases of deleted tasks expire. */
  async #poll(): Promise<LogRecord[]> {
    try {
      return await this.#reader.poll({ maxBytes: pollBytes, waitMs: pollWaitMs });
    } catch (error) {
      if (this.#stopping.signal.aborted) return [];
      if (!(error instanceof CrawlstreamError && error.code === 'OFFSET_OUT_OF_RANGE')) throw error;
      const { log, topic } = this.#options;
      await this.#reader.close();
      this.#reader = log.reader();
      for (const [partition, held] of this.#held) {
        if (!held.isRead) continue;
        held.next = (await log.offsets(topic, partition)).end;
        this.#reader.seek(topic, partition, held.next);
      }
      return [];
    }
  }

  async #commitRegularly(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await sleep(commitMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      // The brokers answer again, and no partition has moved meanwhile.
      if (this.#isLapsed && !this.#isMoving && this.#isAlive()) this.#assigned(this.#given);
      if (this.mayContact()) await this.#commit();
    }
  }

  async #commit(): Promise<void> {
    const { log, topic, group } = this.#options;
    const positions = [...this.#held].flatMap(([partition, { isRead, open, next, committed }]) => {
      const [oldest = next] = open;
      return isRead && oldest !== committed ? [{ topic, partition, offset: oldest }] : [];
    });
    if (positions.length === 0) return;
    try {
      await log.commit(group, positions);
      for (const { partition, offset } of positions)
        Object.assign(this.#held.get(partition) ?? {}, { committed: offset });
    } catch (error) {
      // A partition that has moved is committed by its next owner, and uncommitted tasks are ended again.
      if (!(error instanceof CrawlstreamError && error.retriable)) throw error;
    }
  }

  #fail(error: unknown): void {
    if (!this.#stopping.signal.aborted) this.#options.onFailure(error);
  }
}
