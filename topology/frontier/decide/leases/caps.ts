/**
 * Caps of a policy: the pages and bytes that a host may give, and the pages of a registrable domain. What a capped host has
 * queued is deferred, and goes on where a policy raises the cap or an operator sets a separate limit.
 *
 * A host is held when it reaches its cap. One that is beyond a cap that came later, or whose domain has reached its own, is
 * held when it would next be leased: a policy that caps a million hosts at once makes no commit of them all. The cap of a
 * domain is never overrun: URLs of it that are out count as pages until they have come to something. Where topics are
 * partitioned by host, hosts of a domain are on several partitions, and each of them keeps the domain's cap by itself.
 */
import type { Policy } from '../../../policy/policy.ts';
import { clockQueueOf } from '../../state/settle-host.ts';
import type { Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import { isAtLimit } from '../politeness.ts';

/** When a domain with its last pages out is checked again, ms. */
const lookAgainMs = 1_000;

/**
 * How many URLs a host that is about to be leased may have, by the cap of its domain. 0: none now; it has been held, or is
 * on the clock for later.
 */
export function roomByCaps(decision: Decision, policy: Policy, host: Host): number {
  const { state, nowMs } = decision;
  const { facts, key } = host;
  const { pagesPerDomainMax } = policy.config;
  const most = pagesPerDomainMax ?? Number.POSITIVE_INFINITY;
  const { pages, leased } = state.domainPages.of(key);
  if (pages >= most || isAtLimit(policy.hostSettings(key), facts)) {
    decision.emit({ kind: 'host', hostKey: key, facts: { ...facts, hold: 'limit' } });
    decision.tally('capped');
    return 0;
  }
  const room = most - pages - leased;
  if (room <= 0) state.clock.schedule(host.id, nowMs + lookAgainMs, clockQueueOf(state, host));
  return Math.max(0, room);
}
