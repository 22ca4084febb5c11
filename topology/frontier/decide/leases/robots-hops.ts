/**
 * Robots hops: redirects of robots.txt from one host to another (RFC 9309 §2.3.1.2).
 *
 * Only the holder of a host's lease may contact it. So a fetcher that meets such a redirect asks the partition of the
 * other host for a lease of that host, for this one request. The task goes to the `tasks` partition of the host with
 * the redirected robots.txt, so that the answer arrives where it is needed. Nobody holds one lease while waiting for
 * another, so two hosts that redirect to each other cause no deadlock.
 *
 * A hop is a request for a lease, not a URL. It is not admitted, and if it is lost (a full list, an expired lease),
 * the fetcher asks again.
 */

import type { Result, RobotsHop } from '../../../../schemas/types.ts';
import type { Policy } from '../../../policy/policy.ts';
import { robotsMove } from '../../../robots/moved.ts';
import { robotsLimits } from '../../../robots/robots-limits.ts';
import { canParse } from '../../../url/can-parse.ts';
import { urlLimits } from '../../../url/url-limits.ts';
import { isOrderedHold } from '../../changes/changes.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import type { FrontierState, Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import { grantLease } from './grants.ts';

/** Takes the hops from a message without a lease. Invalid hops, and those beyond the limit, are dropped. */
export function decideLeaseRequests(decision: Decision, { hostKey, robotsHops }: Result): void {
  const { state, identity } = decision;
  // Nothing that names a purged host comes back into the state.
  if (state.hosts.get(hostKey)?.facts.hold === 'purged') return;
  for (const hop of robotsHops) {
    const known = state.hosts.get(hostKey);
    const waiting = known === undefined ? [] : state.robotsHops.of(known.id);
    const isNew = !waiting.some(({ url, asked }) => url === hop.url && asked[0] === hop.asked[0]);
    if (!isNew || waiting.length >= frontierLimits.robotsHopsMax) continue;
    if (!makesSense(hop, identity.partitions) || !mayAsk(hop)) continue;
    decision.emit({ kind: 'robotsHop', hostKey, hop });
  }
}

function makesSense({ url, asked, partition }: RobotsHop, partitions: number): boolean {
  const urls = [url, ...asked];
  return (
    asked.length > 0 &&
    asked.length <= robotsLimits.redirectsMax &&
    urls.every(({ length }) => length > 0 && length <= urlLimits.urlCharsMax) &&
    partition >= 0 &&
    partition < partitions
  );
}

/** Checks a hop: fetchers ask only for valid ones, but others may write to the topic. */
function mayAsk({ url, asked }: RobotsHop): boolean {
  const from = asked.at(-1)!;
  return canParse(url) && canParse(from) && robotsMove(from, url) !== 'refused';
}

/**
 * Grants leases for waiting hops, out of `demand`; returns the rest of the demand. They cost no page quota. A host
 * that also has due URLs alternates between the two at random.
 */
export function decideRobotsHops(decision: Decision, demand: number): number {
  const { state, policy, nowMs } = decision;
  if (policy === null || state.robotsHops.size === 0) return demand;
  const ids = [...state.robotsHops.hosts()].sort((a, b) => a - b);
  let left = demand;
  for (const id of ids) {
    const host = state.hosts.at(id);
    if (left <= 0 || decision.bytes >= frontierLimits.commitBytesSoft) break;
    if (hopAtMs(state, policy, host, nowMs) > nowMs) continue;
    const urlsDue = (host.queue.dueAtMs ?? Number.POSITIVE_INFINITY) <= nowMs && host.facts.deadUntilMs === 0;
    const quotaLeft = policy.config.pageQuota === null || state.quotaLeft > 0;
    if (urlsDue && quotaLeft && decision.random() < 0.5) continue;
    grantLease(decision, policy, host, {
      due: 0,
      again: 0,
      frontQueues: [],
      robotsHops: [state.robotsHops.of(id)[0]!],
    });
    left -= 1;
  }
  return left;
}

/** When the first waiting hop could have its lease, ms; undefined: none waits. */
export function nextHopAtMs(state: FrontierState, policy: Policy | null): number | undefined {
  if (policy === null || state.robotsHops.size === 0) return undefined;
  let nextMs = Number.POSITIVE_INFINITY;
  for (const id of state.robotsHops.hosts())
    nextMs = Math.min(nextMs, hopAtMs(state, policy, state.hosts.at(id), state.nowMs));
  return nextMs === Number.POSITIVE_INFINITY ? undefined : nextMs;
}

/**
 * When the host may have a lease for a hop, ms. Infinity while all its slots are taken, or it is blocked, paused or
 * purged. A host that counts as dead may be contacted, because the hop serves another host's robots.txt.
 */
function hopAtMs(state: FrontierState, policy: Policy, host: Host, nowMs: number): number {
  const { readyAtMs, hold } = host.facts;
  const slotAtMs = state.hosts.hostSlots.readyAtMs(host.id, host.leaseIds.length);
  if (slotAtMs === Number.POSITIVE_INFINITY || isOrderedHold(hold)) return Number.POSITIVE_INFINITY;
  const domainAtMs = state.domainPace.on ? state.domainPace.readyAtMs(host.key) : 0;
  if (domainAtMs === Number.POSITIVE_INFINITY) return domainAtMs;
  return policy.openAt(host.key, Math.max(readyAtMs, slotAtMs, domainAtMs, nowMs));
}
