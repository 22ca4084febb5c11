/** Wakes the watcher of a crawl when the crawl changes, so that a waiting crawl need not be checked all the time. */
import type { Clock } from '../../runtime/clock.ts';

export class CrawlChanges {
  #hasChanged = false;
  #wake = () => {};

  /** The crawl has changed. */
  readonly note = (): void => {
    this.#hasChanged = true;
    this.#wake();
  };

  /** Forgets the changes so far. Call it before a check, so that a change during the check is not missed. */
  forget(): void {
    this.#hasChanged = false;
  }

  /** Resolves at the first change since `forget`, at `untilMs`, or when `signal` aborts. */
  async next(clock: Clock, untilMs: number, signal: AbortSignal): Promise<void> {
    if (this.#hasChanged || signal.aborted) return;
    const over = new AbortController();
    // With a reason, since the default one is an exception with a stack.
    const end = () => over.abort('over');
    this.#wake = end;
    signal.addEventListener('abort', end, { once: true });
    await clock.sleepUntil(untilMs, over.signal);
    signal.removeEventListener('abort', end);
    this.#wake = () => {};
  }
}
