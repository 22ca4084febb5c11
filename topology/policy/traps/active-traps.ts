/**
 * The active traps of one host, and those an operator released. They are few and small, and are kept for good: unlike
 * what is remembered in order to notice traps (summary.ts), they say where URLs are.
 */
import type { Trap } from './summary.ts';

export interface HostTraps<T extends Trap = Trap> {
  readonly trapped: readonly T[];
  /** Released by an operator: the trap is not noticed again. */
  readonly released: readonly T[];
}

export const noTraps: HostTraps<never> = { trapped: [], released: [] };

/** Takes the place of one released under the same pattern or, where URLs wait in front queues, in the same front queue. */
export function addTrap<T extends Trap & { readonly frontQueue?: number }>(
  { trapped, released }: HostTraps<T>,
  trap: T,
): HostTraps<T> {
  const others = (one: T) =>
    one.pattern !== trap.pattern &&
    (one.frontQueue === undefined || trap.frontQueue === undefined || one.frontQueue !== trap.frontQueue);
  return { trapped: [...trapped.filter(others), trap], released: released.filter(others) };
}

/** The same value where the pattern is none of its traps. */
export function releaseTrap<T extends Trap>(traps: HostTraps<T>, pattern: string): HostTraps<T> {
  const trap = traps.trapped.find((one) => one.pattern === pattern);
  if (trap === undefined) return traps;
  return {
    trapped: traps.trapped.filter((one) => one !== trap),
    released: [...traps.released, trap],
  };
}
