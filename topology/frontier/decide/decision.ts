/**
 * One decision step: its inputs, and the destination of its changes.
 *
 * `emit` applies a change to the state at once and records it, so that the rest of the step sees it and a replay
 * repeats it. Randomness is seeded by (crawl, partition, step): a repeated step draws the same numbers.
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
  /** The key that assigns a host to its partition. Absent: its name. */
  readonly keyMode?: KeyMode | undefined;
}

/** A control record for one partition. */
export interface ControlMessage {
  readonly partition: number;
  readonly record: Control;
}

/** A sampled URL, for metrics alone; no decision uses it. */
export interface TimedUrl {
  readonly url: string;
  /** When the link was found or, if unknown, when it was read. ms since the Unix epoch. */
  readonly foundAtMs: number;
}

/** The decision on one link. `dropped`: there is no room for it. */
export type LinkVerdict = 'new' | 'known' | 'refused' | 'dropped';

/** One URL in this many, a power of two, is timed: some thousand a minute at the rate of a large crawl. */
export const timedOneIn = 64;

export class Decision {
  readonly identity: PartitionIdentity;
  readonly state: FrontierState;
  readonly nowMs: number;
  readonly seq: number;
  /** Outputs. Dead letters are acked before the commit; tasks and controls are sent after it. */
  readonly deadLetters: DeadLetter[] = [];
  readonly granted: Granted[] = [];
  readonly controls: ControlMessage[] = [];
  /** Events of traced URLs. */
  readonly traced: TraceEvent[] = [];
  /** URLs admitted for the first time with a timed wait. */
  readonly timed: TimedUrl[] = [];
  /** URLs put on leases, by the queue they came from: for metrics alone. */
  readonly grantedFrom = new Map<GrantSource, number>();
  /** Records passed on to other partitions; they are also acked before the commit. */
  readonly misrouted: Misrouted;
  /** Inputs with a position moved by an operator: their waiting records are not taken. */
  readonly sought = new Set<InputTopic>();
  /** Hosts with a new trap of variants: their queues are to be folded (links/variants.ts). */
  readonly unfolded: number[] = [];
  /** URLs lowered in this step, with their new places. */
  readonly lowered: Waiting[] = [];
  /**
   * The step moved a host on the clock, or used up a check of a budget, without a change that says so. The step is
   * then recorded even if nothing else happened, so that deciding the changelog again moves the same at the same
   * step.
   */
  moved = false;
  /** Called with the decision on each link, in their order. */
  onArrival: ((verdict: LinkVerdict) => void) | undefined;
  /** The step stopped before a link that the seen test cannot answer yet. */
  asks = false;
  /** Source of the lists that a new policy may refer to. */
  readonly lists: ListSource;
  readonly #policyOf: () => Policy | null;
  readonly #isByHost: () => boolean;
  /** Small at first: Node allocates larger buffers one by one, and each counts as pressure for the garbage collector. */
  readonly #changes = new ByteWriter(2 * 1024);
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

  /** Whether each queue is a host. Otherwise, clients name the queues. */
  get isByHost(): boolean {
    return this.#isByHost();
  }

  /** Whether a host's queue belongs to this partition. */
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
