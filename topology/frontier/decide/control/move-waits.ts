/**
 * Under a new policy, hosts wait for its delay: a longer one counts from their last contact, and a shorter one from now,
 * if that ends their wait earlier. Pauses that a host asked for last. Rounds of sitemaps move by their interval.
 *
 * The waits are moved before the switch, while the former delays are known, host by host, as far as a commit has room.
 */

import type { HostSettings } from '../../../policy/overlay-config.ts';
import type { Policy, PolicyConfig } from '../../../policy/policy.ts';
import type { HostFacts } from '../../changes/changes.ts';
import { neverDue } from '../../changes/sitemap-rounds.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import { delayFields } from '../../state/follow-policy.ts';
import type { Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import { baseDelayMs, movedByDelay, politeDelayMs, readyAfterDelay } from '../politeness.ts';

/**
 * Moves the waits of hosts from number `from` on. Returns the number of the next host, or 'done'. `to`: stops before
 * this one, at the latest.
 */
export function moveWaits(
  decision: Decision,
  next: Policy,
  from: number,
  to: number = Number.POSITIVE_INFINITY,
): number | 'done' {
  const { state, policy, nowMs } = decision;
  if (policy === null || state.pull.on) return 'done';
  const isSameDelay = delayFields(policy.config) === delayFields(next.config);
  const isSameRound = policy.sitemaps?.everyMs === next.sitemaps?.everyMs;
  if (isSameDelay && isSameRound) return 'done';
  const { facts, hostSlots, met } = state.hosts;
  const overMs = nowMs - longestDelayMs(next.config);
  for (let id = from; id < met; id++) {
    if (id >= to) return id;
    if (!isSameRound) moveRound(decision, policy, next, id);
    // Most hosts were last contacted long ago.
    const waits = facts.readyAtMs(id) > overMs || hostSlots.entries.has(id) || state.hosts.leases.has(id);
    if (waits && !isSameDelay) moveHost(decision, policy, next, state.hosts.at(id));
    if (decision.bytes > frontierLimits.commitBytesSoft && id + 1 < met) return id + 1;
  }
  return 'done';
}

function moveHost(decision: Decision, policy: Policy, next: Policy, host: Host): void {
  const { facts, key: hostKey } = host;
  const from = delaysOf(policy.hostSettings(hostKey), facts);
  const to = delaysOf(next.hostSettings(hostKey), facts);
  const readyAtMs = readyUnder(decision, host, from, to);
  if (readyAtMs !== facts.readyAtMs) decision.emit({ kind: 'host', hostKey, facts: { ...facts, readyAtMs } });
  moveLeases(decision, host, from, to);
}

/** A host's delays under some settings, ms. */
export interface Delays {
  readonly baseMs: number;
  readonly politeMs: number;
}

export function delaysOf(settings: HostSettings, facts: HostFacts): Delays {
  return { baseMs: baseDelayMs(settings, facts), politeMs: politeDelayMs(settings, facts) };
}

/** When a host may be contacted next under other delays, ms. With several slots, each has its own delay: `moveLeases`. */
export function readyUnder({ state, nowMs }: Decision, { id, facts }: Host, from: Delays, to: Delays): number {
  if (from.politeMs === to.politeMs || state.hosts.hostSlots.inForce(id, facts) > 1) return facts.readyAtMs;
  return readyAfterDelay(facts, from.politeMs, to.politeMs, nowMs);
}

/**
 * Leases of a host have a longer delay at once, in case that their fetchers are killed. So have its slots, if it has
 * several. The multiple of the fetch time may have been another when a slot returned, and so may the number of slots
 * when a lease began: a longer delay counts from the latest time that is possible.
 */
export function moveLeases(decision: Decision, host: Host, from: Delays, to: Delays): void {
  const { nowMs, state } = decision;
  const { hostSlots } = state.hosts;
  const { id, key: hostKey, leaseIds } = host;
  if (from.politeMs === to.politeMs && from.baseMs === to.baseMs) return;
  const isLonger = to.politeMs > from.politeMs || to.baseMs > from.baseMs;
  if (isLonger && leaseIds.length > 0) decision.emit({ kind: 'leaseDelay', hostKey, delayMs: to.politeMs });
  if (!hostSlots.entries.has(id)) return;
  const { most, nextAtMs, freeAtMs } = hostSlots.of(id);
  const shareOf = ({ baseMs }: Delays) => (most > 1 ? Math.ceil(baseMs / most) : 0);
  const nextFromMs = isLonger ? 0 : shareOf(from);
  const freeFromMs = isLonger ? from.baseMs : from.politeMs;
  // Slots that were free when the last lease began are not remembered: their contacts were before it.
  const forgotten = isLonger ? Math.max(0, most - leaseIds.length - freeAtMs.length) : 0;
  decision.emit({
    kind: 'slotTimes',
    hostKey,
    nextAtMs: nextAtMs === 0 ? 0 : movedByDelay(nextAtMs, nextFromMs, shareOf(to), nowMs),
    freeAtMs: [
      ...new Array<number>(forgotten).fill(Math.min(nowMs, nextAtMs) + to.politeMs),
      ...freeAtMs.map((atMs) => movedByDelay(atMs, freeFromMs, to.politeMs, nowMs)),
    ],
  });
}

function moveRound(decision: Decision, policy: Policy, next: Policy, id: number): void {
  const { nowMs, state } = decision;
  const round = state.recrawl.sitemaps.of(id);
  const nowS = Math.floor(nowMs / 1_000);
  if (round === undefined || policy.sitemaps === null || next.sitemaps === null) return;
  if (round.tries > 0 || round.dueS === neverDue || round.dueS <= nowS) return;
  const byS = Math.ceil(next.sitemaps.everyMs / 1_000) - Math.ceil(policy.sitemaps.everyMs / 1_000);
  const dueS = Math.min(neverDue - 1, Math.max(nowS, round.dueS + byS));
  decision.emit({ kind: 'sitemaps', hostKey: state.hosts.at(id).key, round: { ...round, dueS, sinceS: dueS } });
}

/** No delay of the policy is longer than this, ms. */
function longestDelayMs({ delayMs, delayFactorCapMs, overlays = [] }: PolicyConfig): number {
  return Math.max(delayMs, delayFactorCapMs, ...overlays.map(({ set }) => set.delayMs ?? 0));
}
