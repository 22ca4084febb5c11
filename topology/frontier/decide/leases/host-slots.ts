/**
 * Slots in decisions (hosts/host-slots.ts): the number of leases that a host may have, and the part of its queue for
 * each.
 */
import { parallelLimits } from '../../../policy/limits.ts';
import type { HostSettings } from '../../../policy/overlay-config.ts';
import type { Policy } from '../../../policy/policy.ts';
import type { HostFacts } from '../../changes/changes.ts';
import type { FrontierState, Host } from '../../state/state.ts';
import { emptyControl } from '../control-payloads.ts';
import type { Decision } from '../decision.ts';
import { pagesMaxOf, politeDelayMs } from '../politeness.ts';

/** An operator says how many leases a host may be on at once; below 1: as the policy says. */
export function setOwnSlots(decision: Decision, hostKey: string, leases: number): void {
  const own = leases < 1 ? -1 : Math.min(leases, parallelLimits.leasesMax);
  const most = own < 1 ? (decision.policy?.leasesOf(hostKey) ?? 1) : own;
  decision.emit({ kind: 'hostSlots', hostKey, own, most });
}

/** Hosts that have several follow a policy that was just switched to; others do when they are next granted. */
export function switchHostSlots(decision: Decision): void {
  const { hosts } = decision.state;
  for (const id of [...hosts.hostSlots.entries.keys()].sort((a, b) => a - b)) {
    const { own } = hosts.hostSlots.of(id);
    if (own < 1) setOwnSlots(decision, hosts.at(id).key, own);
  }
}

/** A host about to be granted follows the policy. False: it is on as many leases as it may be. */
export function hasFreeSlot(decision: Decision, policy: Policy, host: Host): boolean {
  const { hostSlots } = decision.state.hosts;
  if (!policy.hasParallel && hostSlots.entries.size === 0) return true;
  const { own, most } = hostSlots.of(host.id);
  const wanted = own < 1 ? policy.leasesOf(host.key) : own;
  if (wanted !== most) decision.emit({ kind: 'hostSlots', hostKey: host.key, own, most: wanted });
  return host.leaseIds.length < hostSlots.inForce(host.id);
}

/** How many of the `left` URLs a lease takes: a share of the waiting URLs for each free slot, within the host's limit on pages. */
export function hostSlotShare(
  state: FrontierState,
  settings: HostSettings,
  host: Host,
  nowMs: number,
  left: number,
): number {
  const hostSlots = state.hosts.hostSlots.inForce(host.id);
  if (hostSlots === 1) return left;
  const { facts, leaseIds, queue } = host;
  let waiting =
    queue.dueCount(nowMs) + state.recrawl.table.dueCount(host.id, Math.floor(nowMs / 1_000), left * hostSlots);
  for (const { number, size } of queue.frontQueues()) if (!queue.isHeld(number)) waiting += size;
  const share = Math.min(left, Math.ceil(waiting / (hostSlots - leaseIds.length)));
  const pagesMax = pagesMaxOf(settings, facts);
  if (pagesMax < 0) return share;
  const out = leaseIds.reduce((sum, id) => sum + state.leases.get(id)!.entries.filter(isOpen).length, 0);
  return Math.max(0, Math.min(share, pagesMax - facts.pages - out));
}

/**
 * A lease has ended with a contact at `contactMs`: if its host has several slots, by `facts`, its own waits the polite
 * delay. False: it has one, and the host waits.
 */
export function giveSlotBack(
  decision: Decision,
  policy: Policy,
  host: Host,
  facts: HostFacts,
  contactMs: number,
): boolean {
  if (decision.state.hosts.hostSlots.inForce(host.id, facts) === 1) return false;
  const readyAtMs = contactMs + politeDelayMs(policy.hostSettings(host.key), facts);
  decision.emit({ kind: 'hostSlot', hostKey: host.key, readyAtMs });
  return true;
}

/**
 * The host asks for a pause, or is in trouble, and may be on other leases: their fetchers are informed. Leases in the
 * fetcher that found it know already.
 */
export function pauseOthers(decision: Decision, host: Host): void {
  const { state, identity, nowMs } = decision;
  if (host.leaseIds.length === 0 || state.hosts.hostSlots.of(host.id).most === 1) return;
  const event = { kind: 'pauseHost', atMs: nowMs, hostKey: host.key, version: state.leases.nextId } as const;
  decision.controls.push({ partition: identity.partition, record: { ...emptyControl, ...event } });
}

function isOpen(entry: unknown): boolean {
  return entry !== null;
}
