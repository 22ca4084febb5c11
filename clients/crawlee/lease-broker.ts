/**
 * Exchanges URLs and results with the crawl. No state is stored here: URLs of a dead process are leased again when
 * their leases expire, and added URLs are durable once `add` has resolved. While the crawl is unreachable, calls wait
 * for it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AddedUrl,
  type Answer,
  type LeaseClient,
  type LeasedUrl,
  LeaseError,
  type Refused,
} from '../typescript/lease-client.ts';

/** Results and renewals in one call. */
const batchMax = 500;
/** Characters of URLs and their payloads in one call: a crawl accepts 16 MiB. */
const batchCharsMax = 2_000_000;
const urlsMax = 2_000;
/** Pause between calls to an unreachable crawl. */
const pauseMs = 500;
/** Time for which a call for URLs stays open. */
const waitMs = 20_000;
/** Time after which a crawler no longer wants URLs: an active one asks more often. */
const patienceMs = 2_000;
/** Time after which a leased URL without a request is returned. */
const readyMsMax = 3_000;

/** Statuses of a call that is refused for its content or length. */
const ofItsContent: ReadonlySet<number> = new Set([400, 413, 422]);

/** Times are by `performance.now()`. */
export interface Result extends Answer {
  readonly lease: string;
  readonly startedMs?: number | undefined;
  readonly endedMs?: number | undefined;
}

interface Unsent {
  readonly result: Result;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export class LeaseBroker {
  readonly #client: LeaseClient;
  readonly #warn: (message: string) => void;
  readonly #quietMs: number;
  #ready: { readonly leased: LeasedUrl; readonly sinceMs: number }[] = [];
  /** Leases without a report. */
  readonly #out = new Set<string>();
  #unsent: Unsent[] = [];
  #sending = false;
  #adding = 0;
  /** Increases with each event that may give the crawl work, and makes an earlier `idle` outdated. */
  #news = 0;
  #idle: boolean | null = false;
  #idleNews = -1;
  #asking: Promise<void> | null = null;
  #asked = new AbortController();
  #refused: unknown;
  #lastWantedMs = 0;
  #lastLeaseMs = performance.now();
  readonly #timers: NodeJS.Timeout[];

  /**
   * `quietMs`: if a crawl does not know whether it has work left, time without a URL after which it counts as having
   * none.
   */
  constructor(client: LeaseClient, leaseMs: number, quietMs: number, warn: (message: string) => void) {
    this.#client = client;
    this.#quietMs = quietMs;
    this.#warn = warn;
    this.#timers = [setInterval(() => void this.#renew(), leaseMs / 3), setInterval(() => this.#giveBack(), 500)];
    for (const timer of this.#timers) timer.unref();
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  /** Resolves when there is a URL to request, `ms` have passed, or the crawl has no URL. Throws the crawl's refusal. */
  async want(ms: number): Promise<void> {
    this.#lastWantedMs = performance.now();
    if (this.#refused !== undefined) throw this.#refused;
    if (this.hasReady) return;
    this.#asking ??= this.#lease().finally(() => (this.#asking = null));
    const over = new AbortController();
    await Promise.race([this.#asking, sleep(ms, undefined, { signal: over.signal }).catch(() => {})]);
    over.abort();
    this.#lastWantedMs = performance.now();
    if (this.#refused !== undefined) throw this.#refused;
  }

  /** Returns the next URL to request. */
  take(): LeasedUrl | null {
    return this.#ready.shift()?.leased ?? null;
  }

  /** Resolves once the URLs in the result are durable. */
  report(result: Result): Promise<void> {
    this.#news += 1;
    return new Promise((done, failed) => {
      this.#unsent.push({ result, done, failed });
      void this.#send();
    });
  }

  /** Resolves once they are durable. */
  async add(urls: readonly AddedUrl[]): Promise<readonly Refused[]> {
    const refused: Refused[] = [];
    this.#news += 1;
    this.#adding += 1;
    try {
      let at = 0;
      while (at < urls.length) {
        let [to, chars] = [at, 0];
        while (to < urls.length && to - at < urlsMax && (to === at || chars < batchCharsMax))
          chars += charsOf(urls[to++]!);
        const from = at;
        const answer = await this.#until(() => this.#client.add(urls.slice(from, to)));
        refused.push(...answer.refused.map((one) => ({ ...one, index: one.index + from })));
        at = to;
      }
    } finally {
      this.#adding -= 1;
      this.#news += 1;
    }
    this.#warnOf(refused);
    return refused;
  }

  /** True if no work is left here or in the crawl. */
  get isDone(): boolean {
    if (this.#out.size > 0 || this.#unsent.length > 0 || this.#sending || this.#adding > 0) return false;
    if (this.#idle === null) return performance.now() - this.#lastLeaseMs > this.#quietMs;
    return this.#idle && this.#idleNews === this.#news;
  }

  /** Stops leasing, and returns URLs without a request. */
  async close(): Promise<void> {
    this.#asked.abort();
    const unbegun = this.#ready.splice(0);
    await Promise.all(unbegun.map(({ leased: { lease } }) => this.report({ lease, failure: 'returned' })));
    for (const timer of this.#timers) clearInterval(timer);
  }

  async #lease(): Promise<void> {
    const news = this.#news;
    // A crawler with many requests in progress leases more at once.
    const count = Math.min(256, 1 + ((this.#out.size - this.#ready.length) >> 2));
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    try {
      const { leases, idle } = await this.#until(() => this.#client.lease(count, waitMs, signal), signal);
      const sinceMs = performance.now();
      for (const leased of leases) {
        this.#out.add(leased.lease);
        this.#ready.push({ leased, sinceMs });
      }
      if (leases.length > 0) this.#lastLeaseMs = sinceMs;
      this.#idle = idle;
      this.#idleNews = leases.length > 0 ? -1 : news;
    } catch (error) {
      if (!signal.aborted) this.#refused = error;
    }
  }

  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    while (this.#unsent.length > 0) {
      await this.#deliver(this.#batch());
      this.#news += 1;
    }
    this.#sending = false;
  }

  /** The crawl refuses a call as a whole, so a refused batch is sent again in smaller ones. */
  async #deliver(batch: readonly Unsent[]): Promise<void> {
    try {
      const reported = await this.#until(() => this.#client.tell(batch.map(({ result }) => timed(result))));
      const putAside: Unsent[] = [];
      for (const [at, { refused, state, why = '' }] of reported.entries()) {
        this.#warnOf(refused);
        const { result, done, failed } = batch[at]!;
        if (state === 'invalid') putAside.push({ result: this.#bad(result, why), done, failed });
        else {
          this.#out.delete(result.lease);
          done();
        }
      }
      if (putAside.length > 0) await this.#deliver(putAside);
    } catch (error) {
      if (error instanceof LeaseError && ofItsContent.has(error.status)) {
        const half = batch.length >> 1;
        const [{ result, done, failed }] = batch as [Unsent];
        if (batch.length > 1) {
          await this.#deliver(batch.slice(0, half));
          await this.#deliver(batch.slice(half));
          return;
        }
        if (result.failure !== 'badResponse')
          return this.#deliver([{ result: this.#bad(result, error.message), done, failed }]);
      }
      for (const { result, failed } of batch) {
        this.#out.delete(result.lease);
        failed(error);
      }
    }
  }

  /** The report that replaces a result that the crawl refuses. */
  #bad({ lease, startedMs, endedMs }: Result, why: string): Result {
    this.#warn(`the crawl does not take a result: ${why}`);
    return {
      lease,
      startedMs,
      endedMs,
      failure: 'badResponse',
      detail: `the crawl does not take its answer: ${why}`.slice(0, 1_000),
    };
  }

  #warnOf(refused: readonly Refused[]): void {
    for (const { url, why } of refused) this.#warn(`the crawl does not take ${url}: ${why}`);
  }

  #batch(): Unsent[] {
    let [to, chars] = [0, 0];
    while (to < this.#unsent.length && to < batchMax && (to === 0 || chars < batchCharsMax)) {
      for (const url of this.#unsent[to]!.result.urls ?? []) chars += charsOf(url);
      to += 1;
    }
    return this.#unsent.splice(0, to);
  }

  async #renew(): Promise<void> {
    const tokens = [...this.#out];
    for (let at = 0; at < tokens.length; at += batchMax) {
      // A late report is answered `unknown`, and its URL leased again.
      await this.#client.renew(tokens.slice(at, at + batchMax)).catch(() => {});
    }
  }

  /** A crawler that is busy or has ended leases nothing, so that others get the URLs. */
  #giveBack(): void {
    const nowMs = performance.now();
    if (this.#asking !== null && nowMs - this.#lastWantedMs > patienceMs) this.#asked.abort();
    const stale = this.#ready.filter(({ sinceMs }) => nowMs - sinceMs > readyMsMax);
    if (stale.length === 0) return;
    this.#ready = this.#ready.filter((one) => !stale.includes(one));
    for (const { leased } of stale)
      this.report({ lease: leased.lease, failure: 'returned' }).catch((error: unknown) => this.#warn(`${error}`));
  }

  /** Repeats a call until it succeeds. Throws the crawl's refusal. */
  async #until<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await call();
      } catch (error) {
        if (signal?.aborted === true || (error instanceof LeaseError && error.status < 500)) throw error;
        if (tries === 1) this.#warn(`the crawl cannot be reached, trying again: ${(error as Error).message}`);
        await sleep(pauseMs);
      }
    }
  }
}

/** Converts times to those of the API: how long ago, at the time of the report. */
function timed({ startedMs, endedMs, ...result }: Result): Answer & { readonly lease: string } {
  const nowMs = performance.now();
  return {
    ...result,
    ...(startedMs !== undefined && { startedMsAgo: Math.max(0, Math.round(nowMs - startedMs)) }),
    ...(endedMs !== undefined && { endedMsAgo: Math.max(0, Math.round(nowMs - endedMs)) }),
  };
}

function charsOf({ url, payload = '' }: AddedUrl): number {
  return url.length + payload.length + 100;
}
