/**
 * Starts of an owner's crawls wait for each other while the owner is above its share of the event loop: a start takes
 * more of it than twenty pages. Starts of other owners do not wait for them.
 */
import type { LoopShare } from '../../../fetcher/pace/loop-shares.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { shareLimits } from './share-limits.ts';

export class StartTurns {
  readonly #clock: Pick<Clock, 'nowMs' | 'sleepUntil'>;
  /** The newest start of each owner with starts that wait. */
  readonly #newest = new Map<string, Promise<void>>();

  constructor(clock: Pick<Clock, 'nowMs' | 'sleepUntil'>) {
    this.#clock = clock;
  }

  /**
   * Resolves when a crawl of the owner may start, or `signal` aborts. The start then counts against `share`. `onWait`:
   * called if the crawl has to wait.
   */
  async take(
    owner: string,
    share: Pick<LoopShare, 'isOver' | 'spend'>,
    signal: AbortSignal,
    onWait: () => void,
  ): Promise<void> {
    const before = this.#newest.get(owner);
    if (before === undefined && !share.isOver) return share.spend(shareLimits.startMs);
    onWait();
    const mine = this.#wait(before, share, signal);
    this.#newest.set(owner, mine);
    void mine.then(() => {
      if (this.#newest.get(owner) === mine) this.#newest.delete(owner);
    });
    await Promise.race([mine, new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))]);
  }

  async #wait(
    before: Promise<void> | undefined,
    share: Pick<LoopShare, 'isOver' | 'spend'>,
    signal: AbortSignal,
  ): Promise<void> {
    await before;
    const { callLookMs, startMs, startWaitMsMax } = shareLimits;
    const untilMs = this.#clock.nowMs() + startWaitMsMax;
    while (!signal.aborted && share.isOver && this.#clock.nowMs() < untilMs)
      await this.#clock.sleepUntil(this.#clock.nowMs() + callLookMs, signal);
    if (!signal.aborted) share.spend(startMs);
  }
}
