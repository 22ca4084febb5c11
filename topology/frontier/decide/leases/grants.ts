/** Grants: ready hosts go on lease, as many as the fetchers ask for. */
import type { Task } from '../../../../schemas/types.ts';
import type { Policy } from '../../../policy/policy.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import { budgetQueue } from '../../queues/held-queues.ts';
import { clockQueueOf } from '../../state/settle-host.ts';
import type { Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import { countGranted } from '../grant-sources.ts';
import { closeIfSpent, deferredToGrant, spendBudget } from '../links/budgets.ts';
import { baseDelayMs, isFailingServer, leaseMs, leaseSize, revived } from '../politeness.ts';
import { isRoundDue } from '../sitemaps.ts';
import { roomByCaps } from './caps.ts';
import { hasFreeSlot, hostSlotShare } from './host-slots.ts';
import { refreshCount } from './share.ts';

/** Grants at most `demand` leases; stops early when the commit is full. */
export function decideGrants(decision: Decision, demand: number): void {
  const { state, policy } = decision;
  if (policy === null) return;
  let parks: number = frontierLimits.parkedPerStep;
  if (state.domainPace.on) unpark(decision);
  for (let left = demand; left > 0 && decision.bytes < frontierLimits.commitBytesSoft; left--) {
    const quotaLeft = policy.config.pageQuota === null ? Number.POSITIVE_INFINITY : state.quotaLeft;
    if (quotaLeft <= 0) return;
    // Checked each time, since a host that was just granted a lease may be due for another.
    state.clock.advance(decision.nowMs);
    const hostId = state.clock.take(decision.random, state.recrawl.credit > 0);
    if (hostId === undefined) return;
    const host = state.domainPace.on ? nextOfDomain(decision, policy, hostId) : state.hosts.at(hostId);
    const openAtMs = policy.openAt(host.key, decision.nowMs);
    if (openAtMs > decision.nowMs) {
      // Outside its crawl window: back on the clock until it opens.
      state.clock.schedule(host.id, openAtMs, clockQueueOf(state, host));
      decision.moved = true;
      left += 1;
      continue;
    }
    const domainAtMs = state.domainPace.on ? state.domainPace.readyAtMs(host.key) : 0;
    if (domainAtMs > decision.nowMs) {
      state.domainPace.park(host, clockQueueOf(state, host), waitsSinceMs(decision, host));
      decision.moved = true;
      // The others are on the clock still: the next step goes on.
      if (--parks === 0) return;
      left += 1;
      continue;
    }
    const { length } = decision.granted;
    const room = policy.hasCaps ? roomByCaps(decision, policy, host) : Number.POSITIVE_INFINITY;
    if (room > 0 && hasFreeSlot(decision, policy, host)) grant(decision, policy, host, Math.min(room, quotaLeft));
    if (decision.granted.length > length) continue;
    // A host that may have no lease now, by its slots or its limit, has left the clock, and takes no other host's turn.
    decision.moved = true;
    left += 1;
    if (!state.domainPace.on) continue;
    if (--parks === 0) return;
    state.domainPace.lookNow(host.key, decision.nowMs);
    unpark(decision);
  }
}

/** When a domain gets another host on the clock if its current one left the clock before its turn, ms. */
const lookAgainMs = 1_000;

/** For each domain that may be contacted again, puts one of its hosts back on the clock. */
function unpark(decision: Decision): void {
  const { state, nowMs, random } = decision;
  const { domainPace, clock, hosts } = state;
  const next = () => domainPace.takeReady(nowMs, nowMs + lookAgainMs);
  for (let domain = next(); domain !== undefined; domain = next()) {
    decision.moved = true;
    for (let looks = frontierLimits.parkedPerStep; looks > 0; looks--) {
      const id = domainPace.parked.takeHost(domain, random);
      if (id === undefined) break;
      state.settle(hosts.at(id));
      // Meanwhile, the host may have been blocked, or have no URLs left.
      if ((clock.readyAtMs(id) ?? Number.POSITIVE_INFINITY) <= nowMs) break;
    }
  }
}

/**
 * Since when a host of a domain has waited for its turn. For a host with several slots, the time of its last lease is
 * with its slots, and so is another delay.
 */
function waitsSinceMs({ state }: Decision, host: Host): number {
  return Math.max(host.facts.readyAtMs, state.hosts.hostSlots.readyAtMs(host.id, host.leaseIds.length));
}

/**
 * The host to grant when the clock yields a host of a domain. A parked host of the same front queue goes first if it
 * has waited longer; this host is then parked.
 */
function nextOfDomain(decision: Decision, policy: Policy, id: number): Host {
  const { state, nowMs } = decision;
  const { domainPace, clock, hosts } = state;
  const host = hosts.at(id);
  if (domainPace.readyAtMs(host.key) > nowMs) return host;
  const queue = clockQueueOf(state, host);
  const sinceMs = waitsSinceMs(decision, host);
  for (let looks = frontierLimits.parkedPerStep; looks > 0; looks--) {
    const elderId = domainPace.takeBefore(host.key, queue, { id, sinceMs });
    if (elderId === undefined) return host;
    decision.moved = true;
    const elder = hosts.at(elderId);
    state.settle(elder);
    const isReady = (clock.readyAtMs(elderId) ?? Number.POSITIVE_INFINITY) <= nowMs;
    // A host that was held meanwhile, or has another front queue now, has been moved to its current place.
    if (!isReady || clockQueueOf(state, elder) !== queue || policy.openAt(elder.key, nowMs) > nowMs) continue;
    clock.remove(elderId);
    domainPace.park(host, queue, sinceMs);
    return elder;
  }
  return host;
}

/** Grants a lease. `urlsMax`: limit by the crawl's quota and the caps. */
function grant(decision: Decision, policy: Policy, host: Host, urlsMax: number): void {
  const { nowMs } = decision;
  if (host.deadUntilMs > 0) decision.emit({ kind: 'host', hostKey: host.key, facts: revived(host.facts) });
  const settings = policy.hostSettings(host.key);
  let left = hostSlotShare(decision.state, settings, host, nowMs, Math.min(leaseSize(settings, host.facts), urlsMax));
  const { queue } = host;
  // URLs from an expired lease are leased one by one, so that a poison URL is found.
  const due = queue.dueCount(nowMs);
  const alone = due > 0 && queue.again[0]!.entry.expiries > 0;
  const refresh = alone ? 0 : refreshCount(decision, host, left);
  left = alone ? Math.min(left, 1) : left - refresh;
  const again = isFailingServer(settings, host.facts) && hasFresh(host) ? 0 : Math.min(left, due);
  left -= again;
  const frontQueues: (readonly [number, number])[] = [];
  const turn = left > 0 ? turnOfAnother(host, left) : -1;
  if (turn >= 0) left -= 1;
  for (const { number, size } of queue.frontQueues()) {
    const own = number === turn ? 1 : 0;
    const most = number === budgetQueue ? deferredToGrant(decision, host) : size;
    const count = queue.isHeld(number) ? 0 : Math.min(left + own, most);
    if (count > 0) frontQueues.push([number, count]);
    left -= Math.max(0, count - own);
  }
  // Deferred URLs may be all there is, and the budget spent meanwhile by another host of the domain.
  if (refresh + again + frontQueues.length > 0 || isRoundDue(decision, policy, host))
    grantLease(decision, policy, host, { due: refresh, again, frontQueues, robotsHops: [] });
  const deferred = frontQueues.find(([number]) => number === budgetQueue)?.[1] ?? 0;
  const { budget } = policy.config;
  if (budget !== undefined && deferred > 0) spendBudget(decision, budget, host.key, deferred);
  closeIfSpent(decision, host);
}

/**
 * Once in `otherQueueEvery` fetches of the host, a URL of another front queue than the best one goes, of each queue
 * in turn; otherwise, a best queue that is refilled all the time would starve the others. -1: only the best queue.
 */
function turnOfAnother({ queue, facts: { fetched } }: Host, left: number): number {
  const { otherQueueEvery: every } = frontierLimits;
  if ((fetched % every) + left < every) return -1;
  const fresh = [...queue.frontQueues()].filter(
    ({ number, size }) => number !== budgetQueue && size > 0 && !queue.isHeld(number),
  );
  return fresh.length < 2 ? -1 : fresh[1 + (Math.floor(fetched / every) % (fresh.length - 1))]!.number;
}

/** Returns whether the host has never-tried URLs to grant. */
function hasFresh({ queue }: Host): boolean {
  for (const { number, size } of queue.frontQueues())
    if (number !== budgetQueue && size > 0 && !queue.isHeld(number)) return true;
  return false;
}

/** Requests that fit into a lease for sitemaps: robots.txt, and as many sitemaps as fetchers read with a lease. */
const sitemapsSize = 1 + frontierLimits.sitemapsPerLeaseMax;

/**
 * Content of a lease: numbers of URLs, as in the change, or one robots hop of another host. If it has neither, it is
 * for sitemaps.
 */
export interface LeaseLoad extends Pick<Task, 'robotsHops'> {
  /** Number of due revisits. */
  readonly due: number;
  readonly again: number;
  readonly frontQueues: readonly (readonly [frontQueue: number, count: number])[];
}

export function grantLease(decision: Decision, policy: Policy, host: Host, load: LeaseLoad): void {
  const { state, nowMs } = decision;
  const { due, again, frontQueues, robotsHops } = load;
  const leaseId = state.leases.nextId;
  const { facts, key: hostKey } = host;
  const settings = policy.hostSettings(hostKey);
  const delayMs = baseDelayMs(settings, facts);
  const urls = frontQueues.reduce((sum, [, count]) => sum + count, due + again);
  const size = urls + robotsHops.length || sitemapsSize;
  const deadlineMs = nowMs + leaseMs(settings, facts, size, policy.config.leaseMarginMs);
  // Copied field by field, since spreads are expensive and this runs once for each lease.
  const isRound = urls + robotsHops.length === 0;
  if (isRound) decision.emit({ kind: 'grantSitemaps', leaseId, hostKey, again, frontQueues, deadlineMs, delayMs });
  else if (due === 0) decision.emit({ kind: 'grant', leaseId, hostKey, again, frontQueues, deadlineMs, delayMs });
  else decision.emit({ kind: 'grantDue', due, leaseId, hostKey, again, frontQueues, deadlineMs, delayMs });
  decision.granted.push({ leaseId, robotsHops });
  countGranted(decision.grantedFrom, load);
}
