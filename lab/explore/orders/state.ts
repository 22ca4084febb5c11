/** A state of the worlds `desk` and `forget`: one partition, its fetcher, and the orders that have not come yet. */
import type { Control, Discovered, Result, Task } from '../../../schemas/types.ts';
import type { Decider } from '../claims/deciders.ts';
import type { LogNode } from '../engine/append-only.ts';

export interface State {
  readonly nowMs: number;
  /** Its commits are acknowledged at once. */
  readonly decider: Decider;
  readonly control: LogNode<Control>;
  readonly results: LogNode<Result>;
  readonly discovered: LogNode<Discovered>;
  /** Tasks that the fetcher has not taken yet. Each one is of one URL. */
  readonly tasks: readonly Task[];
  /** The task of the request under way. */
  readonly asking: Task | null;
  /** When the last contact of the host ended; 0: there was none. */
  readonly contactedAtMs: number;
  /** One bit for each order that may still come. */
  readonly orders: number;
  /** Owners that may still be killed. */
  readonly kills: number;
}

/** Writes two words that differ where states do. */
export function hashState(state: State, words: Uint32Array): void {
  let [high, low] = [0x9e37_79b9, 0x85eb_ca6b];
  const add = (value: number) => {
    low = Math.imul(low ^ value, 0xcc9e_2d51);
    low ^= low >>> 15;
    high = Math.imul(high ^ low ^ (value + 0x7f4a_7c15), 0x1b87_3593);
    high ^= high >>> 13;
  };
  add(state.nowMs);
  add(state.decider.id);
  add(state.control.id);
  add(state.results.id);
  add(state.discovered.id);
  for (const { leaseId } of state.tasks) add(leaseId);
  add(state.asking === null ? -1 : state.asking.leaseId);
  add(state.contactedAtMs);
  add(state.orders + 64 * state.kills);
  words[0] = high >>> 0;
  words[1] = low >>> 0;
}
