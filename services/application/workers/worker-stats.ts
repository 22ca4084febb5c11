/** The figures of several fetchers as those of one: what counts up includes fetchers that have ended. */
import type { FetcherStats } from '../../fetcher/fetcher-stats.ts';
import type { HookUse } from '../../fetcher/hooks/run-hooks.ts';
import { Distribution, secondsBounds, waitBounds } from '../../runtime/metrics/distribution.ts';
import type { PlainStats } from './worker-orders.ts';

/** Statistics of the current moment, which are zero once a fetcher has ended. */
const momentary = [
  'leasesMax',
  'leasesRunning',
  'tasksWaiting',
  'networksAway',
  'requestsInFlight',
  'requestsWaiting',
  'openOrigins',
  'pacedHosts',
] as const;
const counted = ['tasksMisrouted', 'tasksUndecodable', 'requests', 'bytes', 'tooLarge'] as const;

/** The statistics after the fetcher has ended. */
export function endedStats(stats: PlainStats): PlainStats {
  return { ...stats, ...Object.fromEntries(momentary.map((name) => [name, 0])) };
}

export function sumStats(all: Iterable<PlainStats>): FetcherStats {
  const numbers = Object.fromEntries([...momentary, ...counted].map((name) => [name, 0])) as Record<
    (typeof momentary)[number] | (typeof counted)[number],
    number
  >;
  const outcomes: Record<string, number> = {};
  const hooks = new Map<string, HookUse>();
  const requestSeconds = new Distribution(secondsBounds);
  const hostIntervalSeconds = new Distribution(waitBounds);
  for (const stats of all) {
    for (const name of [...momentary, ...counted]) numbers[name] += stats[name];
    for (const [kind, count] of Object.entries(stats.outcomes)) outcomes[kind] = (outcomes[kind] ?? 0) + count;
    for (const { plugin, hook, calls, seconds, faults } of stats.hooks) {
      const name = `${plugin} ${hook}`;
      let use = hooks.get(name);
      if (use === undefined) hooks.set(name, (use = { plugin, hook, calls: 0, seconds: 0, faults: 0 }));
      use.calls += calls;
      use.seconds += seconds;
      use.faults += faults;
    }
    requestSeconds.add(stats.requestSeconds);
    hostIntervalSeconds.add(stats.hostIntervalSeconds);
  }
  return { ...numbers, outcomes, hooks: [...hooks.values()], requestSeconds, hostIntervalSeconds };
}

/** The combined figures of these fetchers, as of one that has ended. */
export function addEnded(sum: PlainStats, stats: PlainStats): PlainStats {
  return endedStats(sumStats([sum, stats]));
}
