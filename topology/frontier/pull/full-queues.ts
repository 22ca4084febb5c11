/**
 * Ready queues that already have as many URLs on lease as the last client allowed per queue. They are off the host
 * clock until something about them changes, or a client allows more. Otherwise, each get would meet every one of them
 * again.
 *
 * None of this is saved: a new owner has its queues on the clock, and gets move them here again.
 */
export class FullQueues {
  /** Hosts by the number of their URLs on lease. */
  readonly #byOut = new Map<number, Set<number>>();
  readonly #outOf = new Map<number, number>();

  get size(): number {
    return this.#outOf.size;
  }

  add(host: number, out: number): void {
    this.leave(host);
    const hosts = this.#byOut.get(out);
    if (hosts === undefined) this.#byOut.set(out, new Set([host]));
    else hosts.add(host);
    this.#outOf.set(host, out);
  }

  leave(host: number): void {
    const out = this.#outOf.get(host);
    if (out === undefined) return;
    this.#outOf.delete(host);
    const hosts = this.#byOut.get(out)!;
    hosts.delete(host);
    if (hosts.size === 0) this.#byOut.delete(out);
  }

  /** Hosts with fewer URLs out than `most`, ascending. */
  below(most: number): number[] {
    const found: number[] = [];
    for (const [out, hosts] of this.#byOut) if (out < most) found.push(...hosts);
    return found.sort((a, b) => a - b);
  }
}
