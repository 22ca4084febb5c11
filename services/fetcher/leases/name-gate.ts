/**
 * Lets a lease wait for the address of its host before it takes anything else: a permit, a slot, a share of the line.
 * Only a few of a fetcher's leases may wait at once. Further ones return without an attempt while the name is looked
 * up, and the host is leased again a moment later. So names that no server resolves delay no others, however many a
 * page links to.
 */
import type { Task } from '../../../schemas/types.ts';
import type { Resolver } from '../connect/resolver.ts';

export interface NameGate {
  /** Begins the look-up of a lease's host ahead of its first request, which has to wait. */
  lookUp(task: Task): void;
  /** False: the lease comes back. Undefined: the answer is known. */
  pass(task: Task): Promise<boolean> | undefined;
}

export interface NameGateOptions {
  readonly resolver: Pick<Resolver, 'resolve' | 'waiting'>;
  /** Leases that may wait for names at once. null: none waits, since HTTP is replaced and nothing connects. */
  readonly waitingMax: number | null;
  /** Aborted: they come back. */
  readonly signal: AbortSignal;
}

export function createNameGate({ resolver, waitingMax, signal }: NameGateOptions): NameGate {
  let waiting = 0;
  const resolve = (url: string) => {
    const { hostname, port, protocol } = new URL(url);
    return resolver.resolve(hostname, Number(port || (protocol === 'https:' ? 443 : 80)));
  };
  return {
    lookUp(task) {
      const url = firstUrl(task);
      if (url !== undefined) void resolve(url);
    },
    pass(task) {
      const url = firstUrl(task);
      if (url === undefined || waitingMax === null) return undefined;
      // Nothing is begun that would wait long: the host is leased again.
      if (waiting >= waitingMax && resolver.waiting >= waitingMax) return Promise.resolve(false);
      const resolution = resolve(url);
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

/** undefined: the lease contacts nobody. */
function firstUrl({ urls, robotsHops }: Task): string | undefined {
  return (urls[0] ?? robotsHops[0])?.url;
}
