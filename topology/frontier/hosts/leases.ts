/** The leases that are out: by number and by deadline, and which of them a fetcher is known to have taken. */
import type { Lease } from './lease.ts';
import { LeaseDeadlines } from './lease-deadlines.ts';
import { TakenTasks } from './taken-tasks.ts';

export class Leases {
  /** Number of the next lease to be granted; numbers are never reused. */
  nextId = 1;
  readonly taken = new TakenTasks();
  readonly deadlines = new LeaseDeadlines((id) => this.has(id));
  readonly #byId = new Map<number, Lease>();

  get size(): number {
    return this.#byId.size;
  }

  has(id: number): boolean {
    return this.#byId.has(id);
  }

  get(id: number): Lease | undefined {
    return this.#byId.get(id);
  }

  keys(): IterableIterator<number> {
    return this.#byId.keys();
  }

  values(): IterableIterator<Lease> {
    return this.#byId.values();
  }

  add(lease: Lease): void {
    this.#byId.set(lease.id, lease);
    this.deadlines.add(lease.id, lease.deadlineMs, this.#byId.size);
  }

  /** The delay of a lease is at least `delayMs` from now on. */
  raiseDelay(id: number, delayMs: number): void {
    const lease = this.#byId.get(id)!;
    lease.delayMs = Math.max(lease.delayMs, delayMs);
  }

  end(id: number): void {
    this.#byId.delete(id);
    this.taken.forget(id);
  }

  /** Records what the fetchers' group has taken: its position on `tasks`, and the leases before it. */
  seeTaken(position: number, ids: readonly number[]): void {
    this.taken.see(position, ids, this.nextId, (id) => this.has(id));
  }

  /** After loading: rows that are ahead of the position may have ended leases that the position's row names as taken. */
  loaded(): void {
    this.taken.keepOnly((id) => this.has(id));
  }
}
