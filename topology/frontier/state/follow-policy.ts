/** Adapts the parts of the state that depend on the policy to the one that is in force from now on. */
import type { PolicyConfig } from '../../policy/policy.ts';
import { leasedOf } from './settle-host.ts';
import type { FrontierState } from './state.ts';

export function followPolicy(state: FrontierState, policy: Partial<PolicyConfig>): void {
  const { traps, budget, queueShareMax, pagesPerDomainMax, recrawl, sink, delayMs = 0 } = policy;
  const { hosts, pull } = state;
  state.traps.on = traps !== undefined;
  state.budgets.setKeyMode(budget?.key ?? null, hosts.values());
  state.shares.turn(
    sink !== 'pull' && queueShareMax !== undefined && queueShareMax < 1,
    budget === undefined,
    hosts.values(),
  );
  if (state.domainPages.turn(sink !== 'pull' && pagesPerDomainMax != null))
    for (const host of hosts.values())
      state.domainPages.settle(host, hosts.facts.pages(host.id), leasedOf(state, host));
  state.recrawl.setPolicy(recrawl);
  if (pull.set(sink === 'pull', delayMs)) for (const host of hosts.values()) state.settle(host);
}
