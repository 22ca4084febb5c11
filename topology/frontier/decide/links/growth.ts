/**
 * Queued URLs that may have come to deserve a better front queue since they were admitted: how many, by host number.
 *
 * Which they are is not kept: once a host has enough of them, all it has queued is read and scored again
 * (score-again.ts), so that memory goes by hosts, and each one that grows pays for a bounded piece of a queue.
 *
 * This is memory of the owner and not part of the state: it begins empty with each owner, and only what the owner
 * decides is in the changelog. A URL that a crash makes it forget grows again, or waits in the front queue it has.
 */
import { frontierLimits } from '../../frontier-limits.ts';
import type { FrontierState, Host } from '../../state/state.ts';

export class Growth {
  readonly #grown = new Map<number, number>();

  note(host: Host, by = 1): void {
    const { id } = host;
    const before = this.#grown.get(id);
    // Beyond so many hosts, growth is ignored: their URLs wait in the front queues they have.
    if (before === undefined && this.#grown.size >= frontierLimits.growingHostsMax) return;
    this.#grown.set(id, (before ?? 0) + by);
  }

  /** Hosts with queues worth reading now, and how much of each; their counts start over. */
  take(state: FrontierState): { readonly host: Host; readonly count: number }[] {
    const due: { host: Host; count: number }[] = [];
    let left: number = frontierLimits.growthUrlsPerStep;
    for (const [id, grown] of this.#grown) {
      if (left <= 0) break;
      const host = state.hosts.at(id);
      const count = Math.min(host.queue.size, frontierLimits.growthUrlsPerStep);
      if (grown * frontierLimits.growthUrlsEach < count) continue;
      this.#grown.delete(id);
      left -= count;
      if (count > 0 && !state.abandoning.has(id)) due.push({ host, count });
    }
    return due;
  }
}
