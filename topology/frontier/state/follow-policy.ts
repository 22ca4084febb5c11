/** Adapts the parts of the state that depend on the policy to a new policy. */
import type { PolicyConfig } from '../../policy/policy.ts';
import { settleDomain } from './settle-host.ts';
import type { FrontierState } from './state.ts';

export function followPolicy(state: FrontierState, policy: Partial<PolicyConfig>): void {
  const { traps, budget, queueShareMax, pagesPerDomainMax, politenessKey, recrawl, sink, delayMs = 0 } = policy;
  const { hosts, pull } = state;
  state.traps.on = traps !== undefined;
  state.budgets.setKeyMode(budget?.key ?? null, hosts.values());
  state.shares.turn(
    sink !== 'pull' && queueShareMax !== undefined && queueShareMax < 1,
    sink !== 'pull' && budget === undefined,
    hosts.values(),
  );
  const isCapped = state.domainPages.turn(sink !== 'pull' && pagesPerDomainMax != null);
  const delays = delayFields(policy);
  const isPaced = state.domainPace.turn(sink !== 'pull' && politenessKey === 'domain', delays !== state.delays);
  state.delays = delays;
  // Hosts that waited for their domains go back on the clock.
  if (isPaced) for (const host of hosts.values()) state.settle(host);
  else if (isCapped) for (const host of hosts.values()) settleDomain(state, host);
  const windows = windowsOf(policy);
  // Hosts that were checked outside their window wait for an opening that may have moved.
  if (windows !== state.windows) for (const host of hosts.values()) state.settle(host);
  state.windows = windows;
  state.recrawl.setPolicy(recrawl);
  if (pull.set(sink === 'pull', delayMs)) for (const host of hosts.values()) state.settle(host);
}

/** All that delays of hosts follow from, as one text. */
export function delayFields({ delayMs, delayFactor, delayFactorCapMs, overlays = [] }: Partial<PolicyConfig>): string {
  const ofOverlays = overlays.filter(({ set }) => set.delayMs !== undefined || set.delayFactor !== undefined);
  return JSON.stringify([delayMs, delayFactor, delayFactorCapMs, ofOverlays]);
}

/** All that opens and shuts hosts, as one text. */
function windowsOf({ windows = [], overlays = [] }: Partial<PolicyConfig>): string {
  const ofOverlays = overlays.filter(({ set }) => set.window !== undefined);
  return JSON.stringify([windows, ofOverlays.map(({ set: { window }, ...match }) => [match, window])]);
}
