/**
 * Each owner's fair share of the event loop that a fleet's crawls have in common.
 *
 * What a crawl makes the loop do is put down to its owner: decisions, pages that are read, requests; calls of the API are put down to
 * nobody. Of n owners that use the loop, each may use up to two fifths of an n-th, whatever the others do. While the loop has no time to spare, who uses more than that gets no further request, whatever
 * the number and the weight of its crawls, so that the loop's turns stay short for the others. While there is time to spare nobody waits.
 */
import { performance } from 'node:perf_hooks';
import { loopShareLimits } from './loop-share-limits.ts';

export interface LoopShare {
  /** The loop has worked for the owner, ms. */
  spend(ms: number): void;
  /** It has had more than its share, and others wait for theirs. */
  readonly isOver: boolean;
  leave(): void;
}

export interface LoopSharesOptions {
  nowMs(): number;
  /** The part of the time since it was asked last in which the loop worked. */
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
    // Whatever else keeps the loop busy is no owner's: one that uses a small part of its share of the time waits for nobody.
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
