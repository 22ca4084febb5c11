/**
 * Clients that fetch instead of our fetchers, by HTTP: a lease pool, and the clients' routes to it.
 *
 * The fetcher of this process uses `outside`, the HTTP side `routes`; `open` announces a crawl that is up.
 */
import type { Clock } from '../../runtime/clock.ts';
import type { ClientUrl, Outside, Report } from '../../runtime/leases/outside.ts';
import type { AddTarget } from './add-urls.ts';
import { returned, unheard } from './client-report.ts';
import { LeasePool } from './lease-pool.ts';

export class Lending {
  readonly clock: Clock;
  readonly pool: LeasePool<ClientUrl, Report>;
  #target: AddTarget | undefined;
  #idle: boolean | null = null;
  /** Grows with whatever may give the crawl work. */
  #news = 0;

  constructor(clock: Clock) {
    this.clock = clock;
    this.pool = new LeasePool(clock, unheard, returned);
  }

  /** Returns the `outside` option of a fetcher's configuration. `only`: only clients fetch pages. */
  outside(only: boolean): Outside {
    const { pool } = this;
    return {
      only,
      client: (untilMs: number, signal: AbortSignal) => pool.client(untilMs, signal),
      clientNow: () => pool.clientNow(),
      begin: () => pool.begin(),
      get leasesWanted() {
        return only ? pool.leasesWanted : Number.POSITIVE_INFINITY;
      },
      onWanted: (wanted: () => void) => pool.onWanted(wanted),
      stop: (graceMs: number) => pool.stop(graceMs),
    };
  }

  /** undefined: the crawl is not up. */
  get target(): AddTarget | undefined {
    return this.#target;
  }

  open(target: AddTarget): void {
    this.#target = target;
  }

  close(): void {
    this.#target = undefined;
  }

  /** True if the crawl has no work left; null: unknown here. */
  get idle(): boolean | null {
    return this.#idle;
  }

  /** Call before and after URLs are added: earlier checks of the crawl then no longer count. */
  noteNews(): void {
    this.#news += 1;
    if (this.#idle === true) this.#idle = false;
  }

  /** Call before a check of the crawl. Returns a function that takes the result. */
  look(): (idle: boolean) => void {
    const news = this.#news;
    return (idle) => {
      const before = this.#idle;
      this.#idle = idle && news === this.#news && this.pool.stats().out === 0;
      // Waiting calls return at once.
      if (this.#idle && before !== true) this.pool.asks.end();
    };
  }
}
