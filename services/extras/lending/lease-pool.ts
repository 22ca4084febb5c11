/**
 * Matches fetchers that have a URL to hand out with clients that want one.
 *
 * A fetcher enters the pool when its host may be contacted. It waits for a client with a free place, takes the place,
 * and hands its URL over. The URL returns with the client's report, or when its lease expires. Everything is in memory:
 * after a kill, the frontier leases the URLs again.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../runtime/clock.ts';
import { Asks } from './asks.ts';
import { lendingLimits } from './lending-limits.ts';

/** A fetcher's request for the URLs it hands over. */
export interface GivenUrl {
  readonly hostKey: string;
  /** Latest time at which a client may get the URL, ms. */
  readonly latestStartMs: number;
  /** Latest end of any client's lease of it, ms. */
  readonly deadlineMs: number;
}

/**
 * Makes the fetcher's result of a URL with a silent client. `sinceMs`: time of the handover; 0: it was not handed over.
 */
export type Unheard<Result> = (why: string, sinceMs: number, nowMs: number) => Result;

export interface Lease<Url> {
  readonly token: string;
  readonly url: Url;
  readonly sinceMs: number;
  /** The client is given up then. */
  deadlineMs: number;
}

interface Out<Url, Result> extends Lease<Url> {
  readonly resolve: (result: Result) => void;
}

interface Ready<Url, Result> {
  readonly url: Url;
  readonly resolve: (result: Result) => void;
}

/** `repeated`: already reported. `unknown`: its lease is over, or never existed. */
export type Settled = 'ok' | 'repeated' | 'unknown';

export interface LeaseStats {
  /** URLs that clients wait for now. */
  readonly asked: number;
  /** Hosts that may be contacted, and wait for a client. */
  readonly offered: number;
  /** URLs that clients have. */
  readonly out: number;
  /** Since the start: handed over, reported, and given up. */
  readonly given: number;
  readonly told: number;
  readonly lost: number;
}

export interface PoolClient<Url, Result> {
  hand(url: Url): Promise<Result>;
  pass(): void;
}

export class LeasePool<Url extends GivenUrl, Result> {
  readonly #clock: Clock;
  readonly #unheard: Unheard<Result>;
  readonly #returned: (why: string) => Result;
  readonly asks: Asks<Lease<Url>>;
  /** Fetchers that wait for a client, in the order they came. */
  readonly #offers = new Set<(comes: boolean) => void>();
  /** Handed over, and no call is there to take them. */
  readonly #ready: Ready<Url, Result>[] = [];
  readonly #out = new Map<string, Out<Url, Result>>();
  /** Tokens of reported leases. */
  readonly #ended = new Set<string>();
  #promised = 0;
  #begun = 0;
  #lastAskMs = 0;
  #sweeping = false;
  #stopped = false;
  #given = 0;
  #reported = 0;
  #lost = 0;
  #wanted = () => {};

  constructor(clock: Clock, unheard: Unheard<Result>, returned: (why: string) => Result) {
    this.#clock = clock;
    this.#unheard = unheard;
    this.#returned = returned;
    this.asks = new Asks(clock, () => this.#match());
  }

  // --- what fetchers use

  get leasesWanted(): number {
    const { asked } = this.asks;
    if (asked === 0 || this.#stopped) return 0;
    const most = lendingLimits.hostsAheadFactor * asked + lendingLimits.hostsAheadMin;
    return Math.max(0, most - this.#begun - this.#offers.size);
  }

  /** A fetcher begins to use the lease pool, which may have stopped with the previous one. */
  onWanted(wanted: () => void): void {
    this.#wanted = wanted;
    this.#stopped = false;
  }

  begin(): () => void {
    this.#begun += 1;
    let counts = true;
    return () => {
      if (!counts) return;
      counts = false;
      this.#begun -= 1;
      if (this.leasesWanted > 0) this.#wanted();
    };
  }

  clientNow(): PoolClient<Url, Result> | null {
    if (this.#room <= 0) return null;
    this.#promised += 1;
    let open = true;
    const close = () => {
      if (open) this.#promised -= 1;
      open = false;
    };
    return {
      hand: (url) => {
        close();
        return new Promise((resolve) => {
          this.#ready.push({ url, resolve });
          this.#match();
        });
      },
      pass: () => {
        close();
        this.#match();
      },
    };
  }

  /** null: no client came by `untilMs`, or none has called for a while. */
  async client(untilMs: number, signal: AbortSignal): Promise<PoolClient<Url, Result> | null> {
    for (;;) {
      if (signal.aborted || this.#stopped) return null;
      // Earlier callers go first.
      const client = this.#offers.size === 0 ? this.clientNow() : null;
      if (client !== null) return client;
      const nowMs = this.#clock.nowMs();
      if (nowMs >= untilMs) return null;
      if (!(await this.#offer(Math.min(untilMs, nowMs + lendingLimits.patienceMs), signal))) {
        const isQuiet = this.#clock.nowMs() - this.#lastAskMs >= lendingLimits.patienceMs;
        if (isQuiet || signal.aborted || this.#stopped) return null;
        continue;
      }
      const mine = this.clientNow();
      if (mine !== null) return mine;
    }
  }

  // --- what clients use

  /** Up to `count` URLs, as soon as there is one, or none by `untilMs`. */
  async lease(count: number, leaseMs: number, untilMs: number, gone: AbortSignal): Promise<readonly Lease<Url>[]> {
    if (this.#stopped) return [];
    this.#lastAskMs = this.#clock.nowMs();
    const leases = this.asks.ask(count, leaseMs, untilMs, gone);
    this.#match();
    this.#wanted();
    const given = await leases;
    this.#lastAskMs = this.#clock.nowMs();
    return given;
  }

  /** undefined: it is not out. */
  leased(token: string): Lease<Url> | undefined {
    return this.#out.get(token);
  }

  /**
   * Extends the lease to `leaseMs` from now, at most to the end of the fetcher's lease. undefined: the URL is not
   * leased.
   */
  renew(token: string, leaseMs: number): Lease<Url> | undefined {
    const out = this.#out.get(token);
    if (out !== undefined) out.deadlineMs = Math.min(out.url.deadlineMs, this.#clock.nowMs() + leaseMs);
    return out;
  }

  settle(token: string, result: (lease: Lease<Url>) => Result): Settled {
    const out = this.#out.get(token);
    if (out === undefined) return this.#ended.has(token) ? 'repeated' : 'unknown';
    this.#out.delete(token);
    this.#ended.add(token);
    if (this.#ended.size > lendingLimits.endedMax) this.#ended.delete(this.#ended.values().next().value!);
    this.#reported += 1;
    out.resolve(result(out));
    return 'ok';
  }

  stats(): LeaseStats {
    const { asked } = this.asks;
    const [given, result, lost] = [this.#given, this.#reported, this.#lost];
    return { asked, offered: this.#offers.size, out: this.#out.size, given, told: result, lost };
  }

  /** Stops handing out URLs. Leased URLs may still be reported for `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    this.asks.end();
    for (const decide of [...this.#offers]) decide(false);
    for (const { resolve } of this.#ready.splice(0)) resolve(this.#returned('the crawl stops'));
    const untilMs = this.#clock.nowMs() + graceMs;
    while (this.#out.size > 0 && this.#clock.nowMs() < untilMs)
      await this.#clock.sleepUntil(Math.min(untilMs, this.#clock.nowMs() + lendingLimits.sweepMs));
    for (const { token } of [...this.#out.values()]) this.#giveUp(token, () => this.#returned('the crawl stops'));
  }

  // --- between them

  /** Places of clients that nothing was promised to. */
  get #room(): number {
    return this.asks.asked - this.#promised - this.#ready.length;
  }

  #match(): void {
    const nowMs = this.#clock.nowMs();
    while (this.#ready.length > 0) {
      const isLate = nowMs > this.#ready[0]!.url.latestStartMs;
      if (!isLate && this.asks.calls === 0) break;
      const { url, resolve } = this.#ready.shift()!;
      if (isLate) resolve(this.#returned('no client came for it in time'));
      else this.asks.give((leaseMs) => this.#hand(url, resolve, leaseMs, nowMs));
    }
    let room = this.#room;
    for (const decide of this.#offers) {
      if (room-- <= 0) break;
      decide(true);
    }
    if (this.#ready.length > 0) this.#sweep();
  }

  #hand(url: Url, resolve: (result: Result) => void, leaseMs: number, nowMs: number): Lease<Url> {
    const token = randomBytes(12).toString('base64url');
    const out = { token, url, sinceMs: nowMs, deadlineMs: Math.min(url.deadlineMs, nowMs + leaseMs), resolve };
    this.#out.set(token, out);
    this.#given += 1;
    this.#sweep();
    return out;
  }

  /** False: no client came by then. */
  #offer(untilMs: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const over = new AbortController();
      const decide = (comes: boolean) => {
        this.#offers.delete(decide);
        over.abort('decided');
        signal.removeEventListener('abort', abandon);
        resolve(comes);
      };
      const abandon = () => decide(false);
      signal.addEventListener('abort', abandon);
      this.#offers.add(decide);
      void this.#clock.sleepUntil(untilMs, over.signal).then(() => {
        if (!over.signal.aborted) decide(false);
      });
    });
  }

  /** Searches for clients that died, while anything is out. */
  async #sweep(): Promise<void> {
    if (this.#sweeping) return;
    this.#sweeping = true;
    while (this.#out.size + this.#ready.length > 0) {
      await this.#clock.sleepUntil(this.#clock.nowMs() + lendingLimits.sweepMs);
      const nowMs = this.#clock.nowMs();
      for (const { token, deadlineMs, sinceMs } of [...this.#out.values()]) {
        if (deadlineMs > nowMs) continue;
        this.#lost += 1;
        this.#giveUp(token, () =>
          this.#unheard('its client was not heard of for the time of its lease', sinceMs, nowMs),
        );
      }
      if (this.#ready.length > 0) this.#match();
    }
    this.#sweeping = false;
  }

  #giveUp(token: string, result: () => Result): void {
    const out = this.#out.get(token);
    this.#out.delete(token);
    out?.resolve(result());
  }
}
