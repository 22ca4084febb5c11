/** The fetchers of a fleet, as its frontiers use them: other processes, which take tasks from the fleet's topic. */
import type { FetchersElsewhere } from '../../../application/crawl/start-whole.ts';
import { emptyStats } from '../../../fetcher/fetcher-stats.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { DemandReader } from '../fetchers/demand.ts';

/** Time between checks whether leases are active, ms. */
const lookMs = 50;

export function fetchersElsewhere(
  demand: Pick<DemandReader, 'leasesOf' | 'listen'>,
  name: string,
  clock: Clock,
): FetchersElsewhere {
  return {
    leasesHeld: () => demand.leasesOf(name),
    onMore: (listener) => demand.listen(listener),
    start: (frontier) => ({
      stats: emptyStats,
      positions: () => [],
      // Fetchers notice that the crawl must not run, and return its leases.
      async stop(graceMs = 0) {
        const endMs = clock.nowMs() + graceMs;
        const isOut = () => (frontier.committed()[0]?.counters.leased ?? 0) > 0;
        while (isOut() && clock.nowMs() < endMs) await clock.sleepUntil(clock.nowMs() + lookMs);
      },
    }),
  };
}
