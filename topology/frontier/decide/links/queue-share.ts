/**
 * Shares of the queue: no host and no registrable domain holds more than a share of `queuedMax`. So a link farm or a
 * sitemap of millions fills only its own share: a full partition stops reading for all hosts.
 *
 * URLs beyond the share are deferred in the front queue of the host that budgets use too (queues/held-queues.ts), and
 * are drawn once the host has no others: nothing is lost, and they go at the host's pace. There they do not count
 * towards the partition's limit. Seeds and URLs that an operator forces are exempt. With a budget, the budget decides
 * when such URLs may be drawn. Under `dropLowest` they are dropped, as for a full host (`hostFull`), since that
 * partition must hold no more than `queuedMax`.
 */

import type { PolicyConfig } from '../../../policy/policy.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import type { Decision } from '../decision.ts';
import { setOpen } from './budgets.ts';

/**
 * True if an arriving URL exceeds the share of its host or domain. `taken`: URLs of the host that are about to be
 * admitted.
 */
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
