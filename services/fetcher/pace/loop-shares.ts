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
  /** The part of it for crawls, without calls. */
  crawlMs: number;
  /** Requests of recent time. */
  requests: number;
  /** Requests under way: their cost is not counted yet. */
  readonly under: Set<Request>;
  /** Sum of their parts. */
  pending: number;
  /** At `paidAtMs`; negative: credit. */
  debtMs: number;
  paidAtMs: number;
  crawls: number;
  usedMs: number;
  heldMs: number;
}

interface Request {
  /** In time that the loop had to spare: a request that waits for the loop does not grow older. */
  readonly beganAtMs: number;
  /** Part of its cost that counts as pending: less, the older it is. */
  part: number;
}

const unused = { ms: 0, crawlMs: 0, requests: 0, pending: 0, debtMs: 0, crawls: 0, usedMs: 0, heldMs: 0 };

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
  /** Time in which the loop did not work, ms. */
  #spareMs = 0;
  /** Share of the time that an owner may use. */
  #level = 1;

  constructor(options: LoopSharesOptions = ofThisProcess()) {
    this.#options = options;
    this.#lookedAtMs = options.nowMs();
  }

  /** For a crawl of an owner, or its calls, until it leaves. */
  join(owner: string, of: 'crawl' | 'calls' = 'crawl'): LoopShare {
    const one: Spender = this.#owners.get(owner) ?? { ...unused, under: new Set(), paidAtMs: this.#lookedAtMs };
    this.#owners.set(owner, one);
    one.crawls += 1;
    const isOver = () => {
      this.#look();
      return this.#isOver(one);
    };
    return {
      spend: (ms) => {
        one.ms += ms;
        if (of === 'crawl') one.crawlMs += ms;
        one.usedMs += ms;
        one.debtMs += ms;
        this.#allMs += ms;
      },
      begin: () => {
        const request = { beganAtMs: this.#spareMs, part: 1 };
        one.requests += 1;
        one.under.add(request);
        one.pending += 1;
        return () => {
          if (one.under.delete(request)) one.pending -= request.part;
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

  /** False: no owner is above its share now, because the loop has time to spare, or a single owner uses it. */
  get isShared(): boolean {
    this.#look();
    return this.#active >= 2 && this.#level < 1;
  }

  /** Adds to the use of an owner that need not have a crawl, ms. */
  spend(owner: string, ms: number): void {
    const share = this.join(owner, 'calls');
    share.spend(ms);
    share.leave();
  }

  /** The owners that use the loop or did so lately. */
  byOwner(): OwnerUse[] {
    return [...this.#owners].map(([owner, { usedMs, heldMs }]) => ({ owner, usedMs, heldMs }));
  }

  #isOver(one: Spender): boolean {
    if (this.#active < 2 || this.#level === 1) return false;
    const { requestMs, slack } = loopShareLimits;
    this.#pay(one, this.#options.nowMs());
    // Without those under way, all requests of an owner would start at once when its debt is paid.
    const pendingMs = one.pending * Math.max(requestMs, one.crawlMs / Math.max(1, one.requests));
    // Where all use as much, nobody gains if they wait.
    return one.debtMs + pendingMs > 0 && one.ms + pendingMs > slack * this.#leastMs;
  }

  #age(one: Spender): void {
    one.pending = 0;
    for (const request of one.under) {
      request.part = Math.min(1, loopShareLimits.requestAgeMs / Math.max(1, this.#spareMs - request.beganAtMs));
      one.pending += request.part;
    }
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
    this.#spareMs += Math.max(0, 1 - worked) * passedMs;
    const kept = Math.exp(-passedMs / loopShareLimits.rememberedMs);
    this.#countedMs = kept * this.#countedMs + passedMs;
    this.#busyMs = kept * this.#busyMs + worked * passedMs;
    [this.#allMs, this.#active, this.#leastMs] = [0, 0, Number.POSITIVE_INFINITY];
    let mostMs = 0;
    for (const [owner, one] of this.#owners) {
      this.#pay(one, nowMs);
      this.#age(one);
      one.ms *= kept;
      one.crawlMs *= kept;
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
