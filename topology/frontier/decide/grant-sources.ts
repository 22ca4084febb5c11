/** How leases are distributed over the queues that their URLs came from. For metrics only; no decision uses it. */
import { frontQueueCount } from '../../url/front-queue.ts';

/**
 * A front queue by its number; `deferred`: over a budget, or from a released trap; `again`: retried or returned URLs;
 * `revisit`: due pages.
 */
export const grantSources = ['0', '1', '2', '3', '4', '5', '6', '7', 'deferred', 'again', 'revisit'] as const;
export type GrantSource = (typeof grantSources)[number];

interface Load {
  readonly due: number;
  readonly again: number;
  readonly frontQueues: readonly (readonly [frontQueue: number, count: number])[];
}

export function countGranted(counts: Map<GrantSource, number>, { due, again, frontQueues }: Load): void {
  const add = (source: GrantSource, count: number) => {
    if (count > 0) counts.set(source, (counts.get(source) ?? 0) + count);
  };
  add('revisit', due);
  add('again', again);
  for (const [number, count] of frontQueues) {
    add(number < frontQueueCount ? (String(number) as GrantSource) : 'deferred', count);
  }
}
