/**
 * Owns one partition: reads its inputs, lets it decide, makes the decision durable, and then publishes the results.
 *
 *   poll → step → dead letters acked → commit appended → acked at the expected offset → tasks, controls published
 *                                      queues' rows read ────────────────────────────────┘
 *
 * Further commits are decided while earlier ones are in flight. An ack at any other offset means that another process
 * wrote: this owner drops its memory and opens the partition again. A kill at any await loses nothing: a commit without
 * an ack was not decided, and tasks that were not published end at their deadline (or with the next claim).
 */
import type { Control, TopicRecords } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { InputTopic } from '../../../topology/frontier/changes/changelog.ts';
import { inputTopics } from '../../../topology/frontier/changes/changelog.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { Step } from '../../../topology/frontier/decide/step.ts';
import type { FrontierPartition } from '../../../topology/frontier/partition.ts';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import type { FingerprintKey, FrontierState } from '../../../topology/frontier/state/state.ts';
import { StepFailed } from '../../../topology/frontier/step-failed.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import { inputOf, passedOnRecord } from '../../runtime/crawl/frontier-input.ts';
import type { Log, LogReader, LogRecord } from '../../runtime/log/log.ts';
import { Breath } from '../../runtime/loop/breath.ts';
import type { ListFiles } from '../../runtime/policy/list-files.ts';
import { createListFiles, listsOfText } from '../../runtime/policy/list-files.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import type { SpanSink } from '../../runtime/tracing/spans.ts';
import type { FetcherWatch } from '../demand/fetcher-watch.ts';
import { TaskFlow } from '../demand/task-flow.ts';
import { LossWatch } from '../open/loss-watch.ts';
import { lost, needLoaded, type OpenPartition, openPartition } from '../open/open-partition.ts';
import { CheckpointSaver } from '../restore/checkpoint-saver.ts';
import { JobRunner, runJob } from '../restore/job-runner.ts';
import { changelogTopic, type RestoreProgress } from '../restore/restore.ts';
import { frontierServiceLimits } from '../service-limits.ts';
import { CallSide } from './call-side.ts';
import { catchUpControl } from './catch-up-control.ts';
import { type Committed, committedOf } from './committed.ts';
import { InputRecords } from './input-records.ts';
import { LostInputs } from './lost-inputs.ts';
import { createMeters, type FrontierMeters, meterCommit, meterDeadLetters, meterGranted } from './meters.ts';
import { appendStepDeadLetters, publishControls } from './step-records.ts';
import { plainSteps, type StepRunner } from './step-runner.ts';
import { StepSpans } from './step-spans.ts';
import { Suspects } from './suspects.ts';
import { taskRecord } from './task-record.ts';

export interface OwnerOptions {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly store: StateStore;
  readonly identity: PartitionIdentity;
  readonly key: FingerprintKey;
  /** Kind and memory of the seen test. Absent: exact, in the default memory. */
  readonly seen?: SeenConfig | undefined;
  readonly endsLeases: boolean;
  /** State that a standby has replayed: the first opening continues from it. */
  readonly warm?: FrontierState | undefined;
  /** Most active leases for this partition, whatever fetchers take. Absent: as many as they take. */
  readonly leasesMax?: number | (() => number) | undefined;
  /** Watches the fetchers. Absent: they are in this process, and `leasesMax` limits them. */
  readonly fetchers?: FetcherWatch | undefined;
  /** Loads the lists that policies refer to. Absent: from the paths in the policy. */
  readonly lists?: ListFiles;
  /** Longest pause of an idle partition between two polls, ms. Default: frontierServiceLimits. */
  readonly idleMs?: number | undefined;
  /** Bytes of changelog after which the checkpoint is written, if not earlier. Default: frontierServiceLimits. */
  readonly saveEveryBytes?: number;
  /** Interval of checkpoints with few changes (`saveSmallBytes`), ms. Default: as with many. */
  readonly saveSmallEveryMs?: number | undefined;
  /** Runs the steps. Absent: at once, without a limit. */
  readonly steps?: StepRunner | undefined;
  /** Names this owner's claims. Absent: 128 random bits each. */
  readonly nonce?: () => string;
  /** Called with the progress of a long restore. */
  readonly onProgress?: (progress: RestoreProgress) => void;
  /** Snapshots to restore from if this process's checkpoint is unusable. */
  readonly repository?: OpenPartition['repository'];
  /** Called with a line for each checkpoint or snapshot that was skipped. */
  readonly onNotice?: (text: string) => void;
  /** Counts and times for metrics. Absent: nothing is counted. */
  readonly meters?: FrontierMeters;
  /** Receives spans of traced URLs. Absent: none are made. */
  readonly onSpan?: SpanSink | undefined;
  /** Called each time the partition is open: restored, and claimed. */
  readonly onOpened?: (partition: FrontierPartition) => void;
  /** Called each time `committed` has changed. */
  readonly onCommitted?: () => void;
  /** Called with the reason before the partition is opened again. */
  readonly onReopen?: (error: CrawlstreamError) => void;
}

export class PartitionOwner {
  readonly #options: OwnerOptions;
  readonly #lists: ListFiles;
  readonly #meters: FrontierMeters;
  #committed: Committed | undefined;
  #reader: LogReader | undefined;
  readonly #stopping = new AbortController();
  /** Commits under way; rejects once one fails. */
  #acks: Promise<void> = Promise.resolve();
  #underWay = 0;
  #failure: unknown;
  #checkpoint: CheckpointSaver | undefined;
  #losses: LossWatch | undefined;
  #opened = false;
  #warm: FrontierState | undefined;
  #granting = true;
  /** Demand of the fetchers; undefined: they are in this process. */
  #flow: TaskFlow | undefined;
  readonly #suspects = new Suspects();
  readonly #inputs: InputRecords;
  readonly #calls: CallSide;
  readonly #lost: LostInputs;
  readonly #spans: StepSpans | undefined;

  constructor(options: OwnerOptions) {
    this.#options = options;
    this.#lists = options.lists ?? createListFiles();
    this.#calls = new CallSide(options.store, options.identity.partition);
    this.#warm = options.warm;
    this.#inputs = new InputRecords({ ...options, signal: this.#stopping.signal });
    this.#lost = new LostInputs({
      ...options,
      commit: (partition, step) => this.#commit(partition, step, 0),
      publishControls: (controls) => this.#publishControls(controls),
    });
    this.#meters = options.meters ?? createMeters();
    if (options.onSpan !== undefined) this.#spans = new StepSpans(options.onSpan, options.identity);
  }

  /** The status as of the newest acked commit, also after `stop`; undefined while the partition is being opened. */
  get committed(): Committed | undefined {
    return this.#committed;
  }

  /** Entry point for calls by clients of a served crawl. */
  get calls(): CallSide {
    return this.#calls;
  }

  /** Opens the partition and works until `stop`. Rejects on an error that opening it again would not fix. */
  async run(): Promise<void> {
    const { clock } = this.#options;
    let pauseMs: number = frontierServiceLimits.reopenMs;
    while (!this.#stopping.signal.aborted) {
      const openedAtMs = clock.nowMs();
      try {
        await this.#own();
      } catch (error) {
        if (!(error instanceof CrawlstreamError && error.retriable)) throw error;
        if (error instanceof StepFailed && !this.#suspects.add(error)) throw error;
        this.#setCommitted(undefined);
        if (!this.#stopping.signal.aborted) this.#options.onReopen?.(error);
      } finally {
        await this.#reader?.close();
        this.#reader = undefined;
      }
      // Another owner, or a broker that is away: give the group time to decide who owns the partition.
      if (clock.nowMs() - openedAtMs > frontierServiceLimits.reopenMsMax) pauseMs = frontierServiceLimits.reopenMs;
      await clock.sleepUntil(clock.nowMs() + pauseMs, this.#stopping.signal);
      pauseMs = Math.min(2 * pauseMs, frontierServiceLimits.reopenMsMax);
    }
  }

  /** Grants no more leases: the fetchers are about to stop. */
  endGrants(): void {
    this.#granting = false;
  }

  /** Ends `run` once everything decided is durable and the checkpoint is written. */
  stop(): void {
    this.#stopping.abort();
    this.#reader?.wake();
  }

  #setCommitted(committed: Committed | undefined): void {
    this.#committed = committed;
    this.#options.onCommitted?.();
  }

  async #own(): Promise<void> {
    const { log, clock, identity } = this.#options;
    // Only at the first opening is it certain that this process's own fetchers hold none of the leases.
    const endsLeases = this.#options.endsLeases && !this.#opened;
    const warm = this.#warm;
    this.#warm = undefined;
    const partition = await openPartition({ ...this.#options, endsLeases, warm, signal: this.#stopping.signal });
    this.#opened = true;
    needLoaded(identity.partition, partition.state);
    await this.#loadLists(partition, { kind: 'policy', payload: partition.state.policyJson });
    this.#acks = Promise.resolve();
    [this.#underWay, this.#failure] = [0, undefined];
    const checkpoint = new CheckpointSaver({ ...this.#options, state: partition.state, settle: () => this.#settle() });
    this.#checkpoint = checkpoint;
    const reader = log.reader();
    this.#reader = reader;
    this.#flow = await this.#openFlow(partition, reader);
    this.#setCommitted(committedOf(partition, this.#flow?.waiting ?? null, this.#options.clock));
    this.#calls.opened(partition, () => reader.wake());
    this.#options.onOpened?.(partition);
    const fail = (error: unknown) => {
      // This must not reach an owner that was opened again since.
      if (this.#reader !== reader) return;
      this.#failure ??= error;
      reader.wake();
    };
    const jobs = new JobRunner(this.#options.store, fail);
    this.#losses = new LossWatch(this.#options, fail);
    const readByMs = partition.state.nowMs;
    try {
      await this.#publishControls(partition.republish());
      // Writes the present owner of the partition, and its status, to the log.
      await this.#commit(partition, partition.open(clock.nowMs()), 0);
      this.#suspects.watch(partition);
      this.#lost.opened(partition);
      await this.#lost.findControlLost(partition, readByMs);
      this.#seek(partition, reader, ['control']);
      await catchUpControl({
        ...{ ...this.#options, topic: this.#topic('control'), signal: this.#stopping.signal },
        poll: (how) => this.#lost.poll(partition, reader, how),
        take: (record) => this.#take(partition, reader, record),
        commit: (step) => this.#commit(partition, step, 0),
        core: partition,
      });
      this.#seek(partition, reader, ['results', 'discovered']);
      const breath = new Breath();
      while (!this.#stopping.signal.aborted) {
        await this.#turn(partition, reader, jobs);
        await breath.take();
        await checkpoint.saveIfDue();
        this.#losses?.look();
      }
      await checkpoint.saveNow();
    } finally {
      this.#flow?.close();
      this.#calls.closed(this.#failure);
      for (const topic of inputTopics) this.#inputs.release(topic);
      await jobs.stop();
    }
  }

  async #openFlow(core: FrontierPartition, reader: LogReader): Promise<TaskFlow | undefined> {
    const { fetchers: watch, identity } = this.#options;
    if (watch === undefined) return undefined;
    const flow = new TaskFlow({ ...this.#options, crawl: identity.crawl, watch, core, wake: () => reader.wake() });
    await flow.open(this.#stopping.signal);
    return flow;
  }

  /** Leases that may be granted now. */
  #demand({ state }: FrontierPartition): number {
    const { leasesMax = Number.POSITIVE_INFINITY } = this.#options;
    const room = (typeof leasesMax === 'number' ? leasesMax : leasesMax()) - state.leases.size;
    return this.#granting ? Math.max(0, Math.min(room, this.#flow?.demand ?? room)) : 0;
  }

  #seek({ state }: FrontierPartition, reader: LogReader, topics: readonly InputTopic[]): void {
    const { partition } = this.#options.identity;
    for (const topic of topics) {
      this.#inputs.release(topic);
      const [{ offset, slice }, leaderEpoch] = [state.positions[topic], state.inputEpochs[topic]];
      const before = leaderEpoch < 0 ? undefined : { end: slice > 0 ? offset + 1 : offset, leaderEpoch };
      reader.seek(this.#topic(topic), partition, offset, before);
    }
  }

  async #turn(partition: FrontierPartition, reader: LogReader, jobs: JobRunner): Promise<void> {
    const { clock, identity } = this.#options;
    const discovered = this.#topic('discovered');
    for (const topic of inputTopics) {
      // At most one poll's records wait in memory; only a full partition leaves records that it could decide
      // (docs/design.md §4.11).
      const enough = topic === 'discovered' ? partition.full || !partition.hungry : partition.waiting(topic) > 0;
      if (enough || this.#inputs.isHeld(topic)) reader.pause(this.#topic(topic), identity.partition);
      else reader.resume(this.#topic(topic), identity.partition);
    }
    const records = await this.#lost.poll(partition, reader, {
      maxBytes: frontierServiceLimits.pollBytes,
      waitMs: this.#waitMs(partition, this.#demand(partition), jobs.busy),
    });
    let oldestMs: number | undefined;
    for (const record of records) {
      await this.#take(partition, reader, record);
      if (oldestMs === undefined || record.timestampMs < oldestMs) oldestMs = record.timestampMs;
    }
    if (this.#failure !== undefined) throw this.#failure;
    if (partition.isUnread) await runJob(this.#options.store, partition.reads());
    await this.#calls.lookNow(partition);
    const beganMs = performance.now();
    this.#flow?.report();
    const { steps = plainSteps } = this.#options;
    this.#suspects.watch(partition);
    let demand = 0;
    const demandNow = () => {
      demand = this.#demand(partition);
      return demand;
    };
    const step = steps.run(() => partition.step(clock.nowMs(), demandNow), mayBeLong(partition));
    if (step !== null) {
      this.#meters.stepSeconds.observe((performance.now() - beganMs) / 1000);
      await this.#commit(partition, step, demand, oldestMs);
    }
    this.#seek(partition, reader, partition.takeSought());
    this.#calls.answer(partition, this.#acks, () => this.#failure);
    const restMs = steps.restMs();
    if (restMs > 0) await clock.sleepUntil(clock.nowMs() + restMs, this.#stopping.signal);
    if (jobs.busy) return;
    const job = partition.seenWork(!records.some(({ topic }) => topic === discovered));
    if (job !== null) jobs.start(job);
  }

  #waitMs(partition: FrontierPartition, demand: number, busy: boolean): number {
    if (this.#checkpoint?.isSaving || this.#calls.isCalled || partition.waiting('control') > 0) return 0;
    // The end of the running job wakes this loop.
    const waitsForJob = partition.blocked && busy;
    if (partition.waiting('results') > 0 && partition.policy !== null) return 0;
    if (partition.waiting('discovered') > 0 && !partition.full && !waitsForJob) return 0;
    const wakeAtMs = partition.wakeAtMs(demand);
    const { clock, idleMs = frontierServiceLimits.idleMs } = this.#options;
    return wakeAtMs === undefined ? idleMs : Math.max(0, Math.min(idleMs, wakeAtMs - clock.nowMs()));
  }

  /** Loads the lists of a policy before the policy is decided, because decisions never wait for a disk. */
  async #loadLists(partition: FrontierPartition, { kind, payload }: Pick<Control, 'kind' | 'payload'>): Promise<void> {
    if (kind !== 'policy') return;
    const references = listsOfText(payload);
    if (references.length > 0) partition.lists.put(await this.#lists.load(references, '/'));
  }

  async #take(partition: FrontierPartition, reader: LogReader, record: LogRecord): Promise<void> {
    const topic = inputOf(record.topic);
    const input = await this.#inputs.read(topic, record, reader);
    if (input === undefined) return;
    if (topic === 'control' && input.record !== null) await this.#loadLists(partition, input.record as Control);
    partition.offer(this.#suspects.judge(input, record.value));
  }

  /**
   * Publishes a step. `demand`: the demand that the step was given. `inputMs`: when the oldest of its inputs was
   * appended.
   */
  async #commit(partition: FrontierPartition, step: Step, demand: number, inputMs?: number): Promise<void> {
    const { log, codec, identity } = this.#options;
    if (step.deadLetters.length > 0) await this.#deadLetter(step.deadLetters);
    if (step.passedOn.length > 0)
      await log.append(step.passedOn.map((one) => passedOnRecord(codec, identity.crawl, identity.partition, one)));
    if (this.#failure !== undefined) throw this.#failure;
    const { crawl, partition: number } = identity;
    const record = { topic: changelogTopic(crawl), partition: number, key: null, value: step.commit };
    const appended = log.append([record], { leads: true });
    this.#checkpoint?.changed(step.commit.length);
    this.#underWay += 1;
    const before = this.#acks;
    const beganMs = performance.now();
    const committed = committedOf(partition, this.#flow?.waiting ?? null, this.#options.clock);
    const flow = this.#flow;
    const read = runJob(this.#options.store, partition.reads()).then(() => {
      flow?.granted(step.tasks, demand);
      return step.tasks;
    });
    const acked = (async () => {
      const [offset] = await appended;
      await before;
      // Another writer's record may have the offset of the previous commit. Then this commit is void, even at the right
      // offset.
      if (this.#failure !== undefined) throw this.#failure;
      if (offset !== step.offset) throw lost(identity.partition);
      this.#losses?.acked(offset);
      this.#underWay -= 1;
      this.#setCommitted(committed);
      const decisionMs = inputMs === undefined ? undefined : this.#options.clock.nowMs() - inputMs;
      meterCommit(this.#meters, step, performance.now() - beganMs, decisionMs);
      this.#spans?.committed(step.traced, this.#options.clock.nowMs());
      const tasks = await read;
      if (tasks.length > 0) {
        const offsets = await log.append(tasks.map((task) => taskRecord(codec, identity, task)));
        flow?.published(tasks, offsets);
      }
      meterGranted(this.#meters, tasks, step);
      for (const task of tasks) this.#spans?.granted(task);
      await this.#publishControls(step.controls);
    })();
    this.#acks = acked.catch((error) => {
      this.#failure ??= error;
      this.#reader?.wake();
    });
    await read;
    if (this.#underWay >= frontierServiceLimits.commitsUnderWay) await this.#acks;
  }

  #deadLetter(deadLetters: Step['deadLetters']): Promise<void> {
    meterDeadLetters(this.#meters, deadLetters);
    return appendStepDeadLetters(this.#options, this.#topic('dead-letters'), deadLetters);
  }

  #publishControls(controls: Step['controls']): Promise<void> {
    return publishControls(this.#options, this.#topic('control'), controls);
  }

  #topic(name: keyof TopicRecords): string {
    return `${this.#options.identity.crawl}.${name}`;
  }

  async #settle(): Promise<void> {
    await this.#acks;
    if (this.#failure !== undefined) throw this.#failure;
  }
}

/** True if the policy controls how long a step takes: by patterns, by many rules, or because it is new. */
function mayBeLong(partition: FrontierPartition): boolean {
  if (partition.waiting('control') > 0) return true;
  const { policy } = partition;
  if (policy === null) return false;
  return policy.rulesChars > frontierServiceLimits.plainPolicyChars || policy.hasPatterns;
}
