/**
 * FrontierPartition: the deterministic state machine of one partition.
 *
 *   inputs (control, results, discovered, time) → step → one commit → changelog → ack → checkpoint, tasks
 *
 * `step` is pure except for the state it owns: no I/O, no clock, no randomness. With the same state, inputs, clock
 * and demand it makes the same commit, to the byte. The caller appends the commit. Only if the ack has the expected
 * offset does it write the checkpoint and publish the outputs of the step. Otherwise, it discards this object and
 * opens a new one from the changelog (docs/design.md §4.1–4.2).
 */
import type { Control, Discovered, Result } from '../../schemas/types.ts';
import type { Refusal } from '../border/enter-record.ts';
import { ListSources } from '../policy/list-sources.ts';
import { compilePolicy, type Policy } from '../policy/policy.ts';
import { parsePolicy } from '../policy/validate.ts';
import { AskAhead } from './ask-ahead.ts';
import type { InputPosition, InputRange, InputTopic } from './changes/changelog.ts';
import { encodeCommit, inputTopics, past } from './changes/changelog.ts';
import type { Taken } from './changes/changes.ts';
import { lostUrls } from './changes/counters.ts';
import type { Entry } from './changes/entry.ts';
import { readDying, readLeases, type Waiting } from './checkpoint/read-rows.ts';
import { findNamed } from './decide/control/find-named.ts';
import { waitAgain } from './decide/control/move-waits.ts';
import { decideQuota, decideQuotaShares, quotaMessages } from './decide/control/quota.ts';
import { type ControlMessage, Decision, type LinkVerdict, type PartitionIdentity } from './decide/decision.ts';
import { decidePrice } from './decide/leases/price.ts';
import { openDeferred } from './decide/links/budgets.ts';
import { Growth } from './decide/links/growth.ts';
import { isFull } from './decide/links/queue-room.ts';
import { openDrained } from './decide/links/queue-share.ts';
import { decideGrowth, type Grown, readGrown } from './decide/links/score-again.ts';
import { decideFolds, Folding, readUnfolded, type Unfolded } from './decide/links/variants.ts';
import type { PullQueue } from './decide/pull/pull-queue.ts';
import { decideRetiming, readWaiting, type WaitingPages } from './decide/results/retime.ts';
import { decideBurials } from './decide/results/time.ts';
import { Decided, type Step } from './decide/step.ts';
import { taskOf } from './decide/task-of.ts';
import { decideInput } from './decide-input.ts';
import { enterInput } from './enter-input.ts';
import { frontierLimits } from './frontier-limits.ts';
import { type Leasing, taskLeasing } from './leasing/leasing.ts';
import { PullLeasing } from './leasing/pull-leasing.ts';
import type { FrontierState } from './state/state.ts';
import { StepFailed } from './step-failed.ts';
import { finishInMemory, type StoreJob } from './storage/store-job.ts';
import { wakeAtMs } from './wake.ts';

/**
 * A record of an input topic. `record` is null if its bytes could not be decoded, or it was refused at the border.
 * `passedOn`: its bytes, if it was passed on. `leaderEpoch`: epoch of its leader, if known.
 */
export type Input = {
  readonly offset: number;
  readonly passedOn?: Uint8Array;
  readonly leaderEpoch?: number | undefined;
  /** The parts refused at the border. Absent: not checked. */
  readonly refusals?: readonly Refusal[];
  /** Bytes of the record, if some of it was refused. */
  readonly bytes?: Uint8Array;
} & (
  | { readonly topic: 'control'; readonly record: Control }
  | { readonly topic: 'results'; readonly record: Result }
  | { readonly topic: 'discovered'; readonly record: Discovered }
  | { readonly topic: InputTopic; readonly record: null; readonly bytes: Uint8Array; readonly why: string }
);

/** The position from which each input is read next. */
export type Positions = Readonly<Record<InputTopic, InputPosition>>;

export class FrontierPartition {
  readonly identity: PartitionIdentity;
  readonly state: FrontierState;
  /** Waiting inputs, in offset order. */
  readonly #inputs: { [topic in InputTopic]: Input[] } = { control: [], results: [], discovered: [] };
  readonly #ahead = new AskAhead();
  readonly #sought = new Set<InputTopic>();
  /** Leader epochs of the inputs that the step has taken. */
  readonly #epochs = new Map<InputTopic, number>();
  readonly #pull = new PullLeasing();
  #blocked = false;
  #asked = false;
  /** Lists of policies: they must be here before a policy that refers to them is offered. */
  readonly lists = new ListSources();
  /** URLs of dead hosts that the next step gives up. */
  #dying: ReadonlyMap<number, readonly Entry[]> = new Map();
  /** Places of the URLs that the next step raises, lowers or purges, by the offset of the event. */
  #named: ReadonlyMap<number, readonly Waiting[]> = new Map();
  readonly #growth = new Growth();
  /** URLs that the next step scores again. */
  #grown: readonly Grown[] = [];
  readonly #folding = new Folding();
  /** Queued URLs of which the next step folds the variants. */
  #unfolded: Unfolded | null = null;
  /** Pages that the next step moves under a new policy. */
  #waiting: WaitingPages | null = null;
  #unread = true;
  /** Tasks that fetchers have taken, for the next step. */
  #taken: Taken | null = null;
  /** When it last began, or began again, to take reports: those that wait in the log come before leases expire. */
  #resumedAtMs = Number.NEGATIVE_INFINITY;
  /** The record that is being decided, and those that the step has taken. */
  #deciding: Input | null = null;
  #tried: Input[] = [];
  /** Most records per step: with 1, the failing record of several is found. */
  inputsPerStep = Number.POSITIVE_INFINITY;
  #policy: { readonly version: number; readonly compiled: Policy } | undefined;

  /** Called with the decision on each link of `discovered`, in the order of the log. */
  onArrival: ((verdict: LinkVerdict) => void) | undefined;

  constructor(identity: PartitionIdentity, state: FrontierState) {
    this.identity = identity;
    this.state = state;
  }

  /** Earliest time of expiry, ms: a new owner reads pending results before it ends leases. */
  get #expiryFromMs(): number {
    return this.#leasing.isReported ? this.#resumedAtMs + frontierLimits.expiryHoldMs : Number.NEGATIVE_INFINITY;
  }

  /** The kind of leasing that the current policy chooses; before the first policy, tasks. */
  get #leasing(): Leasing {
    return this.state.pull.on ? this.#pull : taskLeasing;
  }

  /** Calls of the pull API, if it serves the crawl. */
  get calls(): PullQueue {
    return this.#pull.queue;
  }

  /** The policy in force; null before the first. */
  get policy(): Policy | null {
    const { policyVersion: version, policyJson } = this.state;
    if (policyJson === '') return null;
    if (this.#policy?.version !== version) {
      const compiled = compilePolicy(parsePolicy(policyJson), this.lists.source);
      this.#policy = { version, compiled };
      if (this.waiting('control') === 0) this.lists.keepNewest();
    }
    return this.#policy.compiled;
  }

  /** Takes the next record of an input; the caller keeps the order and starts at `state.positions`. */
  offer(given: Input): void {
    const input = given.refusals === undefined && given.record !== null ? enterInput(given) : given;
    this.#inputs[input.topic].push(input);
    if (input.topic === 'control' && /^(raise|lower|purge)$/.test(input.record?.kind ?? '')) this.#unread = true;
    if (input.topic === 'discovered') this.#ahead.offered(input);
  }

  /** Fetchers have taken these leases' tasks: the next step sees it, and says so in its commit. */
  offerTaken(taken: Taken): void {
    this.#taken = taken;
  }

  /** Records offered and not yet decided. */
  waiting(topic: InputTopic): number {
    return this.#inputs[topic].length;
  }

  /** True while more of `discovered` is needed: none is left, or the seen test collects questions. */
  get hungry(): boolean {
    const { seen } = this.state;
    return this.#inputs.discovered.length === 0 || (seen.asks && this.#ahead.links < seen.counts.linksMax);
  }

  /** True if the next of `discovered` waits for work on the seen test's rows. */
  get blocked(): boolean {
    return this.#blocked;
  }

  /**
   * Due work on the seen test's rows, for the caller to run beside the steps, one job at a time; null: none. `idle`:
   * no more of `discovered` is available, so waiting for more questions is useless.
   */
  seenWork(idle: boolean): StoreJob | null {
    return this.state.seen.work(this.calls.asks || (this.#blocked && this.#asked && (idle || !this.hungry)));
  }

  /** True while discovered URLs should not be read: the frontier is full until leases drain it. */
  get full(): boolean {
    const { policy } = this;
    return policy === null || isFull(this.state.counters, this.state.shares.opened, policy.config);
  }

  /** When a step has work without any input, ms; undefined: never. */
  wakeAtMs(demand: number): number | undefined {
    if (this.#unfolded !== null || this.#folding.isDue) return this.state.nowMs;
    const { graceMs } = this.#leasing;
    return wakeAtMs(this.state, this.policy, demand, { graceMs, notBeforeMs: this.#expiryFromMs });
  }

  /**
   * Decides everything that can be decided now. Null if nothing changed. `demand`: number of leases that the fetchers
   * could take; a function is called after the inputs are decided, so that leases which end make room for others in the
   * same commit. `until`: inputs after these positions are not decided, as when the step was first decided. Throws
   * StepFailed only for a bug, because data faults become dead letters, tallies or outcomes. This partition is then
   * unusable.
   */
  step(wallMs: number, demand: number | (() => number), until: Positions | null = null): Step | null {
    this.#tried = [];
    try {
      return this.#step(wallMs, demand, until);
    } catch (error) {
      throw new StepFailed(this.identity.partition, this.#deciding, this.#tried, error);
    }
  }

  #step(wallMs: number, demand: number | (() => number), until: Positions | null): Step | null {
    const { state } = this;
    if (this.#unread) finishInMemory(this.reads());
    const decision = this.#begin(wallMs);
    const before = { ...state.positions };
    if (this.#taken !== null) decision.emit({ kind: 'taken', ...this.#taken });
    this.#taken = null;
    const wasAmidPolicy = state.positions.control.slice > 0;
    this.#take(decision, 'control', until);
    for (const topic of decision.sought) this.#forget(topic);
    const isAmidPolicy = state.positions.control.slice > 0;
    if (wasAmidPolicy && !isAmidPolicy) this.#resumedAtMs = decision.nowMs;
    // In the middle of a policy, some hosts wait by the next one already, and the former is in force.
    if (!isAmidPolicy) this.#decideRest(decision, until);
    const leases = typeof demand === 'number' ? demand : demand();
    if (!isAmidPolicy && this.policy?.config.paused !== true) this.#leasing.grant(decision, leases);
    for (const [topic, epoch] of this.#epochs)
      if (epoch !== state.inputEpochs[topic]) decision.emit({ kind: 'inputEpoch', topic, epoch });
    this.#epochs.clear();
    const changes = decision.finish();
    for (const host of decision.unfolded) this.#folding.note(host);
    if (this.#folding.isDue) this.#unread = true;
    if (this.#leasing.isUnread) this.#unread = true;
    const inputs = inputTopics.map((topic) => ({ topic, from: before[topic], to: state.positions[topic] }));
    const isIdle = changes.length === 0 && inputs.every(({ topic, to }) => to === before[topic]);
    if (isIdle && !decision.moved) return null;
    // A check counts only once a commit has recorded it, because a step without a decision leaves no trace.
    this.#grown = [];
    return this.#commit(decision, inputs, leases, changes);
  }

  /** Decides everything after `control`, without grants. */
  #decideRest(decision: Decision, until: Positions | null): void {
    if (this.policy !== null) this.#take(decision, 'results', until);
    if (decision.nowMs >= this.#expiryFromMs) this.#leasing.endLate(decision);
    decideBurials(decision, this.#dying);
    decidePrice(decision);
    decideRetiming(decision, this.#waiting);
    this.#waiting = null;
    decideGrowth(decision, this.#grown);
    decideFolds(decision, this.#folding, this.#unfolded);
    this.#unfolded = null;
    this.#takeDiscovered(decision, until);
    this.#leasing.answer(decision);
    const pageQuota = this.policy?.config.pageQuota ?? null;
    decideQuota(decision, pageQuota);
    decideQuotaShares(decision, pageQuota);
    openDeferred(decision);
    openDrained(decision);
  }

  /** Are there calls that a step could decide? */
  get isCalled(): boolean {
    return this.policy !== null && this.#leasing.isCalled;
  }

  /** Whether rows must be read before the next step. */
  get isUnread(): boolean {
    return this.#unread;
  }

  /**
   * Reads the rows of queues that the next step and the last one's tasks need. Run it after each step, and before a
   * step while `isUnread`. If nothing is on disk, `step` runs it.
   */
  *reads(): StoreJob {
    yield* readLeases(this.state);
    this.#dying = yield* readDying(this.state);
    this.#named = yield* findNamed(this.state, this.#inputs.control, this.#dying);
    if (this.#grown.length === 0) this.#grown = yield* readGrown(this.state, this.#growth);
    this.#unfolded ??= yield* readUnfolded(this.state, this.#folding);
    this.#waiting ??= yield* readWaiting(this.state);
    yield* this.#leasing.reads(this.state);
    this.#unread = false;
  }

  /**
   * An owner's first commit. It shows readers at the log's end which owner's commits count now, and counts earlier
   * records of other writers in the changelog.
   */
  open(wallMs: number): Step {
    const { positions, foreignBeforeClaim, counters } = this.state;
    const inputs = inputTopics.map((topic) => ({ topic, from: positions[topic], to: positions[topic] }));
    const decision = this.#begin(wallMs);
    this.#resumedAtMs = decision.nowMs;
    const more = foreignBeforeClaim - counters.foreignRecords;
    if (more > 0) decision.tally('foreignRecords', more);
    this.#folding.noteAll(this.state);
    return this.#commit(decision, inputs, 0, decision.finish());
  }

  /**
   * Records, in separate commits, that the log has lost read records of an input: all records from here on are new.
   * The position changes with the last commit, so that an owner that is killed earlier begins again.
   */
  *goBack(topic: InputTopic, offset: number, wallMs: number): Generator<Step, void> {
    const { positions } = this.state;
    if (topic === 'control') yield* this.#waitAgain(positions.control.slice, wallMs);
    const before = { ...positions };
    this.#forget(topic);
    const decision = this.#begin(wallMs);
    positions[topic] = { offset, slice: 0 };
    decision.tally('cutInputs');
    const inputs = inputTopics.map((one) => ({ topic: one, from: before[one], to: positions[one] }));
    yield this.#commit(decision, inputs, 0, decision.finish());
  }

  /** A policy that hosts before number `to` wait by is lost, and the former one stays in force. */
  *#waitAgain(to: number, wallMs: number): Generator<Step, void> {
    const { policy, state } = this;
    const inputs = inputTopics.map((topic) => ({ topic, from: state.positions[topic], to: state.positions[topic] }));
    for (let next: number | 'done' = to > 0 ? 0 : 'done'; next !== 'done' && policy !== null; ) {
      const decision = this.#begin(wallMs);
      next = waitAgain(decision, policy, next, to);
      const changes = decision.finish();
      if (changes.length > 0) yield this.#commit(decision, inputs, 0, changes);
    }
  }

  #newestEpoch(topic: InputTopic, { leaderEpoch }: Input): void {
    if (leaderEpoch !== undefined && leaderEpoch >= 0) this.#epochs.set(topic, leaderEpoch);
  }

  #begin(wallMs: number): Decision {
    this.state.nowMs = Math.max(this.state.nowMs, wallMs);
    const { identity, state, lists } = this;
    const isByHost = () => this.#leasing.isByHost;
    const decision = new Decision(identity, state, state.nowMs, () => this.policy, lists.source, isByHost);
    decision.onArrival = this.onArrival;
    return decision;
  }

  /**
   * Records to publish again when an owner opens, because a crash may have lost them between commit and publication.
   */
  republish(): ControlMessage[] {
    return quotaMessages(this.state, this.identity.partition);
  }

  #commit(decision: Decision, inputs: InputRange[], demand: number, changes: Buffer): Step {
    const { state } = this;
    this.#unread = true;
    const lost = lostUrls(state.counters);
    if (lost !== 0)
      throw new Error(
        `invariant broken: ${lost} URLs of partition ${this.identity.partition} are neither queued, leased nor finished`,
      );
    const { epoch, offset } = state.changelog;
    const header = {
      kind: 'commit',
      epoch,
      seq: decision.seq,
      nowMs: decision.nowMs,
      policyVersion: state.policyVersion,
      demand,
      inputs,
      counters: state.counters,
    } as const;
    const commit = encodeCommit(header, changes);
    state.changelog = past(offset, commit, epoch, decision.seq);
    const { granted } = decision;
    const tasks = () => granted.map((one) => taskOf(state, this.identity, this.policy!, one));
    return new Decided(commit, offset, decision, tasks);
  }

  /** Inputs that must now be read from `state.positions`, whatever was read before. */
  takeSought(): InputTopic[] {
    const topics = [...this.#sought];
    this.#sought.clear();
    return topics;
  }

  /** Drops offered records that were not decided; they must be offered again. */
  withdraw(): void {
    for (const topic of inputTopics) this.#forget(topic);
  }

  #forget(topic: InputTopic): void {
    const gone = this.#inputs[topic].splice(0);
    if (topic === 'discovered') this.#ahead.taken(gone);
    this.#sought.add(topic);
  }

  #takeDiscovered(decision: Decision, until: Positions | null): void {
    const { state, policy } = this;
    this.#blocked = false;
    if (this.full || policy === null) return;
    this.#asked = this.#ahead.look(state, policy, this.#inputs.discovered);
    if (state.seen.stalled) this.#blocked = this.#inputs.discovered.length > 0;
    else this.#take(decision, 'discovered', until);
  }

  /** Takes waiting records of one input until the commit is full. */
  #take(decision: Decision, topic: InputTopic, until: Positions | null): void {
    const queue = this.#inputs[topic];
    let taken = 0;
    while (taken < queue.length && decision.bytes < frontierLimits.commitBytesSoft) {
      if (this.#tried.length >= this.inputsPerStep) break;
      if (topic === 'discovered' && this.full) break;
      const input = queue[taken]!;
      const end = until?.[topic];
      if (end !== undefined && (input.offset > end.offset || (input.offset === end.offset && end.slice === 0))) break;
      this.#deciding = input;
      const to = input.offset === end?.offset ? end.slice : undefined;
      const named = this.#named.get(input.offset) ?? [];
      const slice = decideInput(decision, input, { policy: this.policy, growth: this.#growth, named, to });
      this.#deciding = null;
      this.#tried.push(input);
      if (slice === 'done') {
        this.state.positions[topic] = { offset: input.offset + 1, slice: 0 };
        this.#newestEpoch(topic, input);
        taken += 1;
        continue;
      }
      this.#newestEpoch(topic, input);
      const { offset, slice: from } = this.state.positions[topic];
      if (offset !== input.offset || from !== slice) this.state.positions[topic] = { offset: input.offset, slice };
      this.#blocked = decision.asks;
      break;
    }
    const gone = queue.splice(0, taken);
    if (topic === 'discovered') this.#ahead.taken(gone);
  }
}
