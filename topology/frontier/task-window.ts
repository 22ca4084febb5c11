/**
 * How many tasks of a partition may wait for a fetcher: as many as fetchers take within `taskWaitMs`.
 *
 * By Little's law what waits, divided by the rate it is taken at, is how long it waits; so a window of what was taken in
 * the last `taskWaitMs` bounds a task's wait to about that, far below a lease's lead time, whatever the fetchers' number.
 * While they take all there is and want more it doubles, as TCP's slow start does (RFC 5681 §3.1).
 */
import { demandLimits } from './demand-limits.ts';

const { taskWaitMs, taskWindowMin, taskWindowMax } = demandLimits;

export class TaskWindow {
  #size: number = taskWindowMin;
  /** What each look of the last `taskWaitMs` saw: when, and how many tasks had been taken since the look before. */
  #looks: { readonly atMs: number; readonly taken: number }[] = [];

  get size(): number {
    return this.#size;
  }

  /**
   * A look at `nowMs`. `taken`: tasks taken since the look before. `waiting`: not taken yet. `wanted`: more could have been
   * granted than the window let.
   */
  look(nowMs: number, taken: number, waiting: number, wanted: boolean): void {
    this.#looks.push({ atMs: nowMs, taken });
    while (this.#looks[0]!.atMs < nowMs - taskWaitMs) this.#looks.shift();
    const lately = this.#looks.reduce((sum, look) => sum + look.taken, 0);
    if (waiting > 0) this.#size = Math.max(1, lately);
    else if (wanted) this.#size = Math.min(taskWindowMax, Math.max(2 * this.#size, 2 * lately));
    else if (taken > 0) this.#size = Math.max(taskWindowMin, Math.min(this.#size, 2 * lately));
  }

  /** Without fetchers: the next one gets as few tasks as the first did. */
  close(): void {
    this.#size = taskWindowMin;
    this.#looks = [];
  }
}
