/**
 * Watches the deadlines of requests in flight with a single timer.
 *
 * A request's deadline moves with every chunk it receives; re-arming a timer each time costs more than checking a few
 * hundred numbers now and then. A deadline is noticed at most `resolutionMs` late. Times are of the monotonic clock.
 */
export interface Watched {
  /** By performance.now(). */
  deadlineMs: number;
  /** Called once, when the deadline has passed; the entry is then no longer watched. */
  readonly expire: () => void;
}

export interface DeadlineWatch {
  add(entry: Watched): void;
  remove(entry: Watched): void;
}

export function createDeadlineWatch(resolutionMs = 50): DeadlineWatch {
  const entries = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;

  const look = () => {
    const nowMs = performance.now();
    for (const entry of entries) {
      if (entry.deadlineMs > nowMs) continue;
      entries.delete(entry);
      entry.expire();
    }
    if (entries.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    add(entry) {
      entries.add(entry);
      timer ??= setInterval(look, resolutionMs);
    },
    remove(entry) {
      entries.delete(entry);
    },
  };
}
