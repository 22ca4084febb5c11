/**
 * Computes how many leases a partition's owner may grant, from the waiting tasks, their window, and the leases that
 * fetchers have taken.
 *
 * `tasks` has one partition for each of the frontier's. The position of the fetchers' group passes a task when a
 * fetcher has taken it, before its first request. Tasks of robots hops go to other partitions and are not counted,
 * because their leases have no URLs. An owner that opens a partition reads `tasks` from its predecessor's last
 * position, so that it knows for each active lease where its task is, or that it was never published.
 */
import type { Task } from '../../../schemas/types.ts';
import { demandLimits } from '../../../topology/frontier/demand-limits.ts';
import { frontierLimits } from '../../../topology/frontier/frontier-limits.ts';
import type { FrontierPartition } from '../../../topology/frontier/partition.ts';
import { TaskWindow } from '../../../topology/frontier/task-window.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log/log.ts';
import { frontierServiceLimits } from '../service-limits.ts';
import { type FetcherWatch, fetcherGroup, type Watcher } from './fetcher-watch.ts';

export interface TaskFlowOptions {
  readonly log: Pick<Log, 'committed' | 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly crawl: string;
  readonly watch: FetcherWatch;
  readonly core: FrontierPartition;
  /** Is called when something changed that a step may need to know. */
  wake(): void;
}

interface Waiting {
  /** Offset of the task. Infinity: it is on its way to the log. */
  offset: number;
  readonly deadlineMs: number;
}

export class TaskFlow implements Watcher {
  readonly partition: number;
  readonly #options: TaskFlowOptions;
  readonly #window = new TaskWindow();
  /** Tasks not seen to be taken, by lease. */
  readonly #waiting = new Map<number, Waiting>();
  /** The group's position, as far as it covers all tasks before it. */
  #position = 0;
  #heard = 0;
  /** One past the newest task of ours that is in the log. */
  #publishedTo = 0;
  /** Leases that were seen to be taken and not yet reported to the partition. */
  #news: number[] = [];
  /** Since the last look: the tasks taken, and whether more could have been granted. */
  #taken = 0;
  #wanted = false;
  #stopWatching = () => {};

  constructor(options: TaskFlowOptions) {
    this.#options = options;
    this.partition = options.core.identity.partition;
  }

  /** Finds the positions of the tasks of current leases. */
  async open(signal: AbortSignal): Promise<void> {
    const { log, core, crawl, watch } = this.#options;
    const { leases } = core.state;
    const topic = `${crawl}.tasks`;
    const { start, end } = await log.offsets(topic, this.partition);
    const committed = (await log.committed(fetcherGroup(crawl), topic, this.partition)) ?? start;
    this.#heard = Math.max(start, committed);
    this.#position = this.#heard;
    this.#publishedTo = end;
    // Leases granted while no process watched count as taken, wherever their tasks are.
    const from = leases.taken.position < 0 ? this.#heard : Math.max(start, leases.taken.position);
    const reader = log.reader();
    try {
      reader.seek(topic, this.partition, from);
      for (let next = from; next < end && !signal.aborted; ) {
        const records = await reader.poll({
          maxBytes: frontierServiceLimits.pollBytes,
          waitMs: demandLimits.tasksPollMs,
        });
        if (records.length === 0) break; // A foreign transaction ends here.
        for (const { offset, value } of records) {
          next = offset + 1;
          const task = await this.#decode(value);
          if (task === null || task.partition !== this.partition || !leases.has(task.leaseId)) continue;
          this.#waiting.set(task.leaseId, { offset, deadlineMs: task.deadlineMs });
        }
      }
    } finally {
      await reader.close();
    }
    this.#take();
    this.#taken = 0;
    this.#stopWatching = watch.add(this);
  }

  close(): void {
    this.#stopWatching();
  }

  /** Tasks that wait for a fetcher, of leases that are out. */
  get waiting(): number {
    const { leases, nowMs } = this.#options.core.state;
    for (const [leaseId, { deadlineMs }] of this.#waiting) {
      if (leases.has(leaseId)) continue;
      this.#waiting.delete(leaseId);
      // Its result came before the task was seen to be taken.
      if (nowMs < deadlineMs + frontierLimits.clockSkewMs) this.#taken += 1;
    }
    return this.#waiting.size;
  }

  /** Leases that may be granted now. */
  get demand(): number {
    const { fetchers } = this.#options.watch;
    return fetchers === null || fetchers === 0 ? 0 : Math.max(0, this.#window.size - this.waiting);
  }

  /** A step was given `demand`, and made these tasks. */
  granted(tasks: readonly Task[], demand: number): void {
    if (tasks.length > 0 && tasks.length >= demand) this.#wanted = true;
    for (const { leaseId, deadlineMs, robotsHops } of tasks)
      if (robotsHops.length === 0) this.#waiting.set(leaseId, { offset: Number.POSITIVE_INFINITY, deadlineMs });
  }

  /** Call it when these tasks are in the log. */
  published(tasks: readonly Task[], offsets: readonly number[]): void {
    tasks.forEach(({ leaseId, robotsHops }, index) => {
      if (robotsHops.length > 0) return;
      const offset = offsets[index]!;
      const waiting = this.#waiting.get(leaseId);
      if (waiting !== undefined) waiting.offset = offset;
      this.#publishedTo = Math.max(this.#publishedTo, offset + 1);
    });
    if (this.#heard > this.#position) this.#take();
  }

  get asks(): boolean {
    return this.#waiting.size > 0 || this.#taken > 0;
  }

  heard(position: number | undefined): void {
    if (position !== undefined) this.#heard = Math.max(this.#heard, position);
    this.#take();
    const waiting = this.waiting;
    this.#window.look(this.#options.clock.nowMs(), this.#taken, waiting, this.#wanted);
    const isNews = this.#taken > 0;
    this.#taken = 0;
    this.#wanted = false;
    if (isNews) this.#options.wake();
  }

  fetchersChanged(): void {
    if (this.#options.watch.fetchers === 0) this.#window.close();
    this.#options.wake();
  }

  /** Call before a step, so that the step sees the taken tasks, and records them in its commit. */
  report(): void {
    const { core } = this.#options;
    const { state } = core;
    const leases = this.#news.filter((leaseId) => state.leases.has(leaseId)).sort((a, b) => a - b);
    const seen = state.leases.taken.position;
    const isOld = this.#position - seen >= demandLimits.tasksReadAgainMax;
    if (leases.length === 0 && seen >= 0 && !isOld) return;
    this.#news = [];
    core.offerTaken({ position: this.#position, leases });
  }

  /**
   * Tasks that are still being appended may get any offset after the newest published one, so their state is unknown.
   */
  #take(): void {
    let isAllIn = true;
    for (const [leaseId, { offset }] of this.#waiting) {
      if (offset === Number.POSITIVE_INFINITY) isAllIn = false;
      if (offset >= this.#heard) continue;
      this.#waiting.delete(leaseId);
      this.#news.push(leaseId);
      this.#taken += 1;
    }
    this.#position = Math.max(this.#position, isAllIn ? this.#heard : Math.min(this.#heard, this.#publishedTo));
  }

  async #decode(value: Buffer): Promise<Task | null> {
    const { codec } = this.#options;
    try {
      await codec.prepare('tasks', value);
      return codec.decode('tasks', value);
    } catch {
      return null; // Fetchers make a dead letter of it.
    }
  }
}
