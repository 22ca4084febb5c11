/**
 * Divides a lease between discovery and revisits of its host.
 *
 * As credit, a partition counts how many fetches revisits are behind their share. If one kind has too few URLs, the
 * other takes the rest. The share never makes a lease longer or earlier.
 */

import type { Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';

/** Number of due revisits on a lease of at most `most` URLs. */
export function refreshCount({ state, nowMs }: Decision, { id, queue }: Host, most: number): number {
  const { table, share, credit } = state.recrawl;
  if (table.size === 0) return 0;
  const due = table.dueCount(id, Math.floor(nowMs / 1_000), most);
  if (due === 0) return 0;
  const open = Math.min(most, openCount(queue, nowMs));
  const part = (share * most) / 1_000;
  return Math.min(due, Math.max(most - open, credit > 0 ? Math.ceil(part) : Math.floor(part)));
}

/** URLs that may be fetched now for the first time, or again. */
function openCount(queue: Host['queue'], nowMs: number): number {
  let count = queue.dueCount(nowMs);
  for (const { number, size } of queue.frontQueues()) if (!queue.isHeld(number)) count += size;
  return count;
}
