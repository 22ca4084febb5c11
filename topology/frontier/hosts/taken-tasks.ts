/**
 * Which leases a fetcher is known to have taken. By this an expired lease that may have killed its fetcher is told from
 * one that no fetcher ever began.
 *
 * A fetcher commits a task's offset before its first request (docs/design.md §4.5), so a lease is taken once its group's position
 * on `tasks` has passed the lease's task. The owner looks, and what it saw is a change like any other. Where nobody looks
 * (fetchers in this process, leases of releases that did not look) every lease counts as taken.
 */
export class TakenTasks {
  /** The fetchers' group's position on `tasks` that was last seen; -1: it is not watched. */
  position = -1;
  /** Leases with lower numbers were granted while nobody looked. */
  from = 0;
  /** The taken ones among the leases that are out. */
  readonly #ids = new Set<number>();

  has(leaseId: number): boolean {
    return this.position < 0 || leaseId < this.from || this.#ids.has(leaseId);
  }

  /** `isOut`: of a lease that this state knows to be out. */
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
