/**
 * Caps of a policy: the pages and bytes of a host, and the pages of a registrable domain. The queue of a capped host is
 * deferred, and continues if a policy raises the cap or an operator sets a separate limit.
 *
 * A host is held when it reaches its cap. A host beyond a later cap, or in a domain that has reached its cap, is held
 * when it would next be leased: a policy that caps a million hosts at once does not need one huge commit. A domain
 * never exceeds its cap: its leased URLs count as pages until their outcomes are known. With topics partitioned by
 * host, the hosts of a domain are on several partitions, and each keeps the domain's cap separately.
 */
import type { Policy } from '../../../policy/policy.ts';
import { clockQueueOf } from '../../state/settle-host.ts';
import type { Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import { isAtLimit } from '../politeness.ts';
import { decideSitemapsHeld } from '../sitemaps.ts';

/** When to check a domain again if its last allowed pages are on lease, ms. */
const lookAgainMs = 1_000;

/**
 * How many URLs a lease of the host may have, by the cap of its domain. 0: none now; the host was held, or put on the
 * clock for later.
 */
export function roomByCaps(decision: Decision, policy: Policy, host: Host): number {
  const { state, nowMs } = decision;
  const { facts, key } = host;
  const { pagesPerDomainMax } = policy.config;
  const most = pagesPerDomainMax ?? Number.POSITIVE_INFINITY;
  const { pages, leased } = state.domainPages.of(key);
  if (pages >= most || isAtLimit(policy.hostSettings(key), facts)) {
    decision.emit({ kind: 'host', hostKey: key, facts: { ...facts, hold: 'limit' } });
    decideSitemapsHeld(decision, key);
    decision.tally('capped');
    return 0;
  }
  const room = most - pages - leased;
  if (room <= 0) state.clock.schedule(host.id, nowMs + lookAgainMs, clockQueueOf(state, host));
  return Math.max(0, room);
}
