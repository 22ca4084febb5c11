/**
 * Computes, from a host's queue, schedule and facts, when it may be leased next and where it waits until then.
 *
 * A host without a free slot, or on hold, is not on the clock. The queues of a served crawl have no slots: each
 * client limits the number of its leased URLs. A dead host is not on the clock either: its queue is given up. Pages
 * that were fetched before are kept: once the queue is empty, the host is tried again when the verdict has expired.
 */
import { refreshHosts } from '../hosts/clock.ts';
import type { FrontierState, Host } from './state.ts';

export function settleHost(state: FrontierState, host: Host): void {
  const { budgets, hosts, abandoning, clock, recrawl, shares, pull, domainPace } = state;
  const { id, queue } = host;
  budgets.settle(host);
  shares.settle(host);
  if (domainPace.on) domainPace.parked.leave(id);
  if (state.domainPages.on || domainPace.on) settleDomain(state, host);
  const { facts } = hosts;
  const dueAtMs = queue.dueAtMs;
  const deadUntilMs = facts.deadUntilMs(id);
  const out = hosts.leases.get(id)?.length ?? 0;
  if (deadUntilMs > 0 && dueAtMs !== undefined && out === 0) abandoning.add(id);
  else abandoning.delete(id);
  const refreshAtMs = recrawl.dueAtMs(id);
  const workAtMs = deadUntilMs > 0 ? revivalAtMs(dueAtMs, refreshAtMs, deadUntilMs) : earlier(dueAtMs, refreshAtMs);
  const readyAtMs = pull.readyAtMs(id, facts);
  const slotAtMs = pull.on ? 0 : hosts.hostSlots.readyAtMs(id, out);
  if (pull.on) pull.full.leave(id);
  if (workAtMs === undefined || slotAtMs === Number.POSITIVE_INFINITY || facts.hold(id) !== '') clock.remove(id);
  else clock.schedule(id, Math.max(readyAtMs, workAtMs, slotAtMs), clockQueueOf(state, host));
}

/**
 * Puts every host where its own state says, regardless of moves by decisions (hosts that were checked outside their
 * window, or while their domain waited). A new owner starts with it, because its clock must follow from a checkpoint
 * and changes alone.
 */
export function settleAll(state: FrontierState): void {
  state.domainPace.parked.clear();
  for (const host of state.hosts.values()) settleHost(state, host);
}

/**
 * The heap in which a ready host waits for its lease: that of its best front queue, or that of hosts with revisits
 * only.
 */
export function clockQueueOf({ recrawl }: FrontierState, { id, queue }: Host): number {
  const dueAtMs = queue.dueAtMs;
  const refreshAtMs = recrawl.dueAtMs(id);
  const refreshes = refreshAtMs !== undefined && (dueAtMs === undefined || refreshAtMs < dueAtMs);
  return refreshes ? refreshHosts : queue.bestFrontQueue;
}

function revivalAtMs(dueAtMs: number | undefined, refreshAtMs: number | undefined, deadUntilMs: number) {
  return dueAtMs !== undefined || refreshAtMs === undefined ? undefined : Math.max(refreshAtMs, deadUntilMs);
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a;
}

/** A host's part in its domain, if the policy shares delays by domain. */
export function settleDomain({ domainPages, domainPace, hosts, leases, nowMs }: FrontierState, host: Host): void {
  const { facts, hostSlots } = hosts;
  const { id } = host;
  if (domainPages.on) domainPages.settle(host, facts.pages(id), leasedOf(leases, host));
  if (!domainPace.on) return;
  // A returned slot keeps the delay that a host with one slot has itself.
  const slotAtMs = hostSlots.of(id).freeAtMs.at(-1) ?? 0;
  domainPace.settle(host, host.leaseIds.length, Math.max(facts.readyAtMs(id), slotAtMs), nowMs);
}

/** Leased URLs of a host. */
function leasedOf(leases: FrontierState['leases'], { leaseIds }: Host): number {
  let count = 0;
  for (const id of leaseIds) for (const entry of leases.get(id)?.entries ?? []) if (entry !== null) count += 1;
  return count;
}
