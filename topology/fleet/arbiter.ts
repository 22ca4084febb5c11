/**
 * Decides which crawl of a fleet may contact which host next. All crawls share one clock for each host, and one number
 * of requests in flight. It is divided equally among owners, and what an owner gets, among its crawls by weight.
 *
 * Invariants:
 * - A host has at most one permit, and it starts no earlier than host-times.ts allows.
 * - At most `requestsMax` permits are out. A permit is a host and a place among these requests, so a crawl that waits
 *   for a place keeps no host from others.
 * - Among the owners with a ready host, a permit goes to the least served one, and to its crawl with the least service
 *   for its weight. Every
 *   `turnsOfShares` permits of a host, it goes to the crawl that has waited longest there, so that none waits for ever.
 * - An owner that causes trouble at a host lets others go first there (host-trouble.ts).
 *
 * Pure: time is an argument, ms, and never goes back.
 */
import { EventQueue } from './event-queue.ts';
import { fleetLimits } from './fleet-limits.ts';
import {
  type Contact,
  canBeForgotten,
  type Gap,
  type HostTimes,
  learnContact,
  newHostTimes,
  readyAtMs,
} from './host-times.ts';
import { HostTrouble } from './host-trouble.ts';
import { OwnerShare, type Share } from './share.ts';

export interface Want extends Gap {
  readonly crawl: string;
  readonly hostKey: string;
  /** Later is too late, ms. */
  readonly latestStartMs: number;
  /** Its lease has made a request before. */
  readonly isBegun?: boolean;
}

/** A want on its way: it waits, has its permit, or is over. */
export interface Ask extends Want {
  state: 'waits' | 'granted' | 'over';
  /** Time when its host became ready for it, ms. */
  readyAtMs: number;
  startedAtMs: number;
}

export interface ArbiterOptions {
  /** Permits out at once. */
  readonly requestsMax: number;
  /** Least time between contacts of a host, ms. */
  readonly hostDelayMs: number;
  /** Latest time at which another process may have contacted a host without known facts, ms; −Infinity: never. */
  readonly contactedAtMs: number;
  /**
   * True while the crawl gets no permits, because this process does too much work for it. Its requests keep waiting.
   * Absent: always false.
   */
  readonly isBarred?: (crawl: string) => boolean;
  /** False if `isBarred` is false for every crawl now. Absent: each is asked. */
  readonly barsAny?: () => boolean;
  /** Called with each permit as it is given, before `isBarred` is asked again. */
  readonly onGranted?: (ask: Ask) => void;
}

/** Facts that a restart must preserve, ms. */
export interface HostFact {
  readonly heldUntilMs: number;
  readonly crawlDelayMs: number;
}

interface Host {
  readonly times: HostTimes;
  /** Requests in the order of their arrival. */
  readonly waiting: Set<Ask>;
  readonly trouble: HostTrouble;
  isBusy: boolean;
  /** Permits given. */
  turns: number;
  /** Time of the next check, ms; Infinity: none. */
  armedAtMs: number;
}

interface Member {
  readonly ofOwner: OwnerShare<Ask>;
  readonly share: Share<Ask>;
  /** The one to blame for trouble at a host: its owner with all of the owner's crawls, or a crawl without an owner. */
  readonly blamed: string;
}

export interface Decided {
  readonly granted: readonly Ask[];
  /** Requests that could not start in time. */
  readonly late: readonly Ask[];
}

export interface Released {
  /** Waiting requests, which get no permit. */
  readonly waiting: readonly Ask[];
  /** Hosts with open permits. */
  readonly out: readonly string[];
}

export class FleetArbiter {
  readonly #options: ArbiterOptions;
  readonly #members = new Map<string, Member>();
  readonly #owners = new Map<string, OwnerShare<Ask>>();
  /** Members by their permits that are out. */
  readonly #granted = new Map<Ask, Member>();
  readonly #hosts = new Map<string, Host>();
  readonly #events = new EventQueue();
  #inFlight = 0;
  /** Smoothed duration of a request, ms. */
  #requestMs = 0;
  /** Service of the least served active owner, ms. It never decreases. */
  #leastMs = 0;
  #nowMs = Number.NEGATIVE_INFINITY;
  #sweepAt: number = fleetLimits.sweepAtLeast;
  #late: Ask[] = [];
  /** Crawls that could have started a request at the last step, but for `isBarred`. */
  #barred = new Set<string>();

  constructor(options: ArbiterOptions) {
    this.#options = options;
  }

  setWeight(crawl: string, weight: number): void {
    const member = this.#members.get(crawl);
    if (member !== undefined) member.share.weight = weight;
  }

  join(crawl: string, weight: number, owner = ''): void {
    const ofOwner = this.#owners.get(owner) ?? new OwnerShare<Ask>();
    this.#owners.set(owner, ofOwner);
    const blamed = owner === '' ? `crawl ${crawl}` : `owner ${owner}`;
    this.#members.set(crawl, { ofOwner, share: ofOwner.join(crawl, weight), blamed });
  }

  /** Its permits have ended, and its wants were withdrawn. */
  leave(crawl: string): void {
    const member = this.#members.get(crawl);
    if (member === undefined) return;
    this.#members.delete(crawl);
    // The service of the owner is remembered: it must not end with a crawl.
    member.ofOwner.leave(crawl);
  }

  /** `step` reports its result. */
  ask(want: Want, nowMs: number): Ask {
    this.#nowMs = nowMs;
    const ask: Ask = { ...want, state: 'waits', readyAtMs: 0, startedAtMs: 0 };
    const host = this.#hostOf(want.hostKey);
    host.waiting.add(ask);
    this.#events.at(want.latestStartMs + 1, () => this.#giveUp(ask));
    this.#look(want.hostKey, host);
    return ask;
  }

  /** Withdraws a waiting request. */
  withdraw(ask: Ask): void {
    if (ask.state === 'waits') this.#drop(ask);
  }

  step(nowMs: number): Decided {
    this.#nowMs = nowMs;
    while (this.#events.nextMs !== undefined && this.#events.nextMs <= nowMs) this.#events.run();
    const granted: Ask[] = [];
    this.#barred = this.#barredNow();
    while (this.#inFlight < this.#options.requestsMax) {
      const ask = this.#next();
      if (ask === undefined) break;
      this.#grant(ask);
      this.#options.onGranted?.(ask);
      this.#barOwnerOf(ask.crawl);
      granted.push(ask);
    }
    const late = this.#late;
    this.#late = [];
    return { granted, late };
  }

  /** Does a request wait for nothing but `isBarred`? */
  get isBarring(): boolean {
    return this.#barred.size > 0;
  }

  /** Time at which `step` may decide something if nothing happens before, ms; undefined: never. */
  get wakeAtMs(): number | undefined {
    return this.#events.nextMs;
  }

  /** Ends a permit. `contact` null: the host was not contacted. Returns the facts to store; null: nothing new. */
  end(ask: Ask, contact: Contact | null, nowMs: number): HostFact | null {
    this.#nowMs = nowMs;
    if (ask.state !== 'granted') throw new Error('the permit has ended already');
    ask.state = 'over';
    this.#inFlight -= 1;
    const member = this.#granted.get(ask)!;
    this.#granted.delete(ask);
    member.ofOwner.end(member.share, ask, nowMs, contact !== null);
    const host = this.#hosts.get(ask.hostKey)!;
    host.isBusy = false;
    const before = factOf(host);
    if (contact !== null) {
      const { throttles } = host.times;
      learnContact(host.times, contact, nowMs);
      host.trouble.ended(member.blamed, host.times.throttles > throttles, nowMs);
      this.#requestMs += (nowMs - ask.startedAtMs + fleetLimits.requestCostMs - this.#requestMs) / 16;
    }
    this.#look(ask.hostKey, host);
    return newFact(before, factOf(host));
  }

  /** Blocks permits of the host until `untilMs`. Returns the facts to store; null: nothing new. */
  hold(hostKey: string, untilMs: number, nowMs: number): HostFact | null {
    this.#nowMs = nowMs;
    return this.#learn(hostKey, (times) => {
      times.heldUntilMs = Math.max(times.heldUntilMs, untilMs);
    });
  }

  /** Takes the Crawl-delay of a host from one crawl, and applies it to all crawls from now on. */
  learnCrawlDelay(hostKey: string, crawlDelayMs: number, nowMs: number): HostFact | null {
    this.#nowMs = nowMs;
    return this.#learn(hostKey, (times) => {
      times.crawlDelayMs = crawlDelayMs;
    });
  }

  /** Restores the facts that an earlier process stored. */
  remember(hostKey: string, { heldUntilMs, crawlDelayMs }: HostFact): void {
    const { times } = this.#hostOf(hostKey);
    times.heldUntilMs = Math.max(times.heldUntilMs, heldUntilMs);
    times.crawlDelayMs = crawlDelayMs;
  }

  /** Takes over hosts from another process, which may have contacted them at any time until `contactedAtMs`. */
  takeOver(isTaken: (hostKey: string) => boolean, contactedAtMs: number): void {
    for (const [hostKey, { times }] of this.#hosts)
      if (isTaken(hostKey)) Object.assign(times, newHostTimes(contactedAtMs), { heldUntilMs: times.heldUntilMs });
  }

  /** Hosts that are another process's from now on: those who wait for them get nothing, and nothing is known of them. */
  release(isGone: (hostKey: string) => boolean): Released {
    const [waiting, out]: [Ask[], string[]] = [[], []];
    for (const [hostKey, host] of this.#hosts) {
      if (!isGone(hostKey)) continue;
      for (const ask of host.waiting) {
        this.#drop(ask);
        waiting.push(ask);
      }
      if (host.isBusy) out.push(hostKey);
      else this.#hosts.delete(hostKey);
    }
    return { waiting, out };
  }

  /**
   * Number of further hosts that the crawl can use. 0 while it has enough ready hosts that wait for a place; a few are
   * enough if they wait long.
   */
  hostsWanted(crawl: string): number {
    const share = this.#members.get(crawl)?.share;
    if (share === undefined) return fleetLimits.readyMax;
    const [first] = share.ready;
    const waitedMs = Math.max(share.waitedMs, first === undefined ? 0 : this.#nowMs - first.readyAtMs);
    const enough = waitedMs > fleetLimits.readyWaitMs ? fleetLimits.readyLeast : fleetLimits.readyMax;
    return Math.max(0, enough - share.ready.size);
  }

  get hosts(): number {
    return this.#hosts.size;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  #hostOf(hostKey: string): Host {
    let host = this.#hosts.get(hostKey);
    if (host === undefined) {
      if (this.#hosts.size >= this.#sweepAt) this.#sweep();
      const times = newHostTimes(this.#options.contactedAtMs);
      host = {
        times,
        waiting: new Set(),
        trouble: new HostTrouble(),
        isBusy: false,
        turns: 0,
        armedAtMs: Number.POSITIVE_INFINITY,
      };
      this.#hosts.set(hostKey, host);
    }
    return host;
  }

  /** Changes the facts of a host. Ready requests may have to wait again. */
  #learn(hostKey: string, learn: (times: HostTimes) => void): HostFact | null {
    const host = this.#hostOf(hostKey);
    const before = factOf(host);
    learn(host.times);
    const fact = newFact(before, factOf(host));
    if (fact === null) return null;
    for (const ask of host.waiting) this.#members.get(ask.crawl)?.share.remove(ask);
    this.#look(hostKey, host);
    return fact;
  }

  #sweep(): void {
    for (const [hostKey, { times, waiting, isBusy }] of this.#hosts) {
      if (isBusy || waiting.size > 0) continue;
      if (canBeForgotten(times, this.#options.hostDelayMs, this.#nowMs)) this.#hosts.delete(hostKey);
    }
    this.#sweepAt = Math.max(fleetLimits.sweepAtLeast, this.#hosts.size * 2);
  }

  /** Marks due requests as ready, and plans a check for the next one. */
  #look(hostKey: string, host: Host): void {
    if (host.isBusy) return;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const ask of host.waiting) {
      const { ofOwner, share, blamed } = this.#members.get(ask.crawl)!;
      if (share.ready.has(ask)) continue;
      const ownMs = host.trouble.heldUntilMs(blamed);
      const atMs = Math.max(ownMs, readyAtMs(host.times, ask, this.#options.hostDelayMs));
      if (atMs <= this.#nowMs) {
        ofOwner.add(share, ask, { nowMs: this.#nowMs, requestMs: this.#requestMs, leastMs: this.#leastMs });
        ask.readyAtMs = this.#nowMs;
      }
      // A request that cannot start in time is given up at once.
      else if (atMs > ask.latestStartMs) this.#giveUp(ask);
      else nextMs = Math.min(nextMs, atMs);
    }
    if (nextMs >= host.armedAtMs) return;
    host.armedAtMs = nextMs;
    this.#events.at(nextMs, () => {
      if (host.armedAtMs !== nextMs) return;
      host.armedAtMs = Number.POSITIVE_INFINITY;
      this.#look(hostKey, host);
    });
  }

  #barredNow(): Set<string> {
    const barred = new Set<string>();
    const { isBarred, barsAny } = this.#options;
    if (isBarred === undefined || (this.#barred.size === 0 && barsAny?.() === false)) return barred;
    for (const [crawl, { ofOwner, share }] of this.#members) {
      if (share.ready.size > 0 && isBarred(crawl)) barred.add(crawl);
      else if (this.#barred.has(crawl)) {
        // A barred crawl does not collect credit meanwhile, nor does its owner.
        ofOwner.unbar(share, this.#nowMs);
        ofOwner.beginAt(this.#leastMs, this.#nowMs);
      }
    }
    return barred;
  }

  /** A permit can be the owner's last for now: none of its crawls gets another in this step. */
  #barOwnerOf(crawl: string): void {
    if (this.#options.isBarred?.(crawl) !== true) return;
    const owner = this.#members.get(crawl)!.ofOwner;
    for (const [name, { ofOwner, share }] of this.#members)
      if (ofOwner === owner && share.ready.size > 0) this.#barred.add(name);
  }

  /** The crawl to serve next; undefined: none can start a request. */
  #nextShare(): Share<Ask> | undefined {
    let next: Share<Ask> | undefined;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const [name, owner] of this.#owners) {
      const share = owner.next(this.#nowMs, this.#barred);
      const servedMs = owner.servedMs(this.#nowMs);
      if (share !== undefined && servedMs < leastMs) [next, leastMs] = [share, servedMs];
      else if (owner.canBeForgotten(this.#nowMs, this.#leastMs)) this.#owners.delete(name);
    }
    if (leastMs < Number.POSITIVE_INFINITY) this.#leastMs = Math.max(this.#leastMs, leastMs);
    return next;
  }

  #next(): Ask | undefined {
    const ask = this.#nextShare()?.next;
    if (ask === undefined) return undefined;
    const { turns, waiting, trouble } = this.#hosts.get(ask.hostKey)!;
    const isTurnOfShares = turns % fleetLimits.turnsOfShares !== fleetLimits.turnsOfShares - 1;
    if (isTurnOfShares && !trouble.waits(this.#members.get(ask.crawl)!.blamed)) return ask;
    let longest: Ask | undefined;
    for (const one of waiting) {
      const { share, blamed } = this.#members.get(one.crawl)!;
      if (!share.ready.has(one) || this.#barred.has(one.crawl)) continue;
      if (!trouble.waits(blamed)) return one;
      longest ??= one;
    }
    return isTurnOfShares ? ask : (longest ?? ask);
  }

  #grant(ask: Ask): void {
    const host = this.#hosts.get(ask.hostKey)!;
    host.waiting.delete(ask);
    for (const one of host.waiting) this.#members.get(one.crawl)!.share.remove(one);
    const member = this.#members.get(ask.crawl)!;
    const { ofOwner, share } = member;
    this.#granted.set(ask, member);
    share.remove(ask);
    share.waitedMs = this.#nowMs - ask.readyAtMs;
    ask.startedAtMs = this.#nowMs;
    ofOwner.begin(share, ask);
    host.isBusy = true;
    host.turns += 1;
    host.trouble.granted(member.blamed);
    this.#inFlight += 1;
    ask.state = 'granted';
  }

  #giveUp(ask: Ask): void {
    if (ask.state !== 'waits') return;
    this.#drop(ask);
    this.#late.push(ask);
  }

  #drop(ask: Ask): void {
    ask.state = 'over';
    this.#hosts.get(ask.hostKey)?.waiting.delete(ask);
    this.#members.get(ask.crawl)?.share.remove(ask);
  }
}

function factOf({ times: { heldUntilMs, crawlDelayMs } }: Host): HostFact {
  return { heldUntilMs, crawlDelayMs };
}

function newFact(before: HostFact, after: HostFact): HostFact | null {
  return before.heldUntilMs === after.heldUntilMs && before.crawlDelayMs === after.crawlDelayMs ? null : after;
}
