/**
 * How long URLs wait from being found until a fetcher first has them, measured on one in 64, by fingerprint: what
 * politeness, order and budgets make of a crawl's freshness.
 *
 * Kept in memory alone: a URL that was admitted before this process had its partition is not timed. URLs that wait for
 * ever push nothing out but each other.
 */
import type { Task } from '../../../schemas/types.ts';
import type { TimedUrl } from '../../../topology/frontier/decide/decision.ts';
import type { Distribution } from '../../runtime/metrics/distribution.ts';
import { frontierServiceLimits } from '../service-limits.ts';

export class DiscoveryWaits {
  readonly #seconds: Pick<Distribution, 'observe'>;
  /** By URL, since when; the oldest entry is dropped first. */
  readonly #since = new Map<string, number>();

  constructor(seconds: Pick<Distribution, 'observe'>) {
    this.#seconds = seconds;
  }

  /** A commit that admitted them is durable. */
  admitted(urls: readonly TimedUrl[]): void {
    for (const { url, foundAtMs } of urls) {
      this.#since.set(url, foundAtMs);
      if (this.#since.size > frontierServiceLimits.waitsTimed) this.#since.delete(this.#since.keys().next().value!);
    }
  }

  /** Its task is published. */
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
