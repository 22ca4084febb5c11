/**
 * Shares the event loop fairly among the owners of a fleet's crawls.
 *
 * The loop's work for a crawl counts for its owner: decisions, parsing, requests. So do the owner's API calls. Of n
 * owners that use the loop, each may always use up to two fifths of an n-th. While the loop is busy, an owner above its
 * share gets no further request, whatever the number and weight of its crawls, so that the loop's turns stay short for
 * the others. While the loop has spare time, no owner waits.
 */
import { performance } from 'node:perf_hooks';
import { loopShareLimits } from './loop-share-limits.ts';

export interface LoopShare {
  /** Adds to the owner's use of the loop, ms. */
  spend(ms: number): void;
  /** True if the owner is above its share while others wait for theirs. */
  readonly isOver: boolean;
  leave(): void;
}

export interface LoopSharesOptions {
  nowMs(): number;
  /** Share of the time in which the loop worked, since the last call. */
  utilization(): number;
}

interface Spender {
  ms: number;
  crawls: number;
}

export class LoopShares {
  readonly #options: LoopSharesOptions;
  readonly #owners = new Map<string, Spender>();
  #lookedAtMs: number;
  #isBusy = false;
  #allMs = 0;
  #active = 0;
  /** Time that what owners used is counted over, ms: older time counts less, as it does for them. */
  #countedMs = 0;

  constructor(options: LoopSharesOptions = ofThisProcess()) {
    this.#options = options;
    this.#lookedAtMs = options.nowMs();
  }

  /** For a crawl of an owner, until it leaves. */
  join(owner: string): LoopShare {
    const one = this.#owners.get(owner) ?? { ms: 0, crawls: 0 };
    this.#owners.set(owner, one);
    one.crawls += 1;
    const isOver = () => this.#isOver(one);
    return {
      spend: (ms) => {
        one.ms += ms;
        this.#allMs += ms;
      },
      get isOver() {
        return isOver();
      },
      leave: () => {
        one.crawls -= 1;
      },
    };
  }

  #isOver(one: Spender): boolean {
    this.#look();
    if (!this.#isBusy || this.#active < 2) return false;
    // Other work that keeps the loop busy belongs to no owner: an owner that uses a small part of its share of the time
    // does not wait.
    if (one.ms * this.#active < loopShareLimits.shareFrom * this.#countedMs) return false;
    return one.ms * this.#active > loopShareLimits.slack * this.#allMs;
  }

  #look(): void {
    const nowMs = this.#options.nowMs();
    const passedMs = nowMs - this.#lookedAtMs;
    if (passedMs < loopShareLimits.lookMs) return;
    this.#lookedAtMs = nowMs;
    this.#isBusy = this.#options.utilization() >= loopShareLimits.busyFrom;
    const kept = Math.exp(-passedMs / loopShareLimits.rememberedMs);
    this.#countedMs = kept * this.#countedMs + passedMs;
    [this.#allMs, this.#active] = [0, 0];
    for (const [owner, one] of this.#owners) {
      one.ms *= kept;
      if (one.crawls === 0 && one.ms < loopShareLimits.activeMs) this.#owners.delete(owner);
      if (one.ms >= loopShareLimits.activeMs) this.#active += 1;
      this.#allMs += one.ms;
    }
  }
}

function ofThisProcess(): LoopSharesOptions {
  let before = performance.eventLoopUtilization();
  return {
    nowMs: () => performance.now(),
    utilization() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
  };
}
