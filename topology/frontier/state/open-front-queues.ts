import type { HostFacts } from '../changes/changes.ts';
import { budgetQueue } from '../queues/held-queues.ts';
import { countQueue } from './place-of.ts';
import type { FrontierState, Host } from './state.ts';

/**
 * Opens the queues of a host, behind its front queues, that may now be drawn from: of its released traps, and within
 * its budget.
 */
export function openFrontQueues({ traps, hosts, queues }: FrontierState, { id, key }: Host): void {
  const released = traps.of(key).released.map(({ frontQueue }) => frontQueue);
  const opened = hosts.facts.deferredOpen(id) ? [budgetQueue, ...released] : released;
  if (opened.length > 0) queues.opened.set(id, opened);
  else queues.opened.delete(id);
}

/** Opens a trap's queue, so that its URLs may be drawn. */
export function releaseTrap(state: FrontierState, host: Host, pattern: string): void {
  countQueue(state, host, -1);
  state.traps.release(host.key, pattern);
  openFrontQueues(state, host);
  countQueue(state, host, 1);
}

/** Sets facts. A hold, or an open budget, also moves waiting URLs between the counters. */
export function setFacts(state: FrontierState, host: Host, facts: HostFacts): void {
  const { hosts } = state;
  const moves =
    (facts.hold === '') !== (hosts.facts.hold(host.id) === '') ||
    facts.deferredOpen !== hosts.facts.deferredOpen(host.id);
  if (moves) countQueue(state, host, -1);
  if (facts.hold === 'purged') state.purge.on = true;
  hosts.hostSlots.learn(host.id, facts, state.leases.nextId);
  hosts.facts.set(host.id, facts);
  if (!moves) return;
  openFrontQueues(state, host);
  countQueue(state, host, 1);
}
