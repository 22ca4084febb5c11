/** Copies of robots.txt by origin, bounded by number and by bytes: the least recently used goes first. */
import type { RobotsRules } from '../../../topology/robots/rules.ts';
import { needsRefetch } from '../../../topology/robots/verdict.ts';
import type { RobotsUsage } from '../../../topology/usage/robots-usage.ts';
import type { Clock } from '../../runtime/clock.ts';
import { fetcherLimits } from '../fetcher-limits.ts';

export interface Robots {
  readonly status: 'rules' | 'allowAll' | 'unreachable';
  readonly rules: RobotsRules;
  /** Its usage statements. */
  readonly usage: RobotsUsage;
  /** Product token of these rules. */
  readonly token: string;
  /** SHA-256 of the body, first 16 bytes, hexadecimal. Empty: there is none. */
  readonly hash: string;
  /** ms since the Unix epoch. */
  readonly fetchedAtMs: number;
  /** An old copy, used because a newer one cannot be fetched. */
  readonly stale: boolean;
  /**
   * Stale, and the answer to the newer request asked for fewer requests (429, 503, Retry-After). Absent: it was
   * not, or no request was made now.
   */
  readonly throttled?: true;
  /** unreachable or throttled: the reason in words. */
  readonly detail: string;
  /** unreachable: no answer at all, as from a port without a service for this scheme. */
  readonly silent: boolean;
  /** unreachable: the address guard refused the host itself, so no retry helps. */
  readonly blockedAddress: boolean;
  /** unreachable or throttled: the wait in Retry-After, ms. 0: none. */
  readonly retryAfterMs: number;
}

export interface KeptCopy {
  readonly robots: Robots;
  readonly bytes: number;
  /** A stale copy is used without asking until then, ms since the Unix epoch. */
  readonly staleUntilMs: number;
}

export class RobotsCopies {
  readonly #clock: Clock;
  /** In order of last use. */
  readonly #copies = new Map<string, KeptCopy>();
  /**
   * Origins with a copy that was not reported as an answer yet: it came with a robots hop, or with another origin's
   * chain.
   */
  readonly #unreported = new Set<string>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#copies.size;
  }

  /** Also one that is too old to be used. */
  last(origin: string): KeptCopy | undefined {
    return this.#copies.get(origin);
  }

  /** A copy that may be used without a request. */
  usable(origin: string): KeptCopy | undefined {
    const copy = this.#copies.get(origin);
    if (copy === undefined) return undefined;
    const nowMs = this.#clock.nowMs();
    if (needsRefetch(nowMs - copy.robots.fetchedAtMs) && nowMs >= copy.staleUntilMs) return undefined;
    this.#copies.delete(origin);
    this.#copies.set(origin, copy);
    return copy;
  }

  keep(origin: string, copy: KeptCopy): void {
    this.#forget(origin);
    this.#copies.set(origin, copy);
    this.#unreported.add(origin);
    this.#bytes += copy.bytes;
    const { robotsEntriesMax, robotsEntriesBytesMax } = fetcherLimits;
    while (this.#copies.size > robotsEntriesMax || (this.#bytes > robotsEntriesBytesMax && this.#copies.size > 1))
      this.#forget(this.#copies.keys().next().value!);
  }

  /** Marks the copy as reported; false: it was already. */
  report(origin: string): boolean {
    return this.#unreported.delete(origin);
  }

  #forget(origin: string): void {
    this.#bytes -= this.#copies.get(origin)?.bytes ?? 0;
    this.#copies.delete(origin);
    this.#unreported.delete(origin);
  }
}
