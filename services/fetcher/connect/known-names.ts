/**
 * Names that name servers have answered for, the newest of each registrable domain. Looked up again, they show whether
 * the name servers answer at all: a name without an answer may be its own domain's fault.
 */
import { networkLimits } from '../../../topology/fetch/network-limits.ts';
import { partitionKeyOf } from '../../../topology/url/host-key.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { DnsLookup } from './dns-lookup.ts';

export class KnownNames {
  readonly #clock: Clock;
  readonly #lookup: DnsLookup;
  /** By domain, the newest last. */
  readonly #names = new Map<string, string>();
  #asked: { readonly atMs: number; readonly isAnswered: Promise<boolean> } | undefined;

  constructor(clock: Clock, lookup: DnsLookup) {
    this.#clock = clock;
    this.#lookup = lookup;
  }

  answered(hostname: string): void {
    const domain = partitionKeyOf(hostname, 'domain');
    this.#names.delete(domain);
    this.#names.set(domain, hostname);
    // One more than are asked: the name in question may be among them.
    if (this.#names.size > networkLimits.askedAtOnce + 1) this.#names.delete(this.#names.keys().next().value!);
  }

  /**
   * True if the name servers answer for another name now. Null: too few are known. The names are looked up
   * every few seconds at most.
   */
  async answerOthers(hostname: string): Promise<boolean | null> {
    const own = partitionKeyOf(hostname, 'domain');
    const others = [...this.#names].filter(([domain]) => domain !== own).map(([, name]) => name);
    if (others.length < networkLimits.silentTargetsLeast - 1) return null;
    const nowMs = this.#clock.nowMs();
    if (this.#asked === undefined || nowMs >= this.#asked.atMs + networkLimits.againMs)
      this.#asked = { atMs: nowMs, isAnswered: this.#ask(others.slice(-networkLimits.askedAtOnce)) };
    return this.#asked.isAnswered;
  }

  #ask(names: readonly string[]): Promise<boolean> {
    return Promise.any(names.map((name) => this.#lookup(name))).then(
      () => true,
      () => false,
    );
  }
}
