/**
 * How alerts take a burst, a trickle, a cause that comes and goes, a restart and the end of their cause: hours of a crawl that is
 * well, but for minutes that are as the alert's scenario says.
 */
import { type Scenario, wellSeries } from './alert-scenarios.ts';

export interface Taken {
  /** Whether it fires for a minute of its cause. */
  readonly burst: boolean;
  /** Whether it fires for a minute of its cause in ten. */
  readonly trickle: boolean;
  /** true: it fires for a cause in every second minute. Else the reason why it is silent then. */
  readonly flap: true | string;
  /** It fires no more so many minutes after its cause has ended. */
  readonly silentAfter: number;
}

const lasting = { burst: false, trickle: false, silentAfter: 10 };
/** Of counters that should never grow. They look back an hour. */
const counted: Taken = { burst: true, trickle: true, flap: true, silentAfter: 65 };
/** Rates and counts of minutes: they add up what comes and goes. */
const summed: Taken = { ...lasting, flap: true };
const steady = (reason: string): Taken => ({ ...lasting, flap: reason });
const mended = steady('the cause stays until somebody mends it');
const slow = steady('the cause comes and goes over hours');

export const taken: Readonly<Record<string, Taken>> = {
  CrawlstreamNothingScraped: steady('what is scraped now and then is watched by the other alerts'),
  CrawlstreamProcessDown: steady('what answers now and then is watched by the other alerts, and a restart is counted'),
  CrawlstreamNotReady: { ...summed, silentAfter: 20 },
  CrawlstreamBrokersAway: summed,
  CrawlstreamBrokerAway: summed,
  CrawlstreamRestarts: { burst: false, trickle: true, flap: true, silentAfter: 65 },
  CrawlstreamRequestsToBrokersFail: summed,
  CrawlstreamStoreStalled: steady('compactions make writes wait for a moment'),
  CrawlstreamRecordsTooLarge: counted,
  CrawlstreamPluginFaults: counted,
  CrawlstreamFleetCrawlsHeld: mended,
  CrawlstreamAppendsBlocked: summed,
  CrawlstreamTopicSettingsWrong: mended,
  CrawlstreamRegistryAway: steady('a process that waits for the registry starts as soon as it answers'),
  CrawlstreamSchemaUnknown: mended,
  CrawlstreamNoFrontier: steady('frontiers that come and go are restarts, which are counted'),
  CrawlstreamPartitionWithoutOwner: steady('a partition that moves has an owner in between, and goes on'),
  CrawlstreamNoFetcher: steady('the crawl goes on in between, and restarts are counted'),
  CrawlstreamNetworkAway: steady('hosts are fetched in between, and failures are counted'),
  CrawlstreamCrawlStandsStill: steady('pages are fetched in between'),
  CrawlstreamPartitionStandsStill: mended,
  CrawlstreamInputsCut: counted,
  CrawlstreamForeignRecords: counted,
  CrawlstreamRecordsMisrouted: counted,
  CrawlstreamResultsWait: steady('a lag that ends in between is caught up with'),
  CrawlstreamConsumerFallsBehind: slow,
  CrawlstreamCommitsSlow: summed,
  CrawlstreamStandbyStale: steady('a copy that catches up in between is warm'),
  // Of its age. A snapshot that fails is counted: see countedAlerts.
  CrawlstreamSnapshotsFail: slow,
  CrawlstreamDeadLetters: counted,
  CrawlstreamFailuresMany: summed,
  CrawlstreamThrottled: { ...summed, silentAfter: 30 },
  CrawlstreamHostsSkewed: slow,
  CrawlstreamOneHostDominates: slow,
  CrawlstreamQueueOld: slow,
  CrawlstreamPagesStale: slow,
  CrawlstreamDiskFull: steady('it ends only once a twentieth of the disk is free'),
  CrawlstreamDiskNearlyFull: slow,
  CrawlstreamMemoryNearlyFull: steady('a process that frees memory in between has room'),
};

export interface Timeline {
  readonly name: string;
  readonly series: ReadonlyMap<string, string>;
  /** Whether the alert fires, by minute. */
  readonly fires: Readonly<Record<number, boolean>>;
}

/** The cause begins in the second hour, and ends in the fourth. */
const [beginMinute, restartMinute, endMinute, lastMinute] = [60, 125, 180, 250];

const at = (minutes: readonly number[], fires: boolean) => Object.fromEntries(minutes.map((minute) => [minute, fires]));

/** `forMinutes`: how long the rule waits. */
export function timelinesOf(
  scenario: Scenario,
  { burst, trickle, flap, silentAfter }: Taken,
  forMinutes: number,
): Timeline[] {
  const series = (isBad: (minute: number) => boolean, restart?: number) => seriesOf(scenario, isBad, restart);
  const lasts = (minute: number) => minute >= beginMinute && minute < endMinute;
  return [
    {
      name: 'burst',
      series: series((minute) => minute === beginMinute),
      fires: at(burst ? [66, 70, 80, 90, 100] : [60, 61, 62, 63, 64, 65, 66, 70, 75, 80, 90, 100], burst),
    },
    {
      name: 'trickle',
      series: series((minute) => lasts(minute) && minute % 10 === 0),
      fires: at(trickle ? [100, 115, 150, 175] : [80, 95, 100, 101, 105, 110, 111, 115, 131, 150, 175], trickle),
    },
    {
      name: 'every second minute',
      series: series((minute) => lasts(minute) && minute % 2 === 0),
      fires: at([110, 111, 120, 135, 150, 151, 175], flap === true),
    },
    {
      name: 'restart, then silence',
      series: series(lasts, restartMinute),
      fires: { 59: false, ...at([124, restartMinute + 2 + forMinutes + 6], true), [endMinute + silentAfter]: false },
    },
  ];
}

/** At a restart every process of the crawl is away for two minutes, and its counters begin again. */
function seriesOf({ change }: Scenario, isBad: (minute: number) => boolean, restart = Infinity): Map<string, string> {
  const [well, bad] = [wellSeries(), wellSeries()];
  change(bad);
  const series = new Map<string, string>();
  for (const key of new Set([...well.keys(), ...bad.keys()])) {
    if (key.includes('"other')) continue;
    const [usual, other] = [courseOf(well.get(key)), courseOf(bad.get(key))];
    const isCounter = /^\w+_(total|bucket)\{|^process_start_time_seconds/.test(key);
    // Where a scenario's counter has grown once, each bad minute has that growth.
    const grown = other.by === 0 ? Math.max(0, (other.last ?? 0) - (usual.last ?? 0)) : other.by;
    let total = 0;
    const values = Array.from({ length: lastMinute + 1 }, (_, minute) => {
      const isNow = isBad(minute);
      const course = isNow ? other : usual;
      const isAway = minute >= restart && minute < restart + 2 && !key.startsWith('up{');
      if (isAway && !key.startsWith('process_start_time')) total = 0;
      if (isAway || course.last === null) return '_';
      if (!isCounter) return course.last;
      total += isNow ? grown : usual.by;
      return total;
    });
    series.set(key, values.join(' '));
  }
  return series;
}

interface Course {
  /** null: nothing is scraped. */
  readonly last: number | null;
  /** Growth in the last minute. */
  readonly by: number;
}

/** How a series ends, from promtool's notation. */
function courseOf(text = '_'): Course {
  const values = text.split(' ').flatMap((part) => {
    const [, first = '_', by = '0', times] = /^(_|-?[\d.]+)([+-][\d.]+)?(?:x(\d+))?$/.exec(part) ?? [];
    const length = times === undefined ? 1 : Number(times) + (first === '_' ? 0 : 1);
    return Array.from({ length }, (_, step) => (first === '_' ? null : Number(first) + step * Number(by)));
  });
  // A series that ends before the hour does is gone.
  if (values.length < 60) return { last: null, by: 0 };
  const [previous, last] = values.slice(-2) as [number | null, number | null];
  return { last, by: last === null || previous === null ? 0 : last - previous };
}
