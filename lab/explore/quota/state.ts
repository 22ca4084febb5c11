/** A state of the world `quota`: two partitions, the messages between them, and their fetches. */
import type { Control, Discovered, Result, Task } from '../../../schemas/types.ts';
import type { ControlMessage } from '../../../topology/frontier/decide/decision.ts';
import type { Decider } from '../claims/deciders.ts';
import type { LogNode } from '../engine/append-only.ts';
import { hashNumbers } from '../engine/hash-numbers.ts';
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

/** Remaining numbers of possible events. */
export interface Left {
  /** Owners that are killed before they send their messages. */
  readonly kills: number;
  /** Messages that are sent twice. */
  readonly repeats: number;
}

export interface State {
  readonly nowMs: number;
  readonly sides: readonly [Side, Side];
  readonly left: Left;
}

/** Gives equal sides one number. */
export class Sides {
  readonly #sides = new Interner<Side>();

  side(one: Omit<Side, 'id'>): Side {
    const { decider, control, results, discovered, unsent, tasks } = one;
    const messages = unsent.map(({ partition, record }) => `${partition} ${JSON.stringify(record)}`).join();
    const leases = tasks.map(({ leaseId }) => leaseId).join();
    const text = `${one.partition} ${decider.id} ${control.id} ${results.id} ${discovered.id} ${leases} ${messages}`;
    return this.#sides.at(this.#sides.number(text, () => ({ ...one, id: this.#sides.size })));
  }
}

export function withSide({ sides, ...rest }: State, at: number, side: Side): State {
  return { ...rest, sides: at === 0 ? [side, sides[1]] : [sides[0], side] };
}

/** Writes two words that are equal for equal states. */
export function hashState({ nowMs, sides, left }: State, words: Uint32Array): void {
  hashNumbers([nowMs, sides[0].id, sides[1].id, left.kills, left.repeats], words);
}
