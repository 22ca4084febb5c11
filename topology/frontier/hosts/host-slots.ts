/**
 * Slots: hosts that may have several leases at once.
 *
 * A host has one slot unless its policy or an operator gives it more. A lease takes a slot and holds it to its end.
 * Within each slot, politeness is as for any host: the delay runs from the completion of a request to the start of the
 * slot's next. Leases of one host are granted a delay / slots apart, so that n slots give n times the rate without
 * bursts. Because each lease keeps the delay of its slot, the rule holds wherever the leases run.
 *
 * Requests of a host apply to all its slots: Retry-After, back-off, holds and pauses set the host's `readyAtMs` as
 * for any other host. A host has one slot while it is in trouble, has a Crawl-delay, or its robots.txt is not known
 * yet.
 *
 * Invariant: a host with one slot, and never more, has no entry here and costs nothing.
 */
import { parallelLimits } from '../../policy/limits.ts';
import type { HostFacts } from '../changes/changes.ts';
import type { FactsTable } from './facts-table.ts';

/** Times in ms since the Unix epoch. */
export interface SlotsOfHost {
  /** Number set by an operator; -1: by the policy. */
  readonly own: number;
  /** Number of leases that it may have at once, as of the last grant or event. */
  readonly most: number;
  /** Earliest start of the next lease: a share of the delay after the last one. */
  readonly nextAtMs: number;
  /** When each returned slot may be used again, ascending. Other slots may be used at any time. */
  readonly freeAtMs: readonly number[];
  /** Leases with lower numbers were granted before the host was last found in trouble. */
  readonly troubledFrom: number;
}

const oneSlot: SlotsOfHost = { own: -1, most: 1, nextAtMs: 0, freeAtMs: [], troubledFrom: 0 };

export class HostSlots {
  readonly #hosts = new Map<number, SlotsOfHost>();
  readonly #facts: Pick<FactsTable, 'get'>;

  constructor(facts: Pick<FactsTable, 'get'>) {
    this.#facts = facts;
  }

  get entries(): ReadonlyMap<number, SlotsOfHost> {
    return this.#hosts;
  }

  of(host: number): SlotsOfHost {
    return this.#hosts.get(host) ?? oneSlot;
  }

  /** Keeps the slots only while they differ from those of an ordinary host. */
  put(host: number, hostSlots: SlotsOfHost): void {
    const { own, most, freeAtMs } = hostSlots;
    if (own < 0 && most === 1 && freeAtMs.length === 0) this.#hosts.delete(host);
    else this.#hosts.set(host, hostSlots);
  }

  /** Number of leases that the host may have now. */
  inForce(host: number, facts?: HostFacts): number {
    const hostSlots = this.#hosts.get(host);
    if (hostSlots === undefined || hostSlots.most === 1) return 1;
    const known = facts ?? this.#facts.get(host);
    // If anything was fetched, robots.txt was read before.
    return isTroubled(known) || known.crawlDelayMs > 0 || known.fetchMs === 0 ? 1 : hostSlots.most;
  }

  /** When a host with `out` leases may have one more, without regard to its facts; Infinity: only after one ends. */
  readyAtMs(host: number, out: number): number {
    const hostSlots = this.#hosts.get(host);
    if (hostSlots === undefined) return out === 0 ? 0 : Number.POSITIVE_INFINITY;
    const free = this.inForce(host) - out;
    if (free <= 0) return Number.POSITIVE_INFINITY;
    // The slots returned last count: if the host now has fewer slots than before, only those are left.
    const slotAtMs = hostSlots.freeAtMs[hostSlots.freeAtMs.length - free] ?? 0;
    // This also applies without a lease: a host that was just served must not stay ahead of waiting hosts.
    return Math.max(slotAtMs, hostSlots.nextAtMs);
  }

  /** A lease takes the slot that has been free longest. */
  take(host: number, nowMs: number, delayMs: number): void {
    const hostSlots = this.#hosts.get(host);
    if (hostSlots === undefined) return;
    const { most, freeAtMs } = hostSlots;
    const spacingMs = most > 1 ? Math.ceil(delayMs / most) : 0;
    // Slots with a past ready time need not be remembered.
    this.put(host, { ...hostSlots, nextAtMs: nowMs + spacingMs, freeAtMs: freeAtMs.filter((atMs) => atMs > nowMs) });
  }

  /** The host has another delay. */
  move(host: number, { nextAtMs, freeAtMs }: Pick<SlotsOfHost, 'nextAtMs' | 'freeAtMs'>): void {
    this.put(host, { ...this.of(host), nextAtMs, freeAtMs: freeAtMs.toSorted((a, b) => a - b) });
  }

  /** A host's facts are about to change; leases below `nextLease` are, or were, out. */
  learn(host: number, facts: HostFacts, nextLease: number): void {
    const hostSlots = this.#hosts.get(host);
    if (hostSlots === undefined || !isTroubled(facts) || isTroubled(this.#facts.get(host))) return;
    this.put(host, { ...hostSlots, troubledFrom: nextLease });
  }

  /**
   * Is a lease's report of trouble new? It is not if the lease was already under way in another slot when the trouble
   * was found.
   */
  isNews(host: number, facts: HostFacts, lease: number): boolean {
    const { most, troubledFrom } = this.of(host);
    return most === 1 || !isTroubled(facts) || lease >= troubledFrom;
  }

  /** A lease has ended, and its slot may be used again from `atMs` on. */
  giveBack(host: number, atMs: number): void {
    const hostSlots = this.of(host);
    const freeAtMs = [...hostSlots.freeAtMs, atMs].sort((a, b) => a - b).slice(-parallelLimits.leasesMax);
    this.put(host, { ...hostSlots, freeAtMs });
  }
}

function isTroubled({ failures, throttles }: HostFacts): boolean {
  return failures > 0 || throttles > 0;
}
