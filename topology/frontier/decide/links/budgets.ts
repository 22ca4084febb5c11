/**
 * Budgets at the frontier: who links to whom, which URLs go at full rate, and which are deferred and come back.
 *
 * A URL that exceeds a budget is admitted into its host's queue for deferred URLs (queues/held-queues.ts) and waits
 * there. As long as any URL of a budget key waits, new ones wait behind it. When a budget grows or a new period begins,
 * these queues are opened for as many hosts as the budget has room for, in the order in which they came to wait; grants
 * then draw from them as far as the budget goes. policy/budget.ts says why.
 */

import { type BudgetConfig, budgetFor, periodOf } from '../../../policy/budget.ts';
import type { Policy } from '../../../policy/policy.ts';
import { partitionKeyOf } from '../../../url/host-key.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import { budgetQueue } from '../../queues/held-queues.ts';
import type { FrontierState, Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import { revived } from '../politeness.ts';

/** A page of a source, by its host key or partition key, links to a host. True: it is the first one seen of it. */
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

/** Distinct registrable domains that link to a host, or to its domain where that is what has a budget. */
export function linkingDomains({ state: { budgets } }: Decision, hostKey: string): number {
  return budgets.accounts.get(budgets.keyOf(hostKey))?.sources.count ?? 0;
}

/** How many more URLs of a host may go at full rate now. */
export function budgetLeft(decision: Decision, config: BudgetConfig, hostKey: string): number {
  const { budgets } = decision.state;
  const account = budgets.accounts.get(budgets.keyOf(hostKey));
  const used = account?.period === periodOf(config, decision.nowMs) ? account.used : 0;
  return Math.max(0, budgetFor(config, account?.sources.count ?? 0, ownBudgetOf(decision, hostKey)) - used);
}

/** A budget that an operator or an overlay gives the host; -1: none. */
function ownBudgetOf({ state: { hosts }, policy }: Decision, hostKey: string): number {
  const ordered = hosts.get(hostKey)?.facts.ownBudget ?? -1;
  return ordered >= 0 ? ordered : (policy?.budgetOf(hostKey) ?? -1);
}

/** Must a URL that arrives be deferred? `taken`: URLs of the host that are about to be admitted at full rate. */
export function isBeyondBudget(decision: Decision, config: BudgetConfig, hostKey: string, taken: number): boolean {
  const { budgets } = decision.state;
  const key = budgets.keyOf(hostKey);
  const isSpent = budgetLeft(decision, config, hostKey) <= taken;
  if (!budgets.waiting.has(key)) return isSpent;
  // The others may wait for budgets of their own alone. One that is open has siblings looked at once it closes.
  if (!isSpent && !hasOpen(decision, key)) budgets.lookAt(key);
  return true;
}

/** Does any host of a budget draw from what it deferred? */
function hasOpen({ state: { budgets, hosts } }: Decision, key: string): boolean {
  for (const id of budgets.waiting.get(key) ?? [])
    if (hosts.facts.deferredOpen(id) && hosts.facts.hold(id) === '') return true;
  return false;
}

/** Notes that so many URLs of a host went at full rate. */
export function spendBudget(decision: Decision, config: BudgetConfig, hostKey: string, count: number): void {
  const { budgets } = decision.state;
  const key = budgets.keyOf(hostKey);
  const period = periodOf(config, decision.nowMs);
  const account = budgets.accounts.get(key);
  const used = (account?.period === period ? account.used : 0) + count;
  decision.emit({ kind: 'spend', key, period, used });
}

/** Opens queues of deferred URLs where there is budget again; a slice of them at each step. */
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
      // One that can take nothing now would keep what its siblings could.
      if (!canTake(decision, policy, host)) continue;
      const left = budgetLeft(decision, config, host.key);
      if (opened >= left) {
        // A budget of the host alone is spent, and not that of the others of its domain.
        if (ownBudgetOf(decision, host.key) >= 0) continue;
        // Hosts with larger budgets of their own may stand behind.
        if (!mayDiffer) break;
        isSharedSpent = true;
        continue;
      }
      opened += Math.min(host.queue.sizeOf(budgetQueue), left - opened);
      // Otherwise what is opened would be given up on untried, though the verdict on the host has run out.
      if (host.deadUntilMs > 0) decision.emit({ kind: 'host', hostKey: host.key, facts: revived(host.facts) });
      if (!host.facts.deferredOpen) setOpen(decision, host, true);
    }
  }
}

/** Could the host be on a lease by its hold and its windows? */
function canTake({ nowMs }: Decision, policy: Policy, { key, facts, deadUntilMs }: Host): boolean {
  return facts.hold === '' && deadUntilMs <= nowMs && policy.openAt(key, nowMs) <= nowMs;
}

/** When the next period begins; undefined where nothing waits for it. */
export function nextRefillAtMs(state: FrontierState, policy: Policy | null): number | undefined {
  const config = policy?.config.budget;
  if (config === undefined || state.budgets.waiting.size === 0) return undefined;
  return (periodOf(config, state.nowMs) + 1) * config.refillMs;
}

/** How many of a host's deferred URLs a lease may hold. If none are left, or no budget, the queue is closed again. */
export function deferredToGrant(decision: Decision, host: Host): number {
  const config = decision.policy?.config.budget;
  const size = host.queue.sizeOf(budgetQueue);
  return config === undefined ? size : Math.min(size, budgetLeft(decision, config, host.key));
}

/** After a grant that could have drawn from an open front queue. */
export function closeIfSpent(decision: Decision, host: Host): void {
  const { budgets, hosts } = decision.state;
  if (!hosts.facts.deferredOpen(host.id) || deferredToGrant(decision, host) > 0) return;
  setOpen(decision, host, false);
  // What its own budget does not let it take is left to the others of its domain.
  budgets.lookAt(budgets.keyOf(host.key));
}

export function setOpen(decision: Decision, host: Host, deferredOpen: boolean): void {
  decision.emit({ kind: 'host', hostKey: host.key, facts: { ...host.facts, deferredOpen } });
}
