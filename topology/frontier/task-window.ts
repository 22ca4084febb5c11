/**
 * How many tasks of a partition may wait for a fetcher: as many as fetchers take within `taskWaitMs`.
 *
 * By Little's law, the waiting time is the number of waiting tasks divided by the rate of taking. So a window of the
 * tasks taken in the last `taskWaitMs` bounds a task's wait to about that time, far below a lease's lead time,
 * whatever the number of fetchers. While fetchers take all tasks and want more, the window doubles, like TCP's slow
 * start (RFC 5681 §3.1).
 */
import { demandLimits } from './demand-limits.ts';

const { taskWaitMs, taskWindowMin, taskWindowMax } = demandLimits;

export class TaskWindow {
  #size: number = taskWindowMin;
  /** By read of the last `taskWaitMs`: its time, and the number of tasks taken since the previous read. */
  #looks: { readonly atMs: number; readonly taken: number }[] = [];

  get size(): number {
    return this.#size;
  }

  /**
   * Records a read at `nowMs`. `taken`: tasks taken since the previous read. `waiting`: tasks not taken yet.
   * `wanted`: the window prevented further grants.
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
