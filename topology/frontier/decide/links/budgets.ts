/**
 * Budgets at the frontier: which domains link to a host, which URLs are fetched at full rate, and which are deferred
 * and return.
 *
 * A URL over the budget is admitted into its host's queue of deferred URLs (queues/held-queues.ts). As long as a
 * budget key has deferred URLs, its new URLs are deferred after them. When a budget grows or a new period begins, the
 * queues of as many hosts are opened as the budget has room for, in the order in which they began to wait; grants
 * then draw from them within the budget. policy/budget.ts says why.
 */

import { type BudgetConfig, budgetFor, periodOf } from '../../../policy/budget.ts';
import type { Policy } from '../../../policy/policy.ts';
import { partitionKeyOf } from '../../../url/host-key.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import { budgetQueue } from '../../queues/held-queues.ts';
import type { FrontierState, Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import { revived } from '../politeness.ts';

/**
 * Counts a link from a source, by its host key or partition key, to a host. Returns true for the first link from that
 * source.
 */
export function countReferrer(decision: Decision, sourceKey: string, hostKey: string): boolean {
  const { budgets } = decision.state;
  const source = partitionKeyOf(sourceKey, 'domain');
  if (source === partitionKeyOf(hostKey, 'domain')) return false;
  const key = budgets.keyOf(hostKey);
  const fingerprint = decision.state.fingerprintOf(source)[0]!;
  if (budgets.accounts.get(key)?.sources.wouldChange(fingerprint) === false) return false;
  decision.emit({ kind: 'countReferrer', key, fingerprint });
  budgets.lookAt(key);
  return true;
}

/**
 * Number of distinct registrable domains that link to a host, or to its domain if domains have the budgets; null: the
 * policy does not count them, or no link between domains was found yet, as in the crawl of one site.
 */
export function linkingDomains({ state: { budgets }, policy }: Decision, hostKey: string): number | null {
  if (policy?.countsReferrers !== true || budgets.accounts.size === 0) return null;
  return budgets.accounts.get(budgets.keyOf(hostKey))?.sources.count ?? 0;
}

/** Number of a host's URLs that may still be admitted at full rate in this period. */
export function budgetLeft(decision: Decision, config: BudgetConfig, hostKey: string): number {
  const { budgets } = decision.state;
  const account = budgets.accounts.get(budgets.keyOf(hostKey));
  const used = account?.period === periodOf(config, decision.nowMs) ? account.used : 0;
  return Math.max(0, budgetFor(config, account?.sources.count ?? 0, ownBudgetOf(decision, hostKey)) - used);
}

/** Budget of the host set by an operator or an overlay; -1: none. */
function ownBudgetOf({ state: { hosts }, policy }: Decision, hostKey: string): number {
  const ordered = hosts.get(hostKey)?.facts.ownBudget ?? -1;
  return ordered >= 0 ? ordered : (policy?.budgetOf(hostKey) ?? -1);
}

/** Returns whether a new URL must be deferred. `taken`: URLs of the host that are about to be admitted at full rate. */
export function isBeyondBudget(decision: Decision, config: BudgetConfig, hostKey: string, taken: number): boolean {
  const { budgets } = decision.state;
  const key = budgets.keyOf(hostKey);
  const isSpent = budgetLeft(decision, config, hostKey) <= taken;
  if (!budgets.waiting.has(key)) return isSpent;
  // All waiting hosts may have spent only their own budgets. If one is open, `closeIfSpent` looks at the others.
  if (!isSpent && !hasOpen(decision, key)) budgets.lookAt(key);
  return true;
}

/** Returns whether any host that shares the budget may take from its deferred URLs now. */
function hasOpen({ state: { budgets, hosts } }: Decision, key: string): boolean {
  for (const id of budgets.waiting.get(key) ?? [])
    if (hosts.facts.deferredOpen(id) && hosts.facts.hold(id) === '') return true;
  return false;
}

/** Counts URLs of a host that were admitted at full rate. */
export function spendBudget(decision: Decision, config: BudgetConfig, hostKey: string, count: number): void {
  const { budgets } = decision.state;
  const key = budgets.keyOf(hostKey);
  const period = periodOf(config, decision.nowMs);
  const account = budgets.accounts.get(key);
  const used = (account?.period === period ? account.used : 0) + count;
  decision.emit({ kind: 'spend', key, period, used });
}

/** Opens queues of deferred URLs that have budget again, a slice at each step. */
export function openDeferred(decision: Decision): void {
  const { state, policy } = decision;
  const config = policy?.config.budget;
  if (policy === null || config === undefined) return;
  const { budgets, hosts } = state;
  const period = periodOf(config, decision.nowMs);
  const mayDiffer = hosts.facts.hasOwnBudgets || policy.givesBudgets;
  for (const key of budgets.keysToLookAt(period, frontierLimits.budgetKeysPerStep)) {
    decision.moved = true;
    let [opened, isSharedSpent] = [0, false];
    for (const id of budgets.waiting.get(key) ?? []) {
      if (isSharedSpent && !policy.givesBudgets && hosts.facts.ownBudget(id) < 0) continue;
      const host = hosts.at(id);
      // A host that cannot have a lease now would keep budget that other hosts of its domain could use.
      if (!canTake(decision, policy, host)) continue;
      const left = budgetLeft(decision, config, host.key);
      if (opened >= left) {
        // Only the host's own budget is used up; the other hosts of its domain continue.
        if (ownBudgetOf(decision, host.key) >= 0) continue;
        // Hosts with a larger own budget may follow.
        if (!mayDiffer) break;
        isSharedSpent = true;
        continue;
      }
      opened += Math.min(host.queue.sizeOf(budgetQueue), left - opened);
      // Revives a host after its dead period; otherwise, its opened URLs would be given up without a try.
      if (host.deadUntilMs > 0) decision.emit({ kind: 'host', hostKey: host.key, facts: revived(host.facts) });
      if (!host.facts.deferredOpen) setOpen(decision, host, true);
    }
  }
}

/** Returns whether the host may have a lease, by its hold and its windows. */
function canTake({ nowMs }: Decision, policy: Policy, { key, facts, deadUntilMs }: Host): boolean {
  return facts.hold === '' && deadUntilMs <= nowMs && policy.openAt(key, nowMs) <= nowMs;
}

/** When the next period begins; undefined if no URL waits for it. */
export function nextRefillAtMs(state: FrontierState, policy: Policy | null): number | undefined {
  const config = policy?.config.budget;
  if (config === undefined || state.budgets.waiting.size === 0) return undefined;
  return (periodOf(config, state.nowMs) + 1) * config.refillMs;
}

/** Number of deferred URLs that a lease of the host may have. With 0, the queue is closed again. */
export function deferredToGrant(decision: Decision, host: Host): number {
  const config = decision.policy?.config.budget;
  const size = host.queue.sizeOf(budgetQueue);
  return config === undefined ? size : Math.min(size, budgetLeft(decision, config, host.key));
}

/** Call after a grant that could have drawn from an open queue of deferred URLs. */
export function closeIfSpent(decision: Decision, host: Host): void {
  const { budgets, hosts } = decision.state;
  if (!hosts.facts.deferredOpen(host.id) || deferredToGrant(decision, host) > 0) return;
  setOpen(decision, host, false);
  // The other hosts of its domain may take what this host's own budget does not allow it.
  budgets.lookAt(budgets.keyOf(host.key));
}

export function setOpen(decision: Decision, host: Host, deferredOpen: boolean): void {
  decision.emit({ kind: 'host', hostKey: host.key, facts: { ...host.facts, deferredOpen } });
}
