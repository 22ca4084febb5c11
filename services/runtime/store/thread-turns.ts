/**
 * Keeps threads of the pool free for reads.
 *
 * All stores and files of a process share the few threads of libuv's pool, first come, first served. A write may hold
 * a thread for seconds: it is synced, or waits until a store has written a full memtable to disk. With a fleet's
 * hundreds of stores, reads would then wait behind the writes of all crawls. So what may take long takes turns, and
 * leaves a thread.
 */
export class ThreadTurns {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs `act` at once, or in its turn. `act` must not wait for another turn. */
  async run<T>(act: () => Promise<T>): Promise<T> {
    if (this.#busy >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#busy += 1;
    try {
      return await act();
    } finally {
      const next = this.#waiting.shift();
      // The turn passes on.
      if (next === undefined) this.#busy -= 1;
      else next();
    }
  }
}

/** As libuv reads it at its start. */
const poolThreads = Number(process.env['UV_THREADPOOL_SIZE']) || 4;

/** Turns of all stores of this process. */
export const threadTurns = new ThreadTurns(Math.max(1, poolThreads - 1));
