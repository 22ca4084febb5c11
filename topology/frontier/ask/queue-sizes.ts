/**
 * How the queued URLs are distributed over hosts and front queues: for metrics, and never part of a decision.
 *
 * Each call reads a slice of the hosts (about half a millisecond), so that nothing waits for it. The result is that
 * of the last complete round over all hosts. A host counts as it was when its slice was read.
 */
import { frontQueueCount } from '../../url/front-queue.ts';
import { frontierLimits } from '../frontier-limits.ts';
import type { Hosts } from '../hosts/host.ts';

export interface QueueSpread {
  /** Hosts with waiting URLs, each once. */
  readonly hosts: number;
  /** Waiting URLs of the host that has most of them. */
  readonly urlsOfOneMax: number;
  readonly byFrontQueue: readonly number[];
}

export class QueueSizes {
  /** Result of the last complete round; undefined: none yet. */
  spread: QueueSpread | undefined;
  #next = 0;
  #lookedAtMs = 0;
  #round = emptyRound();

  /** Goes on by a slice, at most once a second. */
  look(hosts: Hosts, nowMs: number): void {
    if (nowMs - this.#lookedAtMs < 1_000) return;
    this.#lookedAtMs = nowMs;
    const end = Math.min(hosts.size, this.#next + frontierLimits.queueHostsPerLook);
    for (; this.#next < end; this.#next++) this.#add(hosts, this.#next);
    if (end < hosts.size) return;
    this.spread = this.#round;
    this.#round = emptyRound();
    this.#next = 0;
  }

  #add(hosts: Hosts, id: number): void {
    const { queue } = hosts.at(id);
    const size = queue.frontSize;
    if (size === 0) return;
    this.#round.hosts += 1;
    this.#round.urlsOfOneMax = Math.max(this.#round.urlsOfOneMax, size);
    for (const one of queue.frontQueues()) {
      if (one.number < frontQueueCount) this.#round.byFrontQueue[one.number]! += one.size;
    }
  }
}

function emptyRound() {
  return { hosts: 0, urlsOfOneMax: 0, byFrontQueue: Array.from({ length: frontQueueCount }, () => 0) };
}
