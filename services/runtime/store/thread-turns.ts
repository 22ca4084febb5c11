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

  /**
   * Runs `act` at once, or in its turn. `act` must not wait for another turn. `keepFor` keeps the turn until some work
   * has settled that outlasts `act`.
   */
  async run<T>(act: (keepFor: (work: Promise<unknown>) => void) => Promise<T>): Promise<T> {
    if (this.#busy >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#busy += 1;
    let kept = undefined as Promise<unknown> | undefined;
    try {
      return await act((work) => {
        kept = work;
      });
    } finally {
      if (kept === undefined) this.#passOn();
      else kept.then(this.#passOn, this.#passOn);
    }
  }

  readonly #passOn = () => {
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy -= 1;
    else next();
  };
}

/** As libuv reads it at its start. */
const poolThreads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) || 1;

/** Turns of all stores of this process. */
export const threadTurns = new ThreadTurns(Math.max(1, poolThreads - 1));
