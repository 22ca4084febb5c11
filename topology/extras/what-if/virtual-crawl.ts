/**
 * A crawl on virtual time, from given states on: the frontier's own state machine for each partition, fetchers that answer
 * from a recording, and what came from elsewhere at the times it came.
 *
 * Deterministic: the same states, recording and policy give the same commits.
 */
import type { Control, Discovered, LinkGroup, Result, Task } from '../../../schemas/types.ts';
import { EventQueue } from '../../fleet/event-queue.ts';
import { decodeChangelog } from '../../frontier/changes/changelog.ts';
import type { ControlMessage } from '../../frontier/decide/decision.ts';
import { attemptsOf } from '../../frontier/hosts/lease.ts';
import type { FrontierPartition, Input } from '../../frontier/partition.ts';
import { type KeyMode, partitionKeyOf } from '../../url/host-key.ts';
import { partitionOf } from '../../url/partition.ts';
import type { CrawlTally } from './crawl-tally.ts';
import type { PageModel } from './page-model.ts';
import type { Recording } from './recording.ts';
import { VirtualFetcher, type VirtualLease } from './virtual-fetcher.ts';

export interface VirtualPartition {
  readonly core: FrontierPartition;
  /** Recorded inputs behind its positions that were there at the start, in offset order. */
  readonly pending: readonly Input[];
  /** Leases that its fetchers may have out at once. */
  readonly leasesMax: number;
}

export interface VirtualCrawlOptions {
  readonly partitions: readonly VirtualPartition[];
  readonly keyMode: KeyMode;
  readonly recording: Recording;
  readonly model: PageModel;
  readonly tally: CrawlTally;
  readonly startMs: number;
  readonly endMs: number;
  /** Time before its deadline at which a lease starts its last request, ms. */
  readonly lastRequestMs: number;
  /** Converts a control record for the policy under test. */
  readonly control: (record: Control) => Control;
}

export class VirtualCrawl {
  readonly #options: VirtualCrawlOptions;
  readonly #events = new EventQueue();
  readonly #fetcher: VirtualFetcher;
  readonly #offsets: Record<'control' | 'results' | 'discovered', number>[];
  /** Next wake-up time of each partition, ms. */
  readonly #wakesMs: number[];
  readonly #woken = new Set<number>();
  #nowMs: number;
  /** Time of the last decision, ms. */
  #actedMs: number;

  constructor(options: VirtualCrawlOptions) {
    this.#options = options;
    this.#nowMs = options.startMs;
    this.#actedMs = options.startMs;
    const { recording, model, partitions, lastRequestMs } = options;
    this.#fetcher = new VirtualFetcher({
      recording,
      model,
      events: this.#events,
      lastRequestMs,
      nowMs: () => this.#nowMs,
      report: (partition, result) => this.#report(partition, result),
      discover: (groups) => this.#discover(groups),
    });
    this.#wakesMs = partitions.map(() => Number.POSITIVE_INFINITY);
    this.#offsets = partitions.map(({ core: { state }, pending }) => {
      const next = { control: 0, results: 0, discovered: 0 };
      for (const topic of ['control', 'results', 'discovered'] as const) {
        const { offset, slice } = state.positions[topic];
        const last = pending.findLast((one) => one.topic === topic)?.offset ?? offset - 1;
        next[topic] = Math.max(last, slice > 0 ? offset : offset - 1) + 1;
      }
      return next;
    });
  }

  get answered(): VirtualFetcher['answered'] {
    return this.#fetcher.answered;
  }

  /** Runs to the end. Returns the time at which nothing was left to fetch, ms; null: something was left. */
  run(): number | null {
    const { partitions, recording, startMs, endMs } = this.#options;
    for (const [number, { core, pending }] of partitions.entries()) {
      const onLease = [...core.state.leases.keys()];
      for (const input of pending) core.offer(this.#substituted(input));
      this.#send(core.republish());
      this.#step(number);
      // Virtual fetchers finish the leases of the recorded ones.
      for (const id of onLease) this.#resume(number, id);
    }
    for (const { atMs, partition, topic, record } of recording.arrivalsFrom(startMs))
      this.#events.at(atMs, () => this.#offer(partition, topic, record));
    this.#stepWoken();
    for (let next = this.#events.nextMs; next !== undefined; next = this.#events.nextMs) {
      if (next > endMs) break;
      this.#nowMs = Math.max(this.#nowMs, next);
      while (this.#events.nextMs !== undefined && this.#events.nextMs <= this.#nowMs) this.#events.run();
      this.#stepWoken();
    }
    const isDone = partitions.every(({ core: { state } }) => {
      const { queued, retrying, leased } = state.counters;
      return queued + retrying + leased === 0;
    });
    return isDone ? this.#actedMs : null;
  }

  #stepWoken(): void {
    while (this.#woken.size > 0) {
      const [partition] = this.#woken;
      this.#woken.delete(partition!);
      this.#step(partition!);
    }
  }

  #step(number: number): void {
    const { tally, partitions } = this.#options;
    const { core, leasesMax } = partitions[number]!;
    const demand = () => Math.max(0, leasesMax - core.state.leases.size);
    for (let step = core.step(this.#nowMs, demand()); step !== null; step = core.step(this.#nowMs, demand())) {
      this.#actedMs = this.#nowMs;
      const commit = decodeChangelog(step.commit);
      if (commit.kind === 'commit') tally.commit(number, commit, commit.changes);
      for (const task of step.tasks) this.#take(core, task);
      this.#send(step.controls);
      // The records have no reader, and no checkpoint is written.
      core.state.unsaved.records = [];
    }
    const wakeMs = core.wakeAtMs(demand());
    if (wakeMs === undefined) return;
    // Due work that was not done waits for an event; a short sleep is enough to find out.
    const atMs = Math.max(wakeMs, this.#nowMs + idleMs);
    if (atMs >= this.#wakesMs[number]!) return;
    this.#wakesMs[number] = atMs;
    this.#events.at(atMs, () => {
      this.#wakesMs[number] = Number.POSITIVE_INFINITY;
      this.#woken.add(number);
    });
  }

  #take({ policy }: FrontierPartition, task: Task): void {
    // Its answer is on record by the normal spelling.
    const urls = task.urls.map(({ url, normal, depth, hop, attempt, cash }, index) => ({
      index,
      url: normal || url,
      depth,
      hop,
      attempt,
      cash,
    }));
    this.#fetcher.take({ ...task, delayFactorCapMs: policy!.hostSettings(task.hostKey).delayFactorCapMs, urls });
  }

  /** Continues a lease that was out at the start. */
  #resume(partition: number, leaseId: number): void {
    const { core } = this.#options.partitions[partition]!;
    const lease = core.state.leases.get(leaseId);
    if (lease === undefined || core.policy === null) return;
    const { host, entries, deadlineMs, delayMs } = lease;
    const { crawlDelayCapMs, delayFactor, delayFactorCapMs, serverErrorsMax = 0 } = core.policy.hostSettings(host.key);
    const urls: VirtualLease['urls'][number][] = [];
    for (const [index, entry] of entries.entries()) {
      if (entry === null) continue;
      const { url, depth, hop } = entry;
      urls.push({ index, url, depth, hop, attempt: attemptsOf(lease, index, entry), cash: 0 });
    }
    const { epoch } = core.state.changelog;
    const about = { partition, epoch, leaseId, hostKey: host.key, notBeforeMs: this.#nowMs, deadlineMs, delayMs };
    const { serverErrors } = host.facts;
    const paced = { crawlDelayCapMs, delayFactor, delayFactorCapMs, serverErrorsMax, serverErrors };
    this.#fetcher.take({ ...about, ...paced, urls });
  }

  #report(partition: number, result: Result): void {
    this.#options.tally.requests(result.hostKey, result.requests);
    this.#offer(partition, 'results', result);
  }

  #discover(groups: readonly LinkGroup[]): void {
    const { partitions, keyMode } = this.#options;
    const byPartition = new Map<number, LinkGroup[]>();
    for (const group of groups) {
      const partition = partitionOf(partitionKeyOf(group.hostKey, keyMode), partitions.length);
      const list = byPartition.get(partition);
      if (list === undefined) byPartition.set(partition, [group]);
      else list.push(group);
    }
    for (const [partition, some] of byPartition) this.#offer(partition, 'discovered', { groups: some });
  }

  #send(messages: readonly ControlMessage[]): void {
    for (const { partition, record } of messages) this.#offer(partition, 'control', record);
  }

  #offer(partition: number, topic: Input['topic'], record: Control | Result | Discovered): void {
    const offset = this.#offsets[partition]![topic]++;
    this.#options.partitions[partition]!.core.offer(this.#substituted({ topic, offset, record } as Input));
    this.#woken.add(partition);
  }

  #substituted(input: Input): Input {
    if (input.topic !== 'control' || input.record === null) return input;
    return { ...input, record: this.#options.control(input.record as Control) } as Input;
  }
}

/** Wait of a partition with due work that could not be done, ms. */
const idleMs = 50;
