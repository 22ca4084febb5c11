/**
 * Runs all of a queue, so many at once; and more where they leave the processors idle, as tests do that wait for an outage
 * to end or a delay to pass.
 */
export interface Turns {
  readonly atOnce: number;
  /** At most, with those that fill idle processors. */
  readonly atMost: number;
  /** Share of the processors' time that was idle since it was asked before. */
  readonly idle: () => number;
  readonly everyMs: number;
}

/** Idle for so long, the processors have room for another. */
const roomAt = 0.35;

export async function runInTurn<T>(
  all: readonly T[],
  { atOnce, atMost, idle, everyMs }: Turns,
  run: (one: T) => Promise<void>,
): Promise<void> {
  const queue = [...all];
  const running = new Set<Promise<void>>();
  const startOne = () => {
    const one = run(queue.shift() as T).finally(() => running.delete(one));
    running.add(one);
  };
  const fillUp = () => {
    while (running.size < atOnce && queue.length > 0) startOne();
  };
  fillUp();
  const filling = setInterval(() => {
    if (idle() >= roomAt && running.size < atMost && queue.length > 0) startOne();
  }, everyMs);
  try {
    while (running.size > 0) {
      await Promise.race(running);
      fillUp();
    }
  } finally {
    clearInterval(filling);
  }
}
