/**
 * Gets: a client asks for URLs, and ready queues grant some, on a separate lease each time. A queue grants again
 * after its delay since the last grant, whatever the results, while fewer of its URLs are on lease than the client's
 * limit per queue; then up to that limit. Leases expire without a result.
 */

import type { Policy } from '../../../policy/policy.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import { pullLimits } from '../../pull/pull-limits.ts';
import { settleHost } from '../../state/settle-host.ts';
import type { FrontierState, Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import type { GetCall } from './calls.ts';

/** Returns true once the call has all the URLs it can get; false if the commit is full. */
export function decideGet(decision: Decision, call: GetCall): boolean {
  const { state, policy, nowMs } = decision;
  if (policy === null || policy.config.paused === true) return true;
  state.clock.advance(nowMs);
  const { full } = state.pull;
  const most = Math.min(call.urlsPerQueue, pullLimits.urlsPerLeaseMax);
  if (call.key !== null) {
    const host = state.hosts.get(call.key);
    if (host === undefined || state.pull.outOf(host.id) >= most) return true;
    if (isReady(state, policy, host, nowMs)) grant(decision, host, call, most);
    return true;
  }
  for (const id of full.below(most)) settleHost(state, state.hosts.at(id));
  while (call.queues > 0) {
    if (decision.bytes >= pullLimits.commitBytesForGets) return false;
    const id = state.clock.take(decision.random);
    if (id === undefined) return true;
    const host = state.hosts.at(id);
    const openAtMs = policy.openAt(host.key, nowMs);
    const out = state.pull.outOf(id);
    if (openAtMs > nowMs) state.clock.schedule(id, openAtMs, host.queue.bestFrontQueue);
    else if (out >= most) full.add(id, out);
    else grant(decision, host, call, most);
  }
  return true;
}

function isReady(state: FrontierState, policy: Policy, { id, key, facts, queue }: Host, nowMs: number): boolean {
  const dueAtMs = queue.dueAtMs;
  if (facts.hold !== '' || dueAtMs === undefined) return false;
  const { hosts, pull } = state;
  const readyAtMs = Math.max(dueAtMs, pull.readyAtMs(id, hosts.facts));
  return readyAtMs <= nowMs && policy.openAt(key, nowMs) <= nowMs;
}

function grant(decision: Decision, host: Host, call: GetCall, most: number): void {
  const { state, nowMs } = decision;
  const { queue } = host;
  let left = most;
  const again = queue.dueCount(nowMs, left);
  left -= again;
  const frontQueues: (readonly [number, number])[] = [];
  for (const { number, size } of queue.frontQueues()) {
    const count = queue.isHeld(number) ? 0 : Math.min(left, size);
    if (count > 0) frontQueues.push([number, count]);
    left -= count;
  }
  const leaseId = state.leases.nextId;
  const delayMs = state.pull.delayOf(host.id, state.hosts.facts);
  decision.emit({
    kind: 'grant',
    leaseId,
    hostKey: host.key,
    again,
    frontQueues,
    deadlineMs: nowMs + call.leaseMs,
    delayMs,
  });
  // A delay that is set later counts from here, too.
  decision.emit({ kind: 'host', hostKey: host.key, facts: { ...host.facts, readyAtMs: nowMs } });
  call.leases.push(leaseId);
  call.queues -= 1;
}

/**
 * Ends leases past their deadline, by this clock, since clients do not see it. Unreported URLs wait again, with one
 * more attempt.
 */
export function decideLapses(decision: Decision): void {
  const { state, nowMs } = decision;
  const ids = state.leases.deadlines.takeUpTo(nowMs);
  for (const id of ids) {
    const lease = state.leases.get(id)!;
    for (let index = 0; index < lease.entries.length; index++) {
      const entry = lease.entries[index]!;
      if (entry === null || decision.bytes >= frontierLimits.commitBytesSoft) continue;
      const { url, depth, hop, attempts, expiries, frontQueue, payload } = entry;
      const tried = { url, depth, hop, attempts: attempts + 1, expiries, frontQueue, payload };
      const disposition = { to: 'again', dueAtMs: 0, entry: tried } as const;
      decision.emit({ kind: 'resolve', leaseId: id, index, disposition, record: null });
    }
    if (decision.bytes >= frontierLimits.commitBytesSoft) {
      // The next step goes on with it.
      state.leases.deadlines.add(id, lease.deadlineMs, state.leases.size);
      continue;
    }
    decision.emit({ kind: 'release', leaseId: id, expired: true });
  }
}
