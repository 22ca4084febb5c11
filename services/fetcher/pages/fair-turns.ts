/**
 * Decides which waiting document a worker takes next: sites share its time (self-clocked fair queueing, Golestani
 * 1994), so that a host with expensive documents does not make all others wait behind all of them.
 *
 * A site is a registrable domain: names below it cost nothing. Within a site, first come, first served. The cost of a
 * document is unknown in advance: it counts like the site's last one, and for a new site as little.
 */
import { registrableDomain } from '../../../topology/url/registrable-domain.ts';
import { fetcherLimits } from '../fetcher-limits.ts';

interface Site {
  /** Virtual time at which its last document would end, ms. */
  finishMs: number;
  /** Parsing time of its last document, ms. */
  lastMs: number;
  readonly waiting: (() => Promise<void>)[];
}

export class FairTurns {
  /** In order of their last document. */
  readonly #sites = new Map<string, Site>();
  readonly #nowMs: () => number;
  #virtualMs = 0;
  #isBusy = false;
  #working: Promise<void> = Promise.resolve();

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Runs the job when it is its turn. */
  take<Result>(hostname: string, job: () => Promise<Result>): Promise<Result> {
    const name = registrableDomain(hostname) ?? hostname;
    const site = this.#sites.get(name) ?? { finishMs: 0, lastMs: fetcherLimits.newSiteReadMs, waiting: [] };
    this.#sites.delete(name);
    this.#sites.set(name, site);
    return new Promise((resolve, reject) => {
      site.waiting.push(() => job().then(resolve, reject));
      if (!this.#isBusy) this.#working = this.#work();
    });
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    while (this.#isBusy) await this.#working;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (let site = this.#next(); site !== undefined; site = this.#next()) {
      const beginMs = Math.max(this.#virtualMs, site.finishMs);
      this.#virtualMs = beginMs + site.lastMs;
      const startMs = this.#nowMs();
      await site.waiting.shift()!();
      site.lastMs = this.#nowMs() - startMs;
      site.finishMs = beginMs + site.lastMs;
      this.#forget();
    }
    // At once, or what comes before the promise is seen to be settled would wait for ever.
    this.#isBusy = false;
  }

  #next(): Site | undefined {
    let next: Site | undefined;
    for (const site of this.#sites.values())
      if (site.waiting.length > 0 && (next === undefined || this.#finishOf(site) < this.#finishOf(next))) next = site;
    return next;
  }

  #finishOf({ finishMs, lastMs }: Site): number {
    return Math.max(this.#virtualMs, finishMs) + lastMs;
  }

  #forget(): void {
    for (const [name, { waiting }] of this.#sites) {
      if (this.#sites.size <= fetcherLimits.readSitesMax) return;
      if (waiting.length === 0) this.#sites.delete(name);
    }
  }
}
