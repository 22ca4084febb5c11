/** Robots hops that wait for a lease of the host they lead to, by that host's number, oldest first. */
import type { RobotsHop } from '../../../schemas/types.ts';

export class RobotsHopQueue {
  readonly #byHost = new Map<number, readonly RobotsHop[]>();

  /** Hosts with one or more. */
  get size(): number {
    return this.#byHost.size;
  }

  of(host: number): readonly RobotsHop[] {
    return this.#byHost.get(host) ?? none;
  }

  hosts(): IterableIterator<number> {
    return this.#byHost.keys();
  }

  add(host: number, hop: RobotsHop): void {
    this.#byHost.set(host, [...this.of(host), hop]);
  }

  dropFirst(host: number): void {
    this.put(host, this.of(host).slice(1));
  }

  put(host: number, hops: readonly RobotsHop[]): void {
    if (hops.length > 0) this.#byHost.set(host, hops);
    else this.#byHost.delete(host);
  }
}

const none: readonly RobotsHop[] = [];
