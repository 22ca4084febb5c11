/**
 * Measures how long URLs wait from their discovery until a fetcher first has them, for one URL in 64, by fingerprint:
 * the effect of politeness, order and budgets on a crawl's freshness.
 *
 * In memory only: URLs admitted before this process owned its partition are not timed. When there are too many, the
 * oldest entries are dropped.
 */
import type { Task } from '../../../schemas/types.ts';
import type { TimedUrl } from '../../../topology/frontier/decide/decision.ts';
import type { Distribution } from '../../runtime/metrics/distribution.ts';
import { frontierServiceLimits } from '../service-limits.ts';

export class DiscoveryWaits {
  readonly #seconds: Pick<Distribution, 'observe'>;
  /** By URL: time of discovery, ms; the oldest entry is dropped first. */
  readonly #since = new Map<string, number>();

  constructor(seconds: Pick<Distribution, 'observe'>) {
    this.#seconds = seconds;
  }

  /** The commit that admitted them is durable. */
  admitted(urls: readonly TimedUrl[]): void {
    for (const { url, foundAtMs } of urls) {
      this.#since.set(url, foundAtMs);
      if (this.#since.size > frontierServiceLimits.waitsTimed) this.#since.delete(this.#since.keys().next().value!);
    }
  }

  /** The task of the URLs is published. */
  granted({ urls, grantedAtMs }: Pick<Task, 'urls' | 'grantedAtMs'>): void {
    if (this.#since.size === 0) return;
    for (const { url } of urls) {
      const sinceMs = this.#since.get(url);
      if (sinceMs === undefined) continue;
      this.#since.delete(url);
      this.#seconds.observe(Math.max(0, grantedAtMs - sinceMs) / 1000);
    }
  }
}
