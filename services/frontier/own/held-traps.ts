/** The traps of a partition, with the number of URLs that wait in each. */
import type { FrontierState } from '../../../topology/frontier/state/state.ts';

export interface HeldTrap {
  readonly hostKey: string;
  readonly pattern: string;
  readonly reason: string;
  readonly detail: string;
  readonly urls: number;
}

export function heldTraps({ traps, hosts }: Pick<FrontierState, 'traps' | 'hosts'>): HeldTrap[] {
  return [...traps.active].flatMap(([hostKey, { trapped }]) =>
    trapped.map(({ pattern, reason, detail, frontQueue }) => {
      const urls = hosts.get(hostKey)?.queue.sizeOf(frontQueue) ?? 0;
      return { hostKey, pattern, reason, detail, urls };
    }),
  );
}
