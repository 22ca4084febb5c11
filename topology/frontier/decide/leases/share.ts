/**
 * How a lease is shared between what its host has to discover and its pages that are due.
 *
 * A partition counts, as credit, how many fetches refresh is behind its share. What one kind has no use for, the other
 * takes; the share never makes a lease longer or earlier.
 */

import type { Host } from '../../state/state.ts';
import type { Decision } from '../decision.ts';

/** How many URLs of the schedule go on a lease of at most `most`. */
export function refreshCount({ state, nowMs }: Decision, { id, queue }: Host, most: number): number {
  const { table, share, credit } = state.recrawl;
  if (table.size === 0) return 0;
  const due = table.dueCount(id, Math.floor(nowMs / 1_000), most);
  if (due === 0) return 0;
  const open = Math.min(most, openCount(queue, nowMs));
  const part = (share * most) / 1_000;
  return Math.min(due, Math.max(most - open, credit > 0 ? Math.ceil(part) : Math.floor(part)));
}

/** URLs that may be fetched for the first time, or once more, now. */
function openCount(queue: Host['queue'], nowMs: number): number {
  let count = queue.dueCount(nowMs);
  for (const { number, size } of queue.frontQueues()) if (!queue.isHeld(number)) count += size;
  return count;
}
