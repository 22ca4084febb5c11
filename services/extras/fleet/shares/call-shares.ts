/**
 * Shares the event loop among the callers of a fleet's API, together with their crawls (fetcher/pace/loop-shares.ts).
 *
 * The work for a call counts for the owner of its key. All calls without a valid key count together, like those of one
 * more owner. While the loop is busy, a call of an owner above its share waits before its body is read, so that a storm
 * of calls becomes slow, not the crawls of the others. The operator never waits.
 */
import { performance } from 'node:perf_hooks';
import type { LoopShare, LoopShares } from '../../../fetcher/pace/loop-shares.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { ownerLimits } from '../owners/owner-limits.ts';
import { shareLimits } from './share-limits.ts';

/** Whom the work for a call counts for; null: nobody, it is the operator's. */
export type CountedFor = string | null;

/** Callers without a valid key. No owner has such a name. */
export const strangers = '(no key)';

export class CallShares {
  readonly #loop: Pick<LoopShares, 'join'>;
  readonly #clock: Pick<Clock, 'nowMs' | 'sleepUntil'>;
  readonly #shares = new Map<string, LoopShare>();
  /** Calls that wait, by owner. */
  readonly #waiting = new Map<string, number>();
  /** The last crawl of each owner that was refused after its call had been read. */
  readonly #refused = new Map<string, { readonly weight: number; readonly atMs: number }>();

  constructor(loop: Pick<LoopShares, 'join'>, clock: Pick<Clock, 'nowMs' | 'sleepUntil'>) {
    this.#loop = loop;
    this.#clock = clock;
  }

  /**
   * Waits while the owner is above its share, for some seconds at most. `bodyBytes`: of the call. False: too many calls
   * of the owner wait already, or its body is large and the owner is still above its share. A small call, such as one
   * that ends a crawl, is let in then.
   */
  async enter(owner: CountedFor, bodyBytes: number): Promise<boolean> {
    if (owner === null) return true;
    const share = this.#of(owner);
    const { callMs } = shareLimits;
    share.spend(callMs + msOf(bodyBytes));
    if (!share.isOver) return true;
    const waiting = this.#waiting.get(owner) ?? 0;
    if (waiting >= shareLimits.callsWaitingMax) return false;
    this.#waiting.set(owner, waiting + 1);
    await this.#wait(share);
    this.#waiting.set(owner, this.#waiting.get(owner)! - 1);
    return bodyBytes <= ownerLimits.callBytes || !share.isOver;
  }

  /** Counts an answer of so many bytes. */
  answered(owner: CountedFor, bytes: number): void {
    if (owner !== null) this.#of(owner).spend(msOf(bytes));
  }

  /**
   * For an answer that is sent while it is made: counts its parts. Between parts of 64 KiB, it waits while the owner is
   * above its share, for some seconds at most.
   */
  streamed(owner: CountedFor): (bytes: number) => Promise<void> {
    if (owner === null) return async () => {};
    const share = this.#of(owner);
    let bytesSent = 0;
    return async (bytes) => {
      share.spend(msOf(bytes));
      bytesSent += bytes;
      if (bytesSent < ownerLimits.callBytes || !share.isOver) return;
      bytesSent = 0;
      await this.#wait(share);
    };
  }

  async #wait(share: LoopShare): Promise<void> {
    const { callLookMs, callWaitMsMax } = shareLimits;
    const untilMs = this.#clock.nowMs() + callWaitMsMax;
    while (share.isOver && this.#clock.nowMs() < untilMs)
      await this.#clock.sleepUntil(this.#clock.nowMs() + callLookMs);
  }

  /** Notes that a call for a crawl of this weight was read, and refused. */
  noteRefused(owner: string, weight: number): void {
    this.#refused.set(owner, { weight, atMs: this.#clock.nowMs() });
  }

  /**
   * Returns the weight of the owner's last refused crawl, and the seconds until a large call for another one is read.
   * null: it is read now. It may repeat a call that created a crawl, which only its body shows.
   */
  refusedLately(owner: string): { readonly weight: number; readonly waitS: number } | null {
    const last = this.#refused.get(owner);
    if (last === undefined) return null;
    const leftMs = last.atMs + shareLimits.unreadMs - this.#clock.nowMs();
    return leftMs > 0 ? { weight: last.weight, waitS: Math.ceil(leftMs / 1_000) } : null;
  }

  /** Counts the time of `act` until it returns or waits. */
  run<T>(owner: CountedFor, act: () => T): T {
    if (owner === null) return act();
    const beganMs = performance.now();
    try {
      return act();
    } finally {
      this.#of(owner).spend(performance.now() - beganMs);
    }
  }

  #of(owner: string): LoopShare {
    const share = this.#shares.get(owner) ?? this.#loop.join(owner, 'calls');
    this.#shares.set(owner, share);
    return share;
  }
}

function msOf(bytes: number): number {
  return (shareLimits.msPerMegabyte * bytes) / 1_000_000;
}
