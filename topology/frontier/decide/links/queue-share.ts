/**
 * Shares of the queue: no host and no registrable domain holds more than a share of `queuedMax`, so that a link farm or a
 * sitemap of millions fills its own share and nobody else's: a partition that is full stops reading for all.
 *
 * What exceeds the share is deferred in the front queue of the host that budgets use too (queues/held-queues.ts), and
 * is drawn once the host has nothing else: nothing is lost, and it goes at the host's own pace. There it does not count
 * towards the partition's limit. Seeds and URLs that an operator forces are exempt. With a budget, the budget says when
 * such URLs may be drawn. Under `dropLowest` they are dropped, as for a full host (`hostFull`), since that partition
 * must hold no more than `queuedMax`.
 */

import type { PolicyConfig } from '../../../policy/policy.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import type { Decision } from '../decision.ts';
import { setOpen } from './budgets.ts';

/** Does a URL that arrives go beyond the share of its host or domain? `taken`: of the host, about to be admitted. */
export function isBeyondShare(
  { state: { shares } }: Decision,
  { queuedMax, queueShareMax }: PolicyConfig,
  hostKey: string,
  taken: number,
): boolean {
  if (!shares.on || queueShareMax === undefined) return false;
  const most = Math.max(frontierLimits.queueShareLeast, Math.floor(queuedMax * queueShareMax));
  return shares.ofDomain(hostKey) + taken >= most;
}

/** Without budgets, opens the queues of deferred URLs of hosts that have nothing else left, a slice at each step. */
export function openDrained(decision: Decision): void {
  const { state } = decision;
  if (state.shares.drained.size === 0) return;
  const ids = [...state.shares.drained].sort((a, b) => a - b).slice(0, frontierLimits.budgetKeysPerStep);
  for (const id of ids) setOpen(decision, state.hosts.at(id), true);
}
