/**
 * The leases that a fetcher is known to have taken. They distinguish an expired lease that may have killed its
 * fetcher from one that no fetcher ever began.
 *
 * A fetcher commits a task's offset before its first request (docs/design.md §4.5), so a lease is taken once the
 * position of the fetchers' group on `tasks` has passed its task. The owner reads the position, and records it as a
 * change. If it is not read (fetchers in this process, leases of earlier releases), every lease counts as taken.
 */
export class TakenTasks {
  /** Last known position of the fetchers' group on `tasks`; -1: it is not watched. */
  position = -1;
  /** Leases with lower numbers were granted while the position was not watched. */
  from = 0;
  /** Taken leases among the active ones. */
  readonly #ids = new Set<number>();

  has(leaseId: number): boolean {
    return this.position < 0 || leaseId < this.from || this.#ids.has(leaseId);
  }

  /** `isOut`: whether this state has an active lease with the number. */
  see(position: number, leases: readonly number[], nextLeaseId: number, isOut: (id: number) => boolean): void {
    if (this.position < 0) this.from = nextLeaseId;
    this.position = position;
    for (const id of leases) if (isOut(id)) this.#ids.add(id);
  }

  /** A lease is over. */
  forget(leaseId: number): void {
    this.#ids.delete(leaseId);
  }

  /** Ascending. */
  get ids(): readonly number[] {
    return [...this.#ids].sort((a, b) => a - b);
  }

  load(position: number, from: number, ids: readonly number[]): void {
    this.position = position;
    this.from = from;
    for (const id of ids) this.#ids.add(id);
  }

  /** Forgets leases that ended in rows that were ahead of the position. */
  keepOnly(isOut: (id: number) => boolean): void {
    for (const id of this.#ids) if (!isOut(id)) this.#ids.delete(id);
  }
}
