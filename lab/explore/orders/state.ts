/** A state of the worlds `desk` and `forget`: one partition, its fetcher, and the orders that have not come yet. */
import type { Control, Discovered, Result, Task } from '../../../schemas/types.ts';
import type { Decider } from '../claims/deciders.ts';
import type { LogNode } from '../engine/append-only.ts';
import { hashNumbers } from '../engine/hash-numbers.ts';

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

/** Writes two words that are equal for equal states. */
export function hashState(state: State, words: Uint32Array): void {
  const { nowMs, decider, control, results, discovered, tasks, asking, contactedAtMs, orders, kills } = state;
  const leases = [asking?.leaseId ?? -1, ...tasks.map(({ leaseId }) => leaseId)];
  const logs = [control.id, results.id, discovered.id];
  hashNumbers([nowMs, decider.id, ...logs, contactedAtMs, orders + 64 * kills, ...leases], words);
}
