/**
 * Number of queued URLs, by host, that may deserve a better front queue than at admission.
 *
 * The URLs themselves are not recorded: once a host has enough of them, its queue is read and scored again
 * (score-again.ts). So memory depends on the number of hosts, and the growth of a host pays for reading a bounded
 * piece of its queue.
 *
 * These counts are memory of the owner and not part of the state: each owner starts without them, and only its
 * decisions are in the changelog. If a crash loses a count, the URL is counted again later, or stays in its front
 * queue.
 */
import { frontierLimits } from '../../frontier-limits.ts';
import type { FrontierState, Host } from '../../state/state.ts';

export class Growth {
  readonly #grown = new Map<number, number>();

  note(host: Host, by = 1): void {
    const { id } = host;
    const before = this.#grown.get(id);
    // Beyond this many hosts, growth is ignored: their URLs stay in their front queues.
    if (before === undefined && this.#grown.size >= frontierLimits.growingHostsMax) return;
    this.#grown.set(id, (before ?? 0) + by);
  }

  /** Hosts with queues worth reading now, and how many URLs to read of each; their counts start over. */
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
