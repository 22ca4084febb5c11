/**
 * Under a new policy, hosts wait for its delay: a longer one counts from now, or from the end of a wait that is over, and
 * a shorter one from now, if that ends their wait earlier. Pauses that a host asked for last. Rounds of sitemaps move by
 * their interval.
 *
 * The waits are moved before the switch, while the former delays are known, host by host, as far as a commit has room.
 */

import type { Policy, PolicyConfig } from '../../../policy/policy.ts';
import { neverDue } from '../../changes/sitemap-rounds.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import { delayFields } from '../../state/follow-policy.ts';
import type { FrontierState, Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import { type Delays, delaysOf, isLonger, readyUnder, waitUnder } from '../politeness.ts';

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
  const { met } = state.hosts;
  const overMs = nowMs - longestDelayMs(next.config);
  let moved = 0;
  for (let id = from; id < met; id++) {
    if (id >= to) return id;
    if (!isSameRound) moveRound(decision, policy, next, id);
    if (!isSameDelay && mayWait(state, id, overMs)) {
      moveHost(decision, policy, next, state.hosts.at(id));
      moved += 1;
    }
    if (isFull(decision, moved) && id + 1 < met) return id + 1;
  }
  return 'done';
}

/**
 * The log has lost a policy after hosts before number `to` had begun to wait by it. They wait by the policy in force
 * again, as if they had just been contacted. Returns the number of the next host, or 'done'.
 */
export function waitAgain(decision: Decision, policy: Policy, from: number, to: number): number | 'done' {
  const { state, nowMs } = decision;
  const overMs = nowMs - longestDelayMs(policy.config);
  let moved = 0;
  for (let id = from; id < to; id++) {
    if (mayWait(state, id, overMs)) {
      const host = state.hosts.at(id);
      moveWait(decision, host, noDelays, delaysOf(policy.hostSettings(host.key), host.facts));
      moved += 1;
    }
    if (isFull(decision, moved) && id + 1 < to) return id + 1;
  }
  return 'done';
}

const noDelays: Delays = { baseMs: 0, politeMs: 0 };

/** Most hosts were last contacted long ago. */
function mayWait({ hosts }: FrontierState, id: number, overMs: number): boolean {
  return hosts.facts.readyAtMs(id) > overMs || hosts.hostSlots.entries.has(id) || hosts.leases.has(id);
}

function isFull({ bytes }: Decision, moved: number): boolean {
  return bytes > frontierLimits.commitBytesSoft || moved >= frontierLimits.hostsMovedPerStep;
}

function moveHost(decision: Decision, policy: Policy, next: Policy, host: Host): void {
  const { facts, key } = host;
  moveWait(decision, host, delaysOf(policy.hostSettings(key), facts), delaysOf(next.hostSettings(key), facts));
}

/** A host has other delays from now on. */
export function moveWait(decision: Decision, host: Host, from: Delays, to: Delays): void {
  if (from.politeMs === to.politeMs && from.baseMs === to.baseMs) return;
  const { facts, key: hostKey } = host;
  const readyAtMs = readyUnder(facts, from, to, decision.nowMs);
  if (readyAtMs !== facts.readyAtMs) decision.emit({ kind: 'host', hostKey, facts: { ...facts, readyAtMs } });
  moveLeases(decision, host, from, to);
}

/**
 * Leases of a host have a longer delay at once, in case that their fetchers are killed. So have its slots, if it has
 * several.
 */
function moveLeases(decision: Decision, host: Host, from: Delays, to: Delays): void {
  const { nowMs, state } = decision;
  const { hostSlots } = state.hosts;
  const { id, key: hostKey, leaseIds } = host;
  const longer = isLonger(from, to);
  if (longer && leaseIds.length > 0) decision.emit({ kind: 'leaseDelay', hostKey, delayMs: to.politeMs });
  if (!hostSlots.entries.has(id)) return;
  const { most, nextAtMs, freeAtMs } = hostSlots.of(id);
  const shareOf = ({ baseMs }: Delays) => (most > 1 ? Math.ceil(baseMs / most) : 0);
  const shares = [from, to].map((delays) => ({ baseMs: shareOf(delays), politeMs: shareOf(delays) }));
  // Slots that were free when the last lease began are not remembered, nor when they were used last.
  const forgotten = longer ? Math.max(0, most - leaseIds.length - freeAtMs.length) : 0;
  decision.emit({
    kind: 'slotTimes',
    hostKey,
    nextAtMs: nextAtMs === 0 ? 0 : waitUnder(nextAtMs, shares[0]!, shares[1]!, nowMs),
    freeAtMs: [
      ...new Array<number>(forgotten).fill(nowMs + to.politeMs),
      ...freeAtMs.map((atMs) => waitUnder(atMs, from, to, nowMs)),
    ],
  });
}

/** The next read of a host's sitemaps counts from the last one. Reads that would be overdue are spread over an interval. */
function moveRound(decision: Decision, policy: Policy, next: Policy, id: number): void {
  const { nowMs, state, random } = decision;
  const round = state.recrawl.sitemaps.of(id);
  const nowS = Math.floor(nowMs / 1_000);
  if (round === undefined || policy.sitemaps === null || next.sitemaps === null) return;
  if (round.tries > 0 || round.dueS === neverDue || round.dueS <= nowS) return;
  const everyS = Math.ceil(next.sitemaps.everyMs / 1_000);
  const movedS = round.dueS + everyS - Math.ceil(policy.sitemaps.everyMs / 1_000);
  const spreadS = Math.min(round.dueS, nowS + 1 + Math.floor(everyS * random()));
  const dueS = Math.min(neverDue - 1, movedS > nowS ? movedS : spreadS);
  decision.emit({ kind: 'sitemaps', hostKey: state.hosts.at(id).key, round: { ...round, dueS, sinceS: dueS } });
}

/** No delay of the policy is longer than this, ms. */
export function longestDelayMs({ delayMs, delayFactorCapMs, overlays = [] }: PolicyConfig): number {
  return Math.max(delayMs, delayFactorCapMs, ...overlays.map(({ set }) => set.delayMs ?? 0));
}
