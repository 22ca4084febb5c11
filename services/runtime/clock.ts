/**
 * Time for the services. `topology/` takes it as an argument, and it comes from here.
 *
 * `nowMs` is whole milliseconds since the Unix epoch. Within a process it advances by no less than the time that has
 * passed: a wall clock that steps back is not followed, even if nobody read it for a while (docs/design.md §4.1).
 */
export interface Clock {
  nowMs(): number;
  /** Resolves once `nowMs() >= untilMs`, or early when `signal` aborts. Never rejects. */
  sleepUntil(untilMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Time by which `nowMs` has advanced without passing, ms: the wall clock was set forward, or the machine slept.
   * Measure elapsed time by `nowMs() - jumpedMs`, in this order. Absent: this clock is never set.
   */
  readonly jumpedMs?: number;
  /**
   * From now on, `nowMs` is at least `atMs`, the last time of a crawl that this process continues. With an earlier
   * time, hosts would wait until the old time is reached again. Absent: this clock cannot be set.
   */
  goOnFrom?(atMs: number): void;
}

/** A wall clock that is ahead by more than this was set; below, it is being adjusted. ms */
const jumpMsMin = 100;

/** Source of a clock's time: the machine, or a simulation. */
export interface TimeSource {
  /** ms since the Unix epoch; may step back. */
  wallMs(): number;
  /** ms since some moment; never steps back. */
  monotonicMs(): number;
  /** Resolves after about `ms`, or early when `signal` aborts. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest a Node timer can run, ms. */
const timerMsMax = 2 ** 31 - 1;

export class SystemClock implements Clock {
  readonly #source: TimeSource;
  #lastMs = 0;
  #lastMonotonicMs = 0;
  #jumpedMs = 0;

  constructor(source: TimeSource = machine) {
    this.#source = source;
  }

  nowMs(): number {
    const wallMs = this.#source.wallMs();
    const monotonicMs = this.#source.monotonicMs();
    const passedMs = this.#lastMs + monotonicMs - this.#lastMonotonicMs;
    const nowMs = Math.max(wallMs, passedMs);
    if (this.#lastMs > 0 && nowMs - passedMs > jumpMsMin) this.#jumpedMs += Math.ceil(nowMs - passedMs);
    this.#lastMs = nowMs;
    this.#lastMonotonicMs = monotonicMs;
    return Math.floor(nowMs);
  }

  get jumpedMs(): number {
    return this.#jumpedMs;
  }

  goOnFrom(atMs: number): void {
    this.#lastMs = Math.max(this.nowMs(), atMs);
  }

  async sleepUntil(untilMs: number, signal?: AbortSignal): Promise<void> {
    // A timer may fire up to a millisecond early: look again.
    for (let left = untilMs - this.nowMs(); left > 0 && !signal?.aborted; left = untilMs - this.nowMs()) {
      await this.#source.pause(Math.min(left, timerMsMax), signal);
    }
  }
}

const machine: TimeSource = { wallMs: Date.now, monotonicMs: () => performance.now(), pause };

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
