/** Verdicts on single pages as events for the frontier, some pages of one host in each. */
import type { Control, Duplicate } from '../../../schemas/types.ts';
import { controlEvent } from '../../runtime/crawl/control-log.ts';

/** Pages per event: with the longest URLs, an event is a sixth of the largest record. */
const pagesPerEvent = 40;

export function verdictEvents(published: readonly Duplicate[], nowMs: number): Control[] {
  const byHost = new Map<string, Duplicate[]>();
  for (const one of published) byHost.set(one.hostKey, [...(byHost.get(one.hostKey) ?? []), one]);
  return [...byHost].flatMap(([hostKey, all]) => {
    const urls = all.map(({ url, representative }) => ({ url, of: representative === url ? '' : representative }));
    return Array.from({ length: Math.ceil(urls.length / pagesPerEvent) }, (_, n) => {
      const some = urls.slice(n * pagesPerEvent, (n + 1) * pagesPerEvent);
      const payload = JSON.stringify({ prefixes: [], urls: some });
      return controlEvent({ kind: 'duplicates', atMs: nowMs, by: 'dedup', hostKey, payload });
    });
  });
}
