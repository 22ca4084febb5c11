/** A state of the world `quota`: two partitions, the messages between them, and their fetches. */
import type { Control, Discovered, Result, Task } from '../../../schemas/types.ts';
import type { CrawlEnd, Look, PartitionStatus } from '../../../topology/frontier/ask/crawl-end.ts';
import type { ControlMessage } from '../../../topology/frontier/decide/decision.ts';
import type { Decider } from '../claims/deciders.ts';
import type { LogNode } from '../engine/append-only.ts';
import { hashNumbers } from '../engine/hash.ts';
import { Interner } from '../engine/interner.ts';

/** A partition with an owner. Its commits are acknowledged at once. */
export interface Side {
  readonly id: number;
  readonly partition: number;
  readonly decider: Decider;
  readonly control: LogNode<Control>;
  readonly results: LogNode<Result>;
  readonly discovered: LogNode<Discovered>;
  /** Messages of its commits that are not sent yet. */
  readonly unsent: readonly ControlMessage[];
  /** Tasks that no fetcher has taken yet. */
  readonly tasks: readonly Task[];
}

/** The watcher declares the end of the crawl: it looks at one partition after the other, while both go on. */
export interface Watcher {
  readonly id: number;
  /** The first partition as this look saw it; null: the look has not begun. */
  readonly seen: PartitionStatus | null;
  /** The look before, if it could be of the end. */
  readonly before: Look | null;
  readonly end: CrawlEnd;
}

/** Remaining numbers of possible events. */
export interface Left {
  /** Owners that are killed before they send their messages. */
  readonly kills: number;
  /** Messages that are sent twice. */
  readonly repeats: number;
  /** How often the watcher looks. */
  readonly looks: number;
}

export interface State {
  readonly nowMs: number;
  readonly sides: readonly [Side, Side];
  readonly watcher: Watcher;
  readonly left: Left;
}

/** Gives equal sides, and equal watchers, one number. */
export class Sides {
  readonly #sides = new Interner<Side>();
  readonly #watchers = new Interner<Watcher>();

  watcher(one: Omit<Watcher, 'id'>): Watcher {
    return this.#watchers.one(JSON.stringify(one), (id) => ({ ...one, id }));
  }

  side(one: Omit<Side, 'id'>): Side {
    const { decider, control, results, discovered, unsent, tasks } = one;
    const messages = unsent.map(({ partition, record }) => `${partition} ${JSON.stringify(record)}`).join();
    const leases = tasks.map(({ leaseId }) => leaseId).join();
    const text = `${one.partition} ${decider.id} ${control.id} ${results.id} ${discovered.id} ${leases} ${messages}`;
    return this.#sides.one(text, (id) => ({ ...one, id }));
  }
}

export function withSide({ sides, ...rest }: State, at: number, side: Side): State {
  return { ...rest, sides: at === 0 ? [side, sides[1]] : [sides[0], side] };
}

/** Writes two words that are equal for equal states. */
export function hashState({ nowMs, sides, watcher, left }: State, words: Uint32Array): void {
  hashNumbers([nowMs, sides[0].id, sides[1].id, watcher.id, left.kills, left.repeats, left.looks], words);
}
