/**
 * When a registrable domain may be contacted again, under a policy with one delay for all hosts of a domain: not
 * while one of them is on a lease, and not before the delay of each is over. All of it follows from the hosts: no
 * change carries it, and it is collected again after a checkpoint is loaded or a policy starts to ask for it.
 *
 * Memory, only while a policy asks: 2 bytes a host, and an entry for each domain that is on a lease or waits.
 */
import { partitionKeyOf } from '../../url/host-key.ts';
import { fitted } from '../storage/columns.ts';
import { ParkedHosts } from './parked-hosts.ts';

/** Domains before the first sweep. */
const sweepAtLeast = 4_096;

export class DomainPace {
  /** Whether the current policy has one delay per domain. */
  on = false;
  readonly parked = new ParkedHosts();
  readonly #domains = new Map<string, { leases: number; readyAtMs: number }>();
  /** Leases of each host that are counted. */
  #leases = new Uint16Array(0);
  #sweepAt = sweepAtLeast;

  /** Call after every change to a host, while this is on. */
  settle(host: { readonly id: number; readonly key: string }, leases: number, readyAtMs: number, nowMs: number): void {
    const { id } = host;
    this.#leases = fitted(this.#leases, id + 1);
    const by = leases - this.#leases[id]!;
    if (by === 0 && readyAtMs <= nowMs) return;
    this.#leases[id] = leases;
    const domain = partitionKeyOf(host.key, 'domain');
    let pace = this.#domains.get(domain);
    if (pace === undefined) {
      this.#sweep(nowMs);
      this.#domains.set(domain, (pace = { leases: 0, readyAtMs: 0 }));
    }
    pace.leases += by;
    pace.readyAtMs = Math.max(pace.readyAtMs, readyAtMs);
    if (by < 0 && pace.leases === 0) this.parked.wake(domain, pace.readyAtMs);
  }

  /** Takes a ready host off the clock until its domain, which waits, has a turn for it. */
  park(host: { readonly id: number; readonly key: string }, queue: number, sinceMs: number): void {
    const domain = partitionKeyOf(host.key, 'domain');
    this.parked.park(domain, host.id, queue, sinceMs);
    this.parked.wake(domain, this.#ofDomain(domain));
  }

  /** Takes the parked host of a front queue that has waited longest, if it has waited longer than another of its domain. */
  takeBefore(hostKey: string, queue: number, other: { readonly id: number; readonly sinceMs: number }) {
    return this.parked.takeBefore(partitionKeyOf(hostKey, 'domain'), queue, other);
  }

  /** Gives the turn of a host that got no lease to the next parked host of its domain. */
  lookNow(hostKey: string, nowMs: number): void {
    this.parked.wake(partitionKeyOf(hostKey, 'domain'), nowMs);
  }

  /**
   * A domain that may be contacted and has parked hosts; it is checked again at `againAtMs` if it still has some
   * then.
   */
  takeReady(nowMs: number, againAtMs: number): string | undefined {
    for (let domain = this.parked.takeDue(nowMs); domain !== undefined; domain = this.parked.takeDue(nowMs)) {
      const readyAtMs = this.#ofDomain(domain);
      this.parked.wake(domain, readyAtMs > nowMs ? readyAtMs : againAtMs);
      if (readyAtMs <= nowMs) return domain;
    }
    return undefined;
  }

  /** When a host's domain may be contacted again, ms; Infinity: only after a lease of it ends. */
  readyAtMs(hostKey: string): number {
    return this.#ofDomain(partitionKeyOf(hostKey, 'domain'));
  }

  #ofDomain(domain: string): number {
    const pace = this.#domains.get(domain);
    if (pace === undefined) return 0;
    return pace.leases > 0 ? Number.POSITIVE_INFINITY : pace.readyAtMs;
  }

  /** Applies a policy. `moves`: hosts may have other delays under it. Returns true if the hosts must be settled. */
  turn(on: boolean, moves: boolean): boolean {
    if (on && this.on && !moves) return false;
    const hadParked = !this.parked.isEmpty;
    this.on = on;
    this.parked.clear();
    this.#domains.clear();
    this.#leases.fill(0);
    return on || hadParked;
  }

  #sweep(nowMs: number): void {
    if (this.#domains.size < this.#sweepAt) return;
    for (const [domain, { leases, readyAtMs }] of this.#domains)
      if (leases === 0 && readyAtMs <= nowMs) this.#domains.delete(domain);
    this.#sweepAt = Math.max(sweepAtLeast, 2 * this.#domains.size);
  }
}
