/**
 * Clients that fetch in the place of our fetchers, by HTTP: a desk, and the routes by which clients come to it.
 *
 * The fetcher of this process uses `outside`, the HTTP side `routes`; a crawl that is up is made known by `open`.
 */
import type { Clock } from '../runtime/clock.ts';
import type { Errand, Outside, Told } from '../runtime/leases/outside.ts';
import type { AddTarget } from './add-urls.ts';
import { Desk } from './desk.ts';
import { returned, unheard } from './told.ts';

export class Lending {
  readonly clock: Clock;
  readonly desk: Desk<Errand, Told>;
  #target: AddTarget | undefined;
  #idle: boolean | null = null;
  /** Grows with whatever may give the crawl work. */
  #news = 0;

  constructor(clock: Clock) {
    this.clock = clock;
    this.desk = new Desk(clock, unheard, returned);
  }

  /** What a fetcher's configuration takes. `only`: clients alone fetch pages. */
  outside(only: boolean): Outside {
    const { desk } = this;
    return {
      only,
      taker: (untilMs: number, signal: AbortSignal) => desk.taker(untilMs, signal),
      takerNow: () => desk.takerNow(),
      begin: () => desk.begin(),
      get leasesWanted() {
        return only ? desk.leasesWanted : Number.POSITIVE_INFINITY;
      },
      onWanted: (wanted: () => void) => desk.onWanted(wanted),
      stop: (graceMs: number) => desk.stop(graceMs),
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

  /** Has the crawl nothing left? null: that is not known here. */
  get idle(): boolean | null {
    return this.#idle;
  }

  /** To be called before and after URLs are added: what was seen before says nothing any more. */
  noteNews(): void {
    this.#news += 1;
    if (this.#idle === true) this.#idle = false;
  }

  /** To be called before a look at the crawl. Returns a function that takes what was seen. */
  look(): (idle: boolean) => void {
    const news = this.#news;
    return (idle) => {
      const before = this.#idle;
      this.#idle = idle && news === this.#news && this.desk.stats().out === 0;
      // Whoever waits for more learns of it at once.
      if (this.#idle && before !== true) this.desk.asks.end();
    };
  }
}
