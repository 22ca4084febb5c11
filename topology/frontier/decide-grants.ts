/** Grants: ready hosts go on lease, as many as the fetchers ask for. */
import type { Task } from '../../schemas/types.ts';
import { frontierLimits } from '../limits.ts';
import { bandCount } from '../policy/band.ts';
import type { Policy } from '../policy/policy.ts';
import { withoutPort } from '../url/host-key.ts';
import type { Decision } from './decision.ts';
import { baseDelayMs, leaseMs, leaseSize } from './politeness.ts';
import type { Host } from './state.ts';

/** Grants at most `demand` leases; stops early when the commit is full. */
export function decideGrants(decision: Decision, demand: number): void {
  const { state, policy } = decision;
  if (policy === null) return;
  state.clock.advance(decision.nowMs);
  for (let left = demand; left > 0 && decision.bytes < frontierLimits.commitBytesSoft; left--) {
    const quotaLeft = policy.config.pageQuota === null ? Number.POSITIVE_INFINITY : state.quotaLeft;
    if (quotaLeft <= 0) return;
    const hostId = state.clock.take(decision.random);
    if (hostId === undefined) return;
    const host = state.hostsById[hostId]!;
    const openAtMs = policy.openAt(withoutPort(host.key), decision.nowMs);
    if (openAtMs > decision.nowMs) {
      // Outside its crawl window: back on the clock until it opens.
      state.clock.schedule(hostId, openAtMs, host.queue.bestBand);
      left += 1;
      continue;
    }
    grant(decision, policy, host, quotaLeft);
  }
}

function grant(decision: Decision, policy: Policy, host: Host, quotaLeft: number): void {
  const { nowMs } = decision;
  let left = Math.min(leaseSize(policy, host.facts), quotaLeft);
  // A URL that a lease expired with travels alone, so that a poison URL shows itself.
  const { again: waiting, bands: queues } = host.queue;
  const due = host.queue.dueCount(nowMs);
  if (due > 0 && waiting[0]!.entry.expiries > 0) left = 1;
  const again = Math.min(left, due);
  left -= again;
  const bands: (readonly [number, number])[] = [];
  const take = (band: number) => {
    const count = Math.min(left, queues[band]?.size ?? 0);
    if (count > 0) bands.push([band, count]);
    left -= count;
  };
  for (let band = 0; band < bandCount && left > 0; band++) take(band);
  for (const band of host.queue.opened) take(band);
  grantLease(decision, policy, host, { again, bands, robotsHops: [] });
}

/** What a lease holds: URLs, as the change counts them, or one hop of another host's robots.txt. */
export interface LeaseLoad extends Pick<Task, 'robotsHops'> {
  readonly again: number;
  readonly bands: readonly (readonly [band: number, count: number])[];
}

export function grantLease(decision: Decision, policy: Policy, host: Host, load: LeaseLoad): void {
  const { state, nowMs } = decision;
  const { again, bands, robotsHops } = load;
  const leaseId = state.nextLeaseId;
  const delayMs = baseDelayMs(policy, host.facts);
  const size = bands.reduce((sum, [, count]) => sum + count, again + robotsHops.length);
  const deadlineMs = nowMs + leaseMs(policy, host.facts, size);
  decision.emit({ kind: 'grant', leaseId, hostKey: host.key, again, bands, deadlineMs, delayMs });
  decision.tasks.push({ ...taskOf(decision, policy, leaseId), robotsHops });
}

function taskOf(decision: Decision, policy: Policy, leaseId: number): Omit<Task, 'robotsHops'> {
  const { state, identity, nowMs } = decision;
  const lease = state.leases.get(leaseId)!;
  return {
    partition: identity.partition,
    epoch: state.changelog.epoch,
    leaseId,
    hostKey: lease.host.key,
    grantedAtMs: nowMs,
    deadlineMs: lease.deadlineMs,
    notBeforeMs: lease.host.facts.readyAtMs,
    delayMs: lease.delayMs,
    crawlDelayCapMs: policy.config.crawlDelayCapMs,
    delayFactor: policy.config.delayFactor,
    policyVersion: state.policyVersion,
    urls: lease.entries.map((entry) => ({
      url: entry!.url,
      depth: entry!.depth,
      hop: entry!.hop,
      attempt: entry!.attempts,
      etag: '',
      lastModified: '',
    })),
  };
}
