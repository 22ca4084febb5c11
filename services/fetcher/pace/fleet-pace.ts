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
  readonly loop?: Pick<LoopShares, 'join'>;
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
  const { clock, requestsMax, onFact, owns } = options;
  const loops = new Map<string, LoopShare>();
  const jumpedMs = () => clock.jumpedMs ?? 0;
  const steadyMs = () => clock.nowMs() - jumpedMs();
  let contactedAtMs = options.isResumed ? steadyMs() : Number.NEGATIVE_INFINITY;
  const arbiter = new FleetArbiter({
    requestsMax,
    get hostDelayMs() {
      return options.hostDelayMs;
    },
    get contactedAtMs() {
      return contactedAtMs;
    },
    isBarred: (crawl) => loops.get(crawl)?.isOver === true,
  });
  const remember = (facts: FleetPaceOptions['facts']) => {
    for (const [hostKey, { heldUntilMs, crawlDelayMs }] of facts ?? []) {
      arbiter.remember(hostKey, { heldUntilMs: heldUntilMs - jumpedMs(), crawlDelayMs });
    }
  };
  remember(options.facts);
  /** Crawls that want no more leases, each with its callback for when it does. */
  const sated = new Map<string, () => void>();
  const waiting = new Map<Ask, (granted: boolean) => void>();
  /** Hosts that went to another process while their permits were out: these are void, even if the hosts come back meanwhile. */
  const voided = new Set<string>();
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  let armedAtMs = Number.POSITIVE_INFINITY;

  const settle = (ask: Ask, granted: boolean) => {
    waiting.get(ask)?.(granted);
    waiting.delete(ask);
  };

  const decide = () => {
    if (!mayContact()) return lookAgain(barredLookMs);
    const { granted, late } = arbiter.step(steadyMs());
    for (const ask of granted) settle(ask, true);
    for (const ask of late) settle(ask, false);
    // Crawls want further leases only after a ready request was granted or given up.
    for (const [crawl, report] of granted.length + late.length > 0 ? sated : []) {
      if (arbiter.hostsWanted(crawl) === 0) continue;
      sated.delete(crawl);
      report();
    }
    if (arbiter.isBarring) lookAgain(loopShareLimits.againMs);
    const atMs = arbiter.wakeAtMs;
    if (atMs === undefined || atMs >= armedAtMs || closing.signal.aborted) return;
    armedAtMs = atMs;
    void clock.sleepUntil(atMs + jumpedMs(), closing.signal).then(() => {
      // One that was armed for an earlier time since then has looked.
      if (armedAtMs !== atMs || closing.signal.aborted) return;
      armedAtMs = Number.POSITIVE_INFINITY;
      decide();
    });
  };

  const mayContact = () => options.mayContact?.() !== false;
  let isLooking = false;
  const lookAgain = (afterMs: number) => {
    if (isLooking || closing.signal.aborted) return;
    isLooking = true;
    void clock.sleepUntil(clock.nowMs() + afterMs, closing.signal).then(() => {
      isLooking = false;
      if (!closing.signal.aborted) decide();
    });
  };

  const report = (hostKey: string, fact: HostFact | null) => {
    if (fact !== null) onFact?.(hostKey, { ...fact, heldUntilMs: fact.heldUntilMs + jumpedMs() });
  };

  const end = (ask: Ask, contact: Contact | null) => {
    voided.delete(ask.hostKey);
    report(ask.hostKey, arbiter.end(ask, contact, steadyMs()));
    decide();
  };

  /** `leftMs`: until it is too late. */
  const acquire = async (
    crawl: string,
    hostKey: string,
    gap: Asked & { readonly delayMs: number },
    leftMs: number,
    signal: AbortSignal,
  ): Promise<Ask | null> => {
    if (signal.aborted || owns?.(hostKey) === false) return null;
    const nowMs = steadyMs();
    const ask = arbiter.ask({ crawl, hostKey, ...gap, latestStartMs: nowMs + leftMs }, nowMs);
    const decided = new Promise<boolean>((resolve) => waiting.set(ask, resolve));
    const giveUp = () => {
      arbiter.withdraw(ask);
      settle(ask, false);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    decide();
    const granted = await decided;
    signal.removeEventListener('abort', giveUp);
    return granted ? ask : null;
  };

  return {
    join(crawl, weight, owner = '') {
      arbiter.join(crawl, weight, owner);
      const loop = options.loop?.join(owner) ?? unshared;
      loops.set(crawl, loop);
      let announceWanted = () => {};
      return {
        loop,
        mayContact: (hostKey) => mayContact() && owns?.(hostKey) !== false && !voided.has(hostKey),
        get leasesWanted() {
          const wanted = arbiter.hostsWanted(crawl);
          if (wanted === 0) sated.set(crawl, () => announceWanted());
          return wanted;
        },
        onWanted(report) {
          announceWanted = report;
        },
        sharePace: (own, crawlClock, signal) => ({
          waitMs: own.waitMs,
          hold(hostKey, untilMs) {
            own.hold(hostKey, untilMs);
            const nowMs = steadyMs();
            report(hostKey, arbiter.hold(hostKey, nowMs + untilMs - crawlClock.nowMs(), nowMs));
            decide();
          },
          get size() {
            return own.size;
          },
          async acquire(hostKey, delayMs, latestStartMs, alone, asked = nothingMore) {
            // Its own wait may be long: the others are to know before.
            if (asked.crawlDelayMs > 0)
              report(hostKey, arbiter.learnCrawlDelay(hostKey, asked.crawlDelayMs, steadyMs()));
            const permit = await own.acquire(hostKey, delayMs, latestStartMs, alone, asked);
            if (permit === null) return null;
            const leftMs = latestStartMs - crawlClock.nowMs();
            const ask = await acquire(crawl, hostKey, { ...asked, delayMs }, leftMs, signal);
            if (ask === null) permit.release(0, 0);
            if (ask === null) return null;
            const over = (contact: Contact | null) => {
              if (contact !== null) loop.spend(loopShareLimits.requestMs);
              end(ask, contact);
            };
            return both(permit, over, asked);
          },
        }),
        leave() {
          sated.delete(crawl);
          arbiter.leave(crawl);
          loop.leave();
          if (loops.get(crawl) === loop) loops.delete(crawl);
        },
      };
    },
    setWeight: (crawl, weight) => arbiter.setWeight(crawl, weight),
    get requestsInFlight() {
      return arbiter.inFlight;
    },
    get hosts() {
      return arbiter.hosts;
    },
    hostsTaken(isTaken, facts) {
      // Hosts that this process had before keep their known times; any host without times counts as contacted now.
      contactedAtMs = steadyMs();
      arbiter.takeOver(isTaken, contactedAtMs);
      remember(facts);
    },
    hostsGone(isGone) {
      const { waiting, out } = arbiter.release(isGone);
      for (const ask of waiting) settle(ask, false);
      for (const hostKey of out) voided.add(hostKey);
    },
    close: () => closing.abort(),
  };
}

/** Interval of the check whether requests may start again, ms. */
const barredLookMs = 100;

const nothingMore: Asked = { delayFactor: 0, crawlDelayMs: 0 };

const unshared: LoopShare = { isOver: false, spend() {}, leave() {} };

/** Combines the crawl's permit and the fleet's. */
function both(permit: Permit, end: (contact: Contact | null) => void, { crawlDelayMs, failing }: Asked): Permit {
  return {
    release(endMs, delayMs, response) {
      permit.release(endMs, delayMs, response);
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
