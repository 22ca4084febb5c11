/**
 * The fetchers of several crawls in one process, polite together: each keeps its own clock of hosts (pacer.ts), and no
 * request of any starts without a permit of the fleet's arbiter (topology/fleet/arbiter.ts), which knows all of them.
 *
 * A fetcher asks the arbiter once its own clock allows the request, so that the arbiter chooses among requests that could
 * start now. A permit of the fleet is one of the places among its requests in flight, too.
 */
import { setMaxListeners } from 'node:events';
import { type Ask, FleetArbiter, type HostFact } from '../../../topology/fleet/arbiter.ts';
import type { Contact } from '../../../topology/fleet/host-times.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { HttpResponse } from '../http/client.ts';
import { retryAfterMsOf } from '../http/outcomes.ts';
import { loopShareLimits } from './loop-share-limits.ts';
import type { LoopShare, LoopShares } from './loop-shares.ts';
import type { Asked, Pacer, Permit } from './pacer.ts';

export interface FleetPaceOptions {
  /** The fleet's clock. Those of its crawls may differ from it, since each continues from the end of its log. */
  readonly clock: Clock;
  /** Requests in flight, over all crawls. */
  readonly requestsMax: number;
  /** Least time between requests to a host, ms. */
  readonly hostDelayMs: number;
  /** True if an earlier process may have contacted hosts until now. */
  readonly isResumed: boolean;
  /** True if this process has the host. Absent: it has all. */
  readonly owns?: (hostKey: string) => boolean;
  /** False: another process may run the fleet by now, and no request starts. Absent: none ever does. */
  readonly mayContact?: () => boolean;
  /** The facts of that process: ms since the Unix epoch. */
  readonly facts?: Iterable<readonly [hostKey: string, fact: HostFact]>;
  /** Called with each fact that a later process must know: ms since the Unix epoch. */
  readonly onFact?: (hostKey: string, fact: HostFact) => void;
  /** Shares the event loop among owners. Absent: it is not shared. */
  readonly loop?: Pick<LoopShares, 'join'> & Partial<Pick<LoopShares, 'isShared'>>;
}

export interface FleetPace {
  /** Adds a crawl, until it leaves. `weight`: its share, relative to the others. */
  join(crawl: string, weight: number, owner?: string): CrawlPace;
  /** Changes the weight of a crawl. */
  setWeight(crawl: string, weight: number): void;
  readonly requestsInFlight: number;
  readonly hosts: number;
  /** Takes over hosts and their facts: ms since the Unix epoch. Another process may have contacted them until now. */
  hostsTaken(isTaken: (hostKey: string) => boolean, facts: Iterable<readonly [hostKey: string, fact: HostFact]>): void;
  /**
   * Gives up hosts to another process: requests that wait for them get no permit. The caller must end those in progress
   * before.
   */
  hostsGone(isGone: (hostKey: string) => boolean): void;
  close(): void;
}

export interface CrawlPace {
  /** As in FetcherOptions. */
  sharePace(own: Pacer, clock: Clock, signal: AbortSignal): Pacer;
  /** Call just before a request with a permit. False: another process may have the host by now. */
  mayContact(hostKey: string): boolean;
  /** Further leases that can be used. */
  readonly leasesWanted: number;
  /** `report` is called when leases are wanted again. */
  onWanted(report: () => void): void;
  /** Counts the event loop's work for the crawl against its owner's share. */
  readonly loop: Pick<LoopShare, 'spend' | 'isOver'>;
  leave(): void;
}

export function createFleetPace(options: FleetPaceOptions): FleetPace {
  return new SharedPace(options);
}

class SharedPace implements FleetPace {
  readonly #options: FleetPaceOptions;
  readonly #clock: Clock;
  readonly #arbiter: FleetArbiter;
  #contactedAtMs: number;
  readonly #loops = new Map<string, { readonly loop: LoopShare; readonly owner: string }>();
  /** Owners above their share, as of the current decision: it asks for each of their crawls. */
  readonly #over = new Map<string, boolean>();
  /** Crawls that want no more leases, each with its callback for when it does. */
  readonly #sated = new Map<string, () => void>();
  readonly #waiting = new Map<Ask, (granted: boolean) => void>();
  /** Requests with a permit, which count against their owners' shares of the loop until they end. */
  readonly #begun = new Map<Ask, () => void>();
  /**
   * Hosts that went to another process while their permits were out: these are void, even if the hosts come back
   * meanwhile.
   */
  readonly #voided = new Set<string>();
  readonly #closing = new AbortController();
  #armedAtMs = Number.POSITIVE_INFINITY;
  #isLooking = false;

  constructor(options: FleetPaceOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#contactedAtMs = options.isResumed ? this.#steadyMs() : Number.NEGATIVE_INFINITY;
    const contactedAtMs = () => this.#contactedAtMs;
    this.#arbiter = new FleetArbiter({
      requestsMax: options.requestsMax,
      get hostDelayMs() {
        return options.hostDelayMs;
      },
      get contactedAtMs() {
        return contactedAtMs();
      },
      isBarred: (crawl) => this.#isBarred(crawl),
      barsAny: () => options.loop?.isShared !== false,
      onGranted: (ask) => {
        const loop = this.#loops.get(ask.crawl)?.loop;
        if (loop !== undefined) this.#begun.set(ask, loop.begin());
        this.#over.clear();
      },
    });
    this.#remember(options.facts);
    setMaxListeners(0, this.#closing.signal);
  }

  #jumpedMs() {
    return this.#clock.jumpedMs ?? 0;
  }

  #steadyMs() {
    return this.#clock.nowMs() - this.#jumpedMs();
  }

  #remember(facts: FleetPaceOptions['facts']) {
    for (const [hostKey, { heldUntilMs, crawlDelayMs }] of facts ?? []) {
      this.#arbiter.remember(hostKey, { heldUntilMs: heldUntilMs - this.#jumpedMs(), crawlDelayMs });
    }
  }

  #isBarred(crawl: string): boolean {
    const of = this.#loops.get(crawl);
    if (of === undefined) return false;
    const isKnown = this.#over.get(of.owner);
    if (isKnown !== undefined) return isKnown;
    const { isOver } = of.loop;
    this.#over.set(of.owner, isOver);
    return isOver;
  }

  #settle(ask: Ask, granted: boolean) {
    this.#waiting.get(ask)?.(granted);
    this.#waiting.delete(ask);
  }

  #decide() {
    if (!this.#mayContact()) return this.#lookAgain(barredLookMs);
    this.#over.clear();
    const { granted, late } = this.#arbiter.step(this.#steadyMs());
    for (const ask of granted) this.#settle(ask, true);
    for (const ask of late) this.#settle(ask, false);
    // Crawls want further leases only after a ready request was granted or given up.
    for (const [crawl, report] of granted.length + late.length > 0 ? this.#sated : []) {
      if (this.#arbiter.hostsWanted(crawl) === 0) continue;
      this.#sated.delete(crawl);
      report();
    }
    if (this.#arbiter.isBarring) this.#lookAgain(loopShareLimits.againMs);
    const atMs = this.#arbiter.wakeAtMs;
    if (atMs === undefined || atMs >= this.#armedAtMs || this.#closing.signal.aborted) return;
    this.#armedAtMs = atMs;
    void this.#clock.sleepUntil(atMs + this.#jumpedMs(), this.#closing.signal).then(() => {
      // One that was armed for an earlier time since then has looked.
      if (this.#armedAtMs !== atMs || this.#closing.signal.aborted) return;
      this.#armedAtMs = Number.POSITIVE_INFINITY;
      this.#decide();
    });
  }

  #mayContact() {
    return this.#options.mayContact?.() !== false;
  }

  #lookAgain(afterMs: number) {
    if (this.#isLooking || this.#closing.signal.aborted) return;
    this.#isLooking = true;
    void this.#clock.sleepUntil(this.#clock.nowMs() + afterMs, this.#closing.signal).then(() => {
      this.#isLooking = false;
      if (!this.#closing.signal.aborted) this.#decide();
    });
  }

  #report(hostKey: string, fact: HostFact | null) {
    if (fact !== null) this.#options.onFact?.(hostKey, { ...fact, heldUntilMs: fact.heldUntilMs + this.#jumpedMs() });
  }

  #end(ask: Ask, contact: Contact | null) {
    this.#voided.delete(ask.hostKey);
    this.#begun.get(ask)?.();
    this.#begun.delete(ask);
    this.#report(ask.hostKey, this.#arbiter.end(ask, contact, this.#steadyMs()));
    this.#decide();
  }

  /** `leftMs`: until it is too late. */
  async #acquire(
    crawl: string,
    hostKey: string,
    gap: Asked & { readonly delayMs: number },
    leftMs: number,
    signal: AbortSignal,
  ): Promise<Ask | null> {
    if (signal.aborted || this.#options.owns?.(hostKey) === false) return null;
    const nowMs = this.#steadyMs();
    const ask = this.#arbiter.ask({ crawl, hostKey, ...gap, latestStartMs: nowMs + leftMs }, nowMs);
    const decided = new Promise<boolean>((resolve) => this.#waiting.set(ask, resolve));
    const giveUp = () => {
      this.#arbiter.withdraw(ask);
      this.#settle(ask, false);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    this.#decide();
    const granted = await decided;
    signal.removeEventListener('abort', giveUp);
    return granted ? ask : null;
  }

  readonly join: FleetPace['join'] = (crawl, weight, owner = '') => {
    this.#arbiter.join(crawl, weight, owner);
    const loop = this.#options.loop?.join(owner) ?? unshared;
    this.#loops.set(crawl, { loop, owner });
    let announceWanted = () => {};
    const leasesWanted = () => {
      const wanted = this.#arbiter.hostsWanted(crawl);
      if (wanted === 0) this.#sated.set(crawl, () => announceWanted());
      return wanted;
    };
    return {
      loop,
      mayContact: (hostKey) =>
        this.#mayContact() && this.#options.owns?.(hostKey) !== false && !this.#voided.has(hostKey),
      get leasesWanted() {
        return leasesWanted();
      },
      onWanted(report) {
        announceWanted = report;
      },
      sharePace: (own, crawlClock, signal) => this.#sharedPacer(crawl, loop, own, crawlClock, signal),
      leave: () => {
        this.#sated.delete(crawl);
        this.#arbiter.leave(crawl);
        loop.leave();
        if (this.#loops.get(crawl)?.loop === loop) this.#loops.delete(crawl);
      },
    };
  };

  /** The pacer of a crawl: a request waits for a permit of the crawl, then for one of the fleet. */
  #sharedPacer(crawl: string, loop: LoopShare, own: Pacer, crawlClock: Clock, signal: AbortSignal): Pacer {
    return {
      waitMs: own.waitMs,
      hold: (hostKey, untilMs) => {
        own.hold(hostKey, untilMs);
        const nowMs = this.#steadyMs();
        this.#report(hostKey, this.#arbiter.hold(hostKey, nowMs + untilMs - crawlClock.nowMs(), nowMs));
        this.#decide();
      },
      get size() {
        return own.size;
      },
      acquire: async (hostKey, delayMs, latestStartMs, alone, asked = nothingMore) => {
        // Its own wait may be long: the others are to know before.
        if (asked.crawlDelayMs > 0)
          this.#report(hostKey, this.#arbiter.learnCrawlDelay(hostKey, asked.crawlDelayMs, this.#steadyMs()));
        const permit = await own.acquire(hostKey, delayMs, latestStartMs, alone, asked);
        if (permit === null) return null;
        const leftMs = latestStartMs - crawlClock.nowMs();
        const ask = await this.#acquire(crawl, hostKey, { ...asked, delayMs }, leftMs, signal);
        if (ask === null) permit.release(0, 0);
        if (ask === null) return null;
        const over = (contact: Contact | null) => {
          if (contact !== null) loop.spend(loopShareLimits.requestMs);
          this.#end(ask, contact);
        };
        return both(permit, over, asked);
      },
    };
  }

  readonly setWeight: FleetPace['setWeight'] = (crawl, weight) => this.#arbiter.setWeight(crawl, weight);
  get requestsInFlight() {
    return this.#arbiter.inFlight;
  }

  get hosts() {
    return this.#arbiter.hosts;
  }

  readonly hostsTaken: FleetPace['hostsTaken'] = (isTaken, facts) => {
    // Hosts that this process had before keep their known times; any host without times counts as contacted now.
    this.#contactedAtMs = this.#steadyMs();
    this.#arbiter.takeOver(isTaken, this.#contactedAtMs);
    this.#remember(facts);
  };

  readonly hostsGone: FleetPace['hostsGone'] = (isGone) => {
    const { waiting, out } = this.#arbiter.release(isGone);
    for (const ask of waiting) this.#settle(ask, false);
    for (const hostKey of out) this.#voided.add(hostKey);
  };

  readonly close: FleetPace['close'] = () => this.#closing.abort();
}

/** Interval of the check whether requests may start again, ms. */
const barredLookMs = 100;

const nothingMore: Asked = { delayFactor: 0, crawlDelayMs: 0 };

const unshared: LoopShare = { isOver: false, spend() {}, begin: () => () => {}, leave() {} };

/** Combines the crawl's permit and the fleet's. */
function both(permit: Permit, end: (contact: Contact | null) => void, { crawlDelayMs, failing }: Asked): Permit {
  return {
    release(endMs, delayMs, response, keptMs) {
      permit.release(endMs, delayMs, response, keptMs);
      end(endMs > 0 ? { delayMs, crawlDelayMs, ...contactOf(response, failing) } : null);
    },
  };
}

function contactOf(
  response: HttpResponse | undefined,
  failing: Asked['failing'],
): Omit<Contact, 'delayMs' | 'crawlDelayMs'> {
  if (response === undefined) return { tookMs: 0, isAnswered: false, isPressure: false, retryAfterMs: 0 };
  const { failure, status, startMs, endMs } = response;
  const asksForFewer = failure === null && (status === 429 || status === 503);
  const isError = failure === null && status >= 500 && status < 600 && status !== 503;
  const isSlow = failure === null ? status === 408 : failure.kind === 'timeout';
  return {
    tookMs: endMs - startMs,
    isAnswered: failure === null && !isError,
    isPressure: asksForFewer || isSlow,
    retryAfterMs: asksForFewer ? retryAfterMsOf(response) : 0,
    serverError: (isError && failing) || null,
  };
}
