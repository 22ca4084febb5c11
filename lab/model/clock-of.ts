/**
 * The time at which each host of a state may be leased next, by key. A digest omits it, since it follows from the rest.
 */
import type { FrontierState } from '../../topology/frontier/state/state.ts';

export function clockOf({ hosts, clock }: FrontierState): Readonly<Record<string, number>> {
  const times: [string, number][] = [];
  for (const { id, key } of hosts.values()) {
    const readyAtMs = clock.readyAtMs(id);
    if (readyAtMs !== undefined) times.push([key, readyAtMs]);
  }
  return Object.fromEntries(times.sort());
}
