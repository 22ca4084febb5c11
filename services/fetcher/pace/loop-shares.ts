/**
 * Shares the event loop fairly among the owners of a fleet's crawls.
 *
 * The loop's work for a crawl counts for its owner: decisions, parsing, requests. So do the owner's API calls. It is a
 * debt, which the owner pays off at the level: a share of the time. In debt, it gets no further request, whatever the
 * number and weight of its crawls. The level falls while the loop is busy, and rises while it has time to spare. So the
 * heaviest owners wait first, and the loop's turns stay short for the others (max-min fairness). A debt is paid off
 * steadily, so owners that waited do not all start again at once.
 *
 * Garbage collection, timers and sockets are counted for nobody, and take more than half of a busy loop. Therefore the
 * lowest level is a share of the time in which the loop really worked: of n owners that use the loop, each may always
 * use two fifths of an n-th.
 */
import { performance } from 'node:perf_hooks';
import { loopShareLimits } from './loop-share-limits.ts';

export interface LoopShare {
  /** Adds to the owner's use of the loop, ms. */
  spend(ms: number): void;
  /** Counts a request of the owner as under way, at its usual cost, until the returned function is called. */
  begin(): () => void;
  /** True if the owner is above its share while others wait for theirs. */
  readonly isOver: boolean;
  leave(): void;
}

export interface LoopSharesOptions {
  nowMs(): number;
  /** Share of the time in which the loop worked, since the last call. */
  utilization(): number;
}

/** Use of the loop since the owner came, ms. */
export interface OwnerUse {
  readonly owner: string;
  /** Counted for it. */
  readonly usedMs: number;
  /** Time in which it was above its share. */
  readonly heldMs: number;
}

interface Spender {
  /** Of recent time; older use counts less. */
  ms: number;
  /** Requests of recent time. */
  requests: number;
  /** Requests under way: their cost is not counted yet. */
  pending: number;
  /** At `paidAtMs`; negative: credit. */
  debtMs: number;
  paidAtMs: number;
  crawls: number;
  usedMs: number;
  heldMs: number;
}

const unused: Spender = { ms: 0, requests: 0, pending: 0, debtMs: 0, paidAtMs: 0, crawls: 0, usedMs: 0, heldMs: 0 };

export class LoopShares {
  readonly #options: LoopSharesOptions;
  readonly #owners = new Map<string, Spender>();
  #lookedAtMs: number;
  #allMs = 0;
  #active = 0;
  /** The least of those who share. */
  #leastMs = 0;
  /** Time that what owners used is counted over, ms: older time counts less, as it does for them. */
  #countedMs = 0;
  /** Part of that time in which the loop worked, ms. */
  #busyMs = 0;
  /** Share of the time that an owner may use. */
  #level = 1;

  constructor(options: LoopSharesOptions = ofThisProcess()) {
    this.#options = options;
    this.#lookedAtMs = options.nowMs();
  }

  /** For a crawl of an owner, until it leaves. */
  join(owner: string): LoopShare {
    const one = this.#owners.get(owner) ?? { ...unused, paidAtMs: this.#lookedAtMs };
    this.#owners.set(owner, one);
    one.crawls += 1;
    const isOver = () => {
      this.#look();
      return this.#isOver(one);
    };
    return {
      spend: (ms) => {
        one.ms += ms;
        one.usedMs += ms;
        one.debtMs += ms;
        this.#allMs += ms;
      },
      begin() {
        one.requests += 1;
        one.pending += 1;
        return () => {
          one.pending -= 1;
        };
      },
      get isOver() {
        return isOver();
      },
      leave: () => {
        one.crawls -= 1;
      },
    };
  }

  /** Adds to the use of an owner that need not have a crawl, ms. */
  spend(owner: string, ms: number): void {
    const share = this.join(owner);
    share.spend(ms);
    share.leave();
  }

  /** The owners that use the loop or did so lately. */
  byOwner(): OwnerUse[] {
    return [...this.#owners].map(([owner, { usedMs, heldMs }]) => ({ owner, usedMs, heldMs }));
  }

  #isOver(one: Spender): boolean {
    if (this.#active < 2) return false;
    const { requestMs, slack } = loopShareLimits;
    this.#pay(one, this.#options.nowMs());
    // Without those under way, all requests of an owner would start at once when its debt is paid.
    const pendingMs = one.pending * Math.max(requestMs, one.ms / Math.max(1, one.requests));
    // Where all use as much, nobody gains if they wait.
    return one.debtMs + pendingMs > 0 && one.ms + pendingMs > slack * this.#leastMs;
  }

  #pay(one: Spender, nowMs: number): void {
    const { creditMs, debtMsMax } = loopShareLimits;
    const left = one.debtMs - this.#level * (nowMs - one.paidAtMs);
    one.debtMs = Math.min(this.#level * debtMsMax, Math.max(-this.#level * creditMs, left));
    one.paidAtMs = nowMs;
  }

  #look(): void {
    const nowMs = this.#options.nowMs();
    const passedMs = nowMs - this.#lookedAtMs;
    if (passedMs < loopShareLimits.lookMs) return;
    this.#lookedAtMs = nowMs;
    const worked = this.#options.utilization();
    const kept = Math.exp(-passedMs / loopShareLimits.rememberedMs);
    this.#countedMs = kept * this.#countedMs + passedMs;
    this.#busyMs = kept * this.#busyMs + worked * passedMs;
    [this.#allMs, this.#active, this.#leastMs] = [0, 0, Number.POSITIVE_INFINITY];
    let mostMs = 0;
    for (const [owner, one] of this.#owners) {
      this.#pay(one, nowMs);
      one.ms *= kept;
      one.requests *= kept;
      if (one.crawls === 0 && one.ms < loopShareLimits.activeMs) this.#owners.delete(owner);
      if (one.ms >= loopShareLimits.activeMs) {
        this.#active += 1;
        this.#leastMs = Math.min(this.#leastMs, one.ms);
      }
      mostMs = Math.max(mostMs, one.ms);
      this.#allMs += one.ms;
    }
    this.#setLevel(worked, mostMs / this.#countedMs);
    for (const one of this.#owners.values()) if (this.#isOver(one)) one.heldMs += passedMs;
  }

  /** `most`: share of the time that the heaviest owner uses. */
  #setLevel(worked: number, most: number): void {
    const { busyFrom, shareFrom, fallMin, riseMax, realMax } = loopShareLimits;
    const change = Math.min(riseMax, Math.max(fallMin, busyFrom / worked));
    if (change >= 1) {
      this.#level = Math.min(1, change * this.#level);
      return;
    }
    const real = Math.min(realMax, Math.max(1, this.#busyMs / this.#allMs));
    const least = shareFrom / (real * Math.max(1, this.#active));
    // A level above the heaviest owner holds nobody.
    this.#level = Math.max(least, change * Math.min(this.#level, most));
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
