/**
 * Lets a lease wait for the address of its host before it takes anything else: a permit, a slot, a share of the line.
 * Only a few of a fetcher's leases may wait at once. Further ones return without an attempt while the name is looked
 * up, and the host is leased again a moment later. So names that no server resolves delay no others, however many a
 * page links to.
 */
import type { Task } from '../../../schemas/types.ts';
import type { Resolver } from '../connect/resolver.ts';

export interface NameGate {
  /** False: the lease comes back. Undefined: the answer is known. */
  pass(task: Task): Promise<boolean> | undefined;
}

export interface NameGateOptions {
  readonly resolver: Pick<Resolver, 'resolve' | 'waiting'>;
  /** Leases that may wait for names at once. */
  readonly waitingMax: number;
  /** Aborted: they come back. */
  readonly signal: AbortSignal;
}

export function createNameGate({ resolver, waitingMax, signal }: NameGateOptions): NameGate {
  let waiting = 0;
  return {
    pass(task) {
      const first = task.urls[0] ?? task.robotsHops[0];
      if (first === undefined) return undefined;
      const { hostname, port, protocol } = new URL(first.url);
      // Nothing is begun that would wait long: the host is leased again.
      if (waiting >= waitingMax && resolver.waiting >= waitingMax) return Promise.resolve(false);
      const resolution = resolver.resolve(hostname, Number(port || (protocol === 'https:' ? 443 : 80)));
      if (!(resolution instanceof Promise)) return undefined;
      if (waiting >= waitingMax) return Promise.resolve(false);
      waiting += 1;
      return new Promise<boolean>((resolve) => {
        const stop = () => resolve(false);
        signal.addEventListener('abort', stop, { once: true });
        void resolution.then(() => {
          signal.removeEventListener('abort', stop);
          resolve(true);
        });
      }).finally(() => {
        waiting -= 1;
      });
    },
  };
}
