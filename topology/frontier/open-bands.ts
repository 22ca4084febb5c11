import { budgetBand } from './held-bands.ts';
import type { FrontierState, Host } from './state.ts';

/** Opens a host's bands that may be drawn from beyond the front queues: of its released traps, and within its budget. */
export function openBands({ traps, hosts, queues }: FrontierState, { id, key }: Host): void {
  const released = traps.of(key).released.map(({ band }) => band);
  const opened = hosts.facts.get(id).deferredOpen ? [budgetBand, ...released] : released;
  if (opened.length > 0) queues.opened.set(id, opened);
  else queues.opened.delete(id);
}
