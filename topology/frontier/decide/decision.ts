/**
 * One decision step: what it sees, and where its changes go.
 *
 * `emit` applies a change to the state at once and writes it down, so that what comes later in the step sees it and a
 * replay does the same. Randomness is seeded by (crawl, partition, step): a repeated step draws the same numbers.
 */

import type { Control, DeadLetter } from '../../../schemas/types.ts';
import type { Policy } from '../../policy/policy.ts';
import { fnv1a } from '../../url/fnv.ts';
import type { KeyMode } from '../../url/host-key.ts';
import type { ListSource } from '../../url/url-lists.ts';
import { noLists } from '../../url/url-lists.ts';
import type { InputTopic } from '../changes/changelog.ts';
import type { Change, TallyName } from '../changes/changes.ts';
import { writeChange } from '../changes/codec.ts';
import { checkOf } from '../check/self-check.ts';
import type { Waiting } from '../checkpoint/read-rows.ts';
import { frontierLimits } from '../frontier-limits.ts';
import type { FrontierState } from '../state/state.ts';
import { ByteWriter } from '../storage/bytes.ts';
import type { GrantSource } from './grant-sources.ts';
import { Misrouted } from './misrouted.ts';
import type { Granted } from './task-of.ts';
import type { TraceEvent } from './trace-events.ts';

export interface PartitionIdentity {
  readonly crawl: string;
  readonly partition: number;
  readonly partitions: number;
  /** By what a host is assigned to its partition. Absent: by its name. */
  readonly keyMode?: KeyMode | undefined;
}

/** A control record for one partition. */
export interface ControlMessage {
  readonly partition: number;
  readonly record: Control;
}

/** Some of all, for metrics alone: no decision uses it. */
export interface TimedUrl {
  readonly url: string;
  /** When the link was found; where nobody says, when it was read. ms since the Unix epoch */
  readonly foundAtMs: number;
}

/** One URL in so many, a power of two, is timed: some thousand a minute at the pace of a large crawl. */
export const timedOneIn = 64;

export class Decision {
  readonly identity: PartitionIdentity;
  readonly state: FrontierState;
  readonly nowMs: number;
  readonly seq: number;
  /** Outputs. Dead letters are acked before the commit, tasks and controls go out after it. */
  readonly deadLetters: DeadLetter[] = [];
  readonly granted: Granted[] = [];
  readonly controls: ControlMessage[] = [];
  /** What happened to URLs that are traced. */
  readonly traced: TraceEvent[] = [];
  /** URLs admitted for the first time with a timed wait. */
  readonly timed: TimedUrl[] = [];
  /** URLs put on leases, by where they were taken from: for metrics alone. */
  readonly grantedFrom = new Map<GrantSource, number>();
  /** Records passed on to other partitions: these are acked before the commit, too. */
  readonly misrouted: Misrouted;
  /** Inputs with a position moved by an operator: waiting records of them are not taken. */
  readonly sought = new Set<InputTopic>();
  /** URLs that this step has lowered, where they wait now. */
  readonly lowered: Waiting[] = [];
  /**
   * The step moved a host on the clock, or used up a look at a budget, and no change says so. It is then recorded even if
   * nothing else came of it: deciding the changelog again moves the same at the same step.
   */
  moved = false;
  /** The step stopped before a link that the seen test cannot answer yet. */
  asks = false;
  /** What a policy that is about to be switched to may refer to. */
  readonly lists: ListSource;
  readonly #policyOf: () => Policy | null;
  readonly #isByHost: () => boolean;
  readonly #changes = new ByteWriter(16 * 1024);
  readonly #tallies = new Map<TallyName, number>();
  #randomState: number;

  constructor(
    identity: PartitionIdentity,
    state: FrontierState,
    nowMs: number,
    policyOf: () => Policy | null,
    lists: ListSource = noLists,
    isByHost: () => boolean = () => true,
  ) {
    this.identity = identity;
    this.state = state;
    this.nowMs = nowMs;
    this.misrouted = new Misrouted(identity, this.deadLetters, nowMs);
    this.seq = state.changelog.seq + 1;
    this.#policyOf = policyOf;
    this.lists = lists;
    this.#isByHost = isByHost;
    this.#randomState = fnv1a(`${identity.crawl} ${identity.partition} ${this.seq}`);
  }

  /** The policy in force; null until the first one arrives on `control`. */
  get policy(): Policy | null {
    return this.#policyOf();
  }

  /** Is each queue a host? Otherwise a queue is whatever clients have named. */
  get isByHost(): boolean {
    return this.#isByHost();
  }

  /** Does a host's queue belong to this partition? */
  isOurs(hostKey: string): boolean {
    return !this.isByHost || this.misrouted.isOurs(hostKey);
  }

  /** Bytes of the changes so far. */
  get bytes(): number {
    return this.#changes.length;
  }

  emit(change: Change): void {
    this.state.apply(change);
    writeChange(this.#changes, change);
  }

  tally(counter: TallyName, by = 1): void {
    this.#tallies.set(counter, (this.#tallies.get(counter) ?? 0) + by);
  }

  /** Uniform in [0, 1). A 32-bit mulberry generator. */
  readonly random = (): number => {
    this.#randomState = (this.#randomState + 0x6d2b79f5) | 0;
    let t = this.#randomState;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };

  /** The changes, encoded; the step is over. */
  finish(): Buffer {
    for (const [counter, by] of this.#tallies) this.emit({ kind: 'count', counter, by });
    const isDue = this.seq % frontierLimits.checkEvery === 0;
    if (isDue && this.#changes.length > 0) writeChange(this.#changes, checkOf(this.state));
    return this.#changes.take();
  }
}
