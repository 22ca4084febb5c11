/**
 * Takes tasks from the log and starts their leases, while there is room for more. Leases run in parallel.
 *
 * It reads tasks only while it has room. So the others wait in the log, where another fetcher may get them.
 */
import type { Task } from '../../schemas/types.ts';
import { appendDeadLetters } from '../runtime/log/append-dead-letters.ts';
import type { LogReader, Position } from '../runtime/log/log.ts';
import { pollOn } from '../runtime/log/poll-on.ts';
import type { Running } from './fetcher-options.ts';
import { createTaskBacklog, type TaskBacklog } from './leases/backlog.ts';
import { createTaskIntake, type TaskIntake } from './leases/intake.ts';
import type { LateReports } from './leases/late-reports.ts';

/** Task bytes per poll: about as many leases as start at once. */
const pollBytes = 256 * 1024;
/** An idle fetcher reports its room after each poll, and a fleet grants leases by it: an old number is too many. */
const pollWaitMs = 1_000;

/** Others that take part in how many leases this fetcher has. */
interface Wanter {
  readonly leasesWanted: number;
  onWanted(call: () => void): void;
}

export interface TaskLoopOptions {
  readonly running: Running;
  readonly lateReports: LateReports;
  /** Leases that may be under way now. */
  readonly leasesMax: () => number;
  /** Runs a lease to its end. */
  readonly run: (task: Task) => Promise<void>;
  /** Resolves once tasks may be read: policy and orders are known. */
  readonly ready: Promise<void>;
}

export class TaskLoop {
  readonly #options: TaskLoopOptions;
  readonly #backlog: TaskBacklog;
  readonly #intake: TaskIntake;
  readonly #reader: LogReader;
  readonly #topic: string;
  readonly #wanters: readonly Wanter[];
  readonly #leases = new Set<Promise<void>>();
  /** Called when a lease ended, or there may be room for another reason. */
  #look = () => {};
  #reading: Promise<void> = Promise.resolve();
  misrouted = 0;
  undecodable = 0;

  constructor(options: TaskLoopOptions) {
    this.#options = options;
    const { log, group, codec, partitions, keyMode, crawl, config, crawlPace } = options.running.options;
    this.#backlog = createTaskBacklog(log, group);
    this.#intake = createTaskIntake({ codec, partitions, keyMode });
    this.#reader = log.reader();
    this.#topic = `${crawl}.tasks`;
    this.#wanters = [config.outside, crawlPace].filter((one) => one !== undefined);
    for (const one of this.#wanters) one.onWanted(() => this.look());
  }

  /** Leases under way. */
  get leases(): number {
    return this.#leases.size;
  }

  /** Tasks that were read and not started. */
  get waiting(): number {
    return this.#backlog.length;
  }

  begin(): void {
    this.#reading = this.#read().catch(this.#options.running.fail);
  }

  assign(partition: number, offset: number): void {
    this.#reader.seek(this.#topic, partition, offset);
    this.#backlog.begin({ topic: this.#topic, partition, offset });
  }

  revoke(partition: number): void {
    this.#reader.drop(this.#topic, partition);
    this.#backlog.end(partition);
  }

  positions(): readonly Position[] {
    return this.#backlog.positions();
  }

  /** There may be room for another lease. */
  look(): void {
    this.#look();
  }

  wake(): void {
    this.#reader.wake();
  }

  /** Resolves once no task is started any more. Call it when the fetcher stops. */
  async ended(): Promise<void> {
    this.#look();
    this.#reader.wake();
    await this.#reading;
  }

  async leasesEnded(): Promise<void> {
    await Promise.all(this.#leases);
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  get #room(): number {
    const { leasesMax } = this.#options;
    return Math.min(leasesMax() - this.#leases.size, ...this.#wanters.map(({ leasesWanted }) => leasesWanted));
  }

  async #read(): Promise<void> {
    const { running, ready } = this.#options;
    const { signal, options } = running;
    await Promise.race([ready, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
    while (!signal.aborted) {
      options.crawlPace?.onRoom?.(this.#leases.size + Math.max(0, this.#room));
      if (this.#room <= 0) await new Promise<void>((resolve) => (this.#look = resolve));
      else if (this.#backlog.length > 0) await this.#startSome();
      else this.#backlog.put(await pollOn(this.#reader, { maxBytes: pollBytes, waitMs: pollWaitMs }));
    }
  }

  /** Starts what there is room for. Offsets first: from here on, expiry is the only redelivery. */
  async #startSome(): Promise<void> {
    const { running, lateReports } = this.#options;
    const { clock, signal, options } = running;
    const some = this.#backlog.take(this.#room);
    const isHeld = (partition: number) => this.#backlog.positions().some((one) => one.partition === partition);
    const { tasks, positions, deadLetters, misrouted } = await this.#intake.take(some, { clock, signal, isHeld });
    this.misrouted += misrouted;
    this.undecodable += deadLetters.length - misrouted;
    const { log, codec, crawl } = options;
    if (deadLetters.length > 0) await appendDeadLetters(log, codec, `${crawl}.dead-letters`, deadLetters);
    for (const { task } of tasks) clock.observe(task.grantedAtMs);
    const earlier = lateReports.earlier(tasks.map(({ task }) => task));
    if (earlier !== undefined) await earlier;
    const ours = await this.#backlog.commit(positions);
    for (const { task, readFrom } of tasks) {
      if (ours.has(readFrom)) this.#start(task);
      else this.#intake.forget(task);
    }
  }

  #start(task: Task): void {
    const { running, lateReports, run } = this.#options;
    lateReports.begin(task);
    const lease = run(task)
      .catch(running.fail)
      .finally(() => {
        this.#leases.delete(lease);
        this.#look();
      });
    this.#leases.add(lease);
  }
}
