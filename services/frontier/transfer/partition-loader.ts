/**
 * Loads lines of a dump into one partition, as its owner: it claims the partition, and each batch of lines is one
 * commit of its changelog, with the number of the next line.
 *
 * So a replay gives the loaded state. Another owner's claim ends the load, and never mixes with it. An interrupted
 * load continues after the last durable line. Other records of the lines (links, dead letters) are acked before the
 * lines count as taken: a kill in between publishes at most one batch of them twice.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Change } from '../../../topology/frontier/changes/changes.ts';
import { saveCheckpoint } from '../../../topology/frontier/checkpoint/save-checkpoint.ts';
import { frontierLimits } from '../../../topology/frontier/frontier-limits.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import { askAbout, loadChanges, type StateLine } from '../../../topology/frontier/transfer/load-changes.ts';
import { loadStep } from '../../../topology/frontier/transfer/load-step.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import type { AppendRecord } from '../../runtime/log/log.ts';
import { needLoaded, type OpenPartition, openPartition } from '../open/open-partition.ts';
import { runJob } from '../restore/job-runner.ts';
import { changelogTopic } from '../restore/restore.ts';
import { frontierServiceLimits } from '../service-limits.ts';

export interface LoaderOptions extends Omit<OpenPartition, 'endsLeases'> {
  /** Name of the dump, so that an interrupted load of it continues. null: known URLs, which any crawl may take. */
  readonly source: string | null;
}

/** Lines of one commit at most: some milliseconds of work. */
const linesPerCommit = 1_000;

export class PartitionLoader {
  readonly #options: LoaderOptions;
  readonly state: FrontierState;
  #lines: StateLine[] = [];
  #records: AppendRecord[] = [];
  #bytes = 0;
  #next: number;
  #unsavedBytes = 0;

  private constructor(options: LoaderOptions, state: FrontierState) {
    this.#options = options;
    this.state = state;
    this.#next = options.source === state.load.source ? state.load.line : 0;
  }

  /** Throws INVALID_ARGUMENT if the partition has other content already. */
  static async open(options: LoaderOptions): Promise<PartitionLoader> {
    const { state } = await openPartition({ ...options, endsLeases: false });
    const { identity, source } = options;
    if (source === null) {
      needLoaded(identity.partition, state);
      return new PartitionLoader(options, state);
    }
    const isOurs = state.load.source === source;
    if (!isOurs && state.changelog.seq > 0) {
      const message = `partition ${identity.partition} of crawl ${identity.crawl} is in use: load into a new crawl`;
      throw new CrawlstreamError('INVALID_ARGUMENT', message);
    }
    const loader = new PartitionLoader(options, state);
    if (!isOurs) await loader.#commit(loader.#progress(false));
    return loader;
  }

  get isDone(): boolean {
    return this.state.load.isDone;
  }

  /** The first line that is not taken yet: those before are skipped. */
  get nextLine(): number {
    return this.#next;
  }

  /** Bounded by the work of `flush`, which must be awaited whenever it is due. */
  get isFull(): boolean {
    return this.#bytes >= frontierLimits.commitBytesSoft || this.#lines.length + this.#records.length >= linesPerCommit;
  }

  /** The policy is loaded first, since the meaning of front queues and accounts depends on it. */
  begin(policy: PolicyConfig): Promise<void> {
    return this.#commit([{ kind: 'policy', version: policy.version, json: JSON.stringify(policy) }]);
  }

  take(line: StateLine, number: number, bytes: number): void {
    this.#lines.push(line);
    this.#taken(number, bytes);
  }

  /** A record to be published to the partition's `topic`. */
  publish(topic: 'discovered' | 'dead-letters', key: string, value: Buffer, number: number): void {
    const { crawl, partition } = this.#options.identity;
    this.#records.push({ topic: `${crawl}.${topic}`, partition, key: Buffer.from(key), value });
    this.#taken(number, value.length);
  }

  async flush(): Promise<void> {
    const { state } = this;
    const { store } = this.#options;
    if (this.#lines.length + this.#records.length === 0) return;
    if (this.#records.length > 0) await this.#options.log.append(this.#records);
    while (askAbout(state, this.#lines)) await this.#work(true);
    const changes = loadChanges(state, this.#lines);
    this.#lines = [];
    this.#records = [];
    this.#bytes = 0;
    await this.#commit([...changes, ...this.#progress(false)]);
    while (state.seen.stalled) await this.#work(false);
    await this.#work(false);
    if (this.#unsavedBytes < frontierServiceLimits.restoreSaveBytes) return;
    await runJob(store, saveCheckpoint(state));
    this.#unsavedBytes = 0;
  }

  /** The last commit; the partition is a frontier's from then on. */
  async finish(changes: readonly Change[]): Promise<void> {
    await this.#commit([...changes, ...this.#progress(true)]);
  }

  /** Writes the checkpoint into its store. */
  save(): Promise<void> {
    return runJob(this.#options.store, saveCheckpoint(this.state));
  }

  #progress(isDone: boolean): Change[] {
    const { source } = this.#options;
    if (source === null) return [];
    return [{ kind: 'load', row: { row: 'progress', source, line: this.#next, isDone } }];
  }

  async #commit(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return;
    const { log, identity, clock } = this.#options;
    const { commit, offset } = loadStep(this.state, identity, clock.nowMs(), changes);
    const topic = changelogTopic(identity.crawl);
    const [landed] = await log.append([{ topic, partition: identity.partition, key: null, value: commit }]);
    this.#unsavedBytes += commit.length;
    if (landed === offset) return;
    const remedy = 'stop the frontiers of the crawl, then run the same command again';
    throw new CrawlstreamError(
      'OWNERSHIP_LOST',
      `a frontier took partition ${identity.partition} while it was loaded: ${remedy}`,
    );
  }

  async #work(wanted: boolean): Promise<void> {
    const job = this.state.seen.work(wanted);
    if (job !== null) await runJob(this.#options.store, job);
  }

  #taken(number: number, bytes: number): void {
    this.#next = number + 1;
    this.#bytes += bytes;
  }
}
