/**
 * Hosts of requests that wait for our own network. The fetcher holds their leases, so it may ask them whether the network is back.
 *
 * They take turns by target. A host leaves with the last request for it: from then on another fetcher may contact the host.
 */
import type { Witness } from '../../../topology/fetch/network-evidence.ts';

export interface Waiting {
  readonly witness: Witness;
  /** The request waits no longer than this, ms since the Unix epoch. */
  readonly untilMs: number;
}

export class WaitingHosts {
  /** Waiting requests by target, the last asked target at the end. */
  readonly #targets = new Map<string, Set<Waiting>>();

  add(target: string, one: Waiting): void {
    const all = this.#targets.get(target);
    if (all === undefined) this.#targets.set(target, new Set([one]));
    else all.add(one);
  }

  leave(target: string, one: Waiting): void {
    const all = this.#targets.get(target);
    all?.delete(one);
    if (all?.size === 0) this.#targets.delete(target);
  }

  /** One host of each of the next targets; their next turn comes after that of all others. */
  next(most: number): readonly (readonly [target: string, one: Waiting])[] {
    const turns: (readonly [string, Waiting])[] = [];
    for (const [target, all] of [...this.#targets].slice(0, most)) {
      const one = all.values().next().value!;
      turns.push([target, one]);
      all.delete(one);
      all.add(one);
      this.#targets.delete(target);
      this.#targets.set(target, all);
    }
    return turns;
  }
}
