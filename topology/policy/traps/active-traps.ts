/**
 * The active traps of one host, and those that an operator released. They are few and small, and are kept forever:
 * unlike the data for noticing traps (summary.ts), they decide in which queue a URL is.
 */
import type { Trap } from './summary.ts';

export interface HostTraps<T extends Trap = Trap> {
  readonly trapped: readonly T[];
  /** Released by an operator: the trap is not detected again. */
  readonly released: readonly T[];
}

export const noTraps: HostTraps<never> = { trapped: [], released: [] };

/**
 * Adds a trap. It replaces a released trap with the same pattern or, if URLs wait in front queues, with the same
 * front queue.
 */
export function addTrap<T extends Trap & { readonly frontQueue?: number }>(
  { trapped, released }: HostTraps<T>,
  trap: T,
): HostTraps<T> {
  const others = (one: T) =>
    one.pattern !== trap.pattern &&
    (one.frontQueue === undefined || trap.frontQueue === undefined || one.frontQueue !== trap.frontQueue);
  return { trapped: [...trapped.filter(others), trap], released: released.filter(others) };
}

/** Returns the same value if the pattern is not an active trap. */
export function releaseTrap<T extends Trap>(traps: HostTraps<T>, pattern: string): HostTraps<T> {
  const trap = traps.trapped.find((one) => one.pattern === pattern);
  if (trap === undefined) return traps;
  return {
    trapped: traps.trapped.filter((one) => one !== trap),
    released: [...traps.released, trap],
  };
}
