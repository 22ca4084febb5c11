/**
 * An hour of two crawls on one cluster, as Prometheus records it, and what may go wrong in its second half: each
 * scenario says which series are other than those of a crawl that is well, and which alerts fire.
 */

/** A value a minute from the beginning, in promtool's notation: `0+5x60` grows by 5. */
export type Recorded = ReadonlyMap<string, string>;

export interface Scenario {
  readonly title: string;
  /** Applied to the series of a crawl that is well. */
  readonly change: (series: Map<string, string>) => void;
  /** Alerts that fire at the end, by name, each with labels that it must have at least. */
  readonly fires: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The last half hour is otherwise. */
const half = 30;
export const minutes = 2 * half;

const still = (value: number) => `${value}x${minutes}`;
const grows = (by: number) => `0+${by}x${minutes}`;
/** It stops to be told. */
const gone = (value: string) => `${value.replace(/x\d+$/, `x${half - 1}`)} _x${half}`;
const from = (before: number, after: number) => `${before}x${half - 1} ${after}x${half}`;
/** It stands still after a while. */
const stops = (by: number) => `0+${by}x${half} ${by * half}x${half - 1}`;
const begins = (by: number) => `0x${half} 0+${by}x${half - 1}`;

const partitions = [0, 1, 2, 3];
const reasons = ['undecodable', 'misrouted', 'parseKilled', 'unknown'];

function name(metric: string, labels: Readonly<Record<string, string | number>>): string {
  const reported = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return `${metric}{${reported.join(',')}}`;
}

/** What every process tells. */
function processSeries(crawl: string, pod: string, role: string): [string, string][] {
  const of = { crawl, pod, instance: `${pod}:9464`, job: 'crawlstream-metrics' };
  return [
    [name('up', { instance: of.instance, job: of.job, pod }), still(1)],
    [name('crawlstream_info', { ...of, version: '1', role }), still(1)],
    [name('crawlstream_ready', of), still(1)],
    [name('crawlstream_partitions', of), still(partitions.length)],
    [name('crawlstream_brokers_away', of), still(0)],
    [name('crawlstream_kafka_partitions_blocked', of), still(0)],
    ...['brokers', 'registry', 'schema', 'disk'].map((what): [string, string] => [
      name('crawlstream_cut_off', { ...of, what }),
      still(0),
    ]),
    [name('process_resident_memory_bytes', of), still(500e6)],
    [name('process_start_time_seconds', of), still(1_700_000_000)],
    [name('crawlstream_kafka_requests_total', { ...of, api: 'Fetch' }), grows(600)],
    [name('crawlstream_kafka_request_failures_total', { ...of, api: 'Fetch' }), still(0)],
    [name('crawlstream_store_stalled', { ...of, store: 'state', how: 'delayed' }), still(0)],
    [name('crawlstream_memory_limit_bytes', of), still(4e9)],
  ];
}

function frontierSeries(crawl: string, pod: string, owned: readonly number[]): [string, string][] {
  const of = { crawl, pod, instance: `${pod}:9464`, job: 'crawlstream-metrics' };
  const group = `${crawl}.frontier`;
  return [
    ...processSeries(crawl, pod, 'frontier'),
    [name('crawlstream_topic_settings_wrong', { ...of, urgent: 'yes' }), still(0)],
    [name('crawlstream_topic_settings_wrong', { ...of, urgent: 'no' }), still(1)],
    [name('crawlstream_frontier_fetchers', of), still(2)],
    [name('crawlstream_snapshot_interval_seconds', of), still(900)],
    [name('crawlstream_snapshot_age_seconds', of), still(450)],
    [name('crawlstream_snapshot_failures_total', of), still(0)],
    [name('crawlstream_disk_bytes', { ...of, store: 'state' }), still(20e9)],
    [name('crawlstream_disk_free_bytes', { ...of, store: 'state' }), still(12e9)],
    ...['0.01', '2.5', '+Inf'].map((le): [string, string] => [
      name('crawlstream_frontier_commit_seconds_bucket', { ...of, le }),
      grows(60),
    ]),
    ...reasons.map((reason): [string, string] => [
      name('crawlstream_dead_letters_total', { ...of, writer: 'frontier', reason }),
      still(0),
    ]),
    ...owned.flatMap((partition): [string, string][] => [
      [name('crawlstream_frontier_restored_ratio', { ...of, partition }), still(1)],
      [name('crawlstream_frontier_leases', { ...of, partition }), still(20)],
      [name('crawlstream_frontier_hosts', { ...of, partition, state: 'ready' }), still(30)],
      [name('crawlstream_frontier_urls', { ...of, partition, place: 'queued' }), still(200_000)],
      [name('crawlstream_frontier_queued_urls', { ...of, partition, front_queue: 2 }), still(80_000)],
      [name('crawlstream_frontier_queued_urls', { ...of, partition, front_queue: 7 }), still(120_000)],
      [name('crawlstream_frontier_queued_hosts', { ...of, partition }), still(3_000)],
      [name('crawlstream_frontier_host_urls_max', { ...of, partition }), still(20_000)],
      ...[
        ['2', 86_400],
        ['7', 60 * 86_400],
      ].map(([front_queue, ageS]): [string, string] => [
        name('crawlstream_frontier_queued_age_seconds', { ...of, partition, front_queue: front_queue!, share: '0.95' }),
        still(ageS as number),
      ]),
      [name('crawlstream_frontier_paused', { ...of, partition }), still(0)],
      [name('crawlstream_frontier_stopped', { ...of, partition }), still(0)],
      [name('crawlstream_frontier_cut_inputs_total', { ...of, partition }), still(0)],
      [name('crawlstream_frontier_foreign_records_total', { ...of, partition }), still(0)],
      [name('crawlstream_frontier_misrouted_total', { ...of, partition }), still(0)],
      [name('crawlstream_frontier_page_age_seconds', { ...of, partition, share: '0.95' }), still(6 * 86_400)],
      [name('crawlstream_lag_seconds', { ...of, group, topic: `${crawl}.results`, partition }), still(1)],
      [name('crawlstream_standby_staleness_seconds', { ...of, partition, rank: 1 }), still(1)],
    ]),
  ];
}

function fetcherSeries(crawl: string, pod: string): [string, string][] {
  const of = { crawl, pod, instance: `${pod}:9464`, job: 'crawlstream-metrics' };
  const fetches = (outcome: string) => name('crawlstream_fetcher_fetches_total', { ...of, outcome });
  return [
    ...processSeries(crawl, pod, 'fetcher'),
    [name('crawlstream_fetcher_requests_total', of), grows(600)],
    [name('crawlstream_fetcher_tasks_misrouted_total', of), still(0)],
    [name('crawlstream_fetcher_networks_away', of), still(0)],
    [name('crawlstream_fetcher_records_too_large_total', of), still(0)],
    [name('crawlstream_plugin_faults_total', { ...of, plugin: 'prices', hook: 'parse' }), still(0)],
    [name('crawlstream_fleet_held_crawls', of), still(0)],
    [fetches('fetched'), grows(500)],
    [fetches('timeout'), grows(20)],
    [fetches('throttled'), grows(5)],
  ];
}

function consumerSeries(crawl: string, pod: string): [string, string][] {
  const of = { crawl, pod, instance: `${pod}:9464`, job: 'crawlstream-metrics' };
  return [
    ...processSeries(crawl, pod, 'dedup'),
    ...['undecodable', 'consumerFailed'].map((reason): [string, string] => [
      name('crawlstream_dead_letters_total', { ...of, writer: 'dedup', reason }),
      still(0),
    ]),
    ...partitions.map((partition): [string, string] => [
      name('crawlstream_lag_retained_ratio', { ...of, group: `${crawl}.dedup`, topic: `${crawl}.pages`, partition }),
      still(0.1),
    ]),
  ];
}

/** Two crawls that are well; `other` stays so in every scenario. */
export function wellSeries(): Map<string, string> {
  return new Map(
    ['news', 'other'].flatMap((crawl) => [
      ...frontierSeries(crawl, `${crawl}-frontier-0`, [0, 1]),
      ...frontierSeries(crawl, `${crawl}-frontier-1`, [2, 3]),
      ...fetcherSeries(crawl, `${crawl}-fetcher-0`),
      ...fetcherSeries(crawl, `${crawl}-fetcher-1`),
      ...consumerSeries(crawl, `${crawl}-dedup-0`),
    ]),
  );
}

/** Of the crawl `news`. */
function set(series: Map<string, string>, pattern: RegExp, to: string | ((value: string) => string)): void {
  let count = 0;
  for (const [key, value] of series) {
    if (!key.includes('pod="news-') || !pattern.test(key)) continue;
    series.set(key, typeof to === 'string' ? to : to(value));
    count += 1;
  }
  if (count === 0) throw new Error(`no series is ${pattern}`);
}

const crawl = 'news';

/** Counters that should never grow: an alert fires at the first of them, be they many at once or one now and then. */
export const countedAlerts: Readonly<Record<string, RegExp>> = {
  CrawlstreamForeignRecords: /^crawlstream_frontier_foreign_records_total.*partition="2"/,
  CrawlstreamRecordsMisrouted: /^crawlstream_fetcher_tasks_misrouted_total.*fetcher-1/,
  CrawlstreamInputsCut: /^crawlstream_frontier_cut_inputs_total.*partition="2"/,
  CrawlstreamDeadLetters: /^crawlstream_dead_letters_total.*frontier-0.*undecodable/,
  CrawlstreamSnapshotsFail: /^crawlstream_snapshot_failures_total.*frontier-0/,
  CrawlstreamRecordsTooLarge: /^crawlstream_fetcher_records_too_large_total.*fetcher-1/,
  CrawlstreamPluginFaults: /^crawlstream_plugin_faults_total.*fetcher-1/,
};

/** Shapes of such a counter; the event is at minute 30, and the first alert at most 6 minutes later. */
export const shapes: Readonly<Record<string, string>> = {
  'a burst between two scrapes': `0x${half - 1} 500x${half}`,
  'one event': `0x${half - 1} 1x${half}`,
  'a trickle of one event in ten minutes': `0x${half - 1} 1x9 2x9 3x10`,
  'a burst with which the series begins': `_x${half} 500x${half}`,
};

/** A value of a well series while its process restarts at minute 30: it is away for a minute, and counters begin again. */
export function restarted(value: string): string {
  const [, first, by] = /^(-?[\d.e+]+?)(\+[\d.e]+)?x\d+$/.exec(value) ?? [];
  if (first === undefined) throw new Error(`${value} is no series of a crawl that is well`);
  const before = `${first}${by ?? ''}x${half - 2}`;
  return `${before} _x2 ${first}${by ?? ''}x${half - 2}`;
}

export function withSeries(pattern: RegExp, to: string | ((value: string) => string)): Map<string, string> {
  const series = wellSeries();
  set(series, pattern, to);
  return series;
}
const cutOff = (what: string) => (series: Map<string, string>) => {
  set(series, new RegExp(`^crawlstream_cut_off.*what="${what}"`), from(0, 1));
  set(series, /^crawlstream_ready/, from(1, 0));
};
const one = (title: string, pattern: RegExp, to: string, alert: string, labels = {}): Scenario => ({
  title,
  change: (series) => set(series, pattern, to),
  fires: { [alert]: { crawl, ...labels } },
});

export const scenarios: readonly Scenario[] = [
  { title: 'all is well', change: () => {}, fires: {} },
  {
    title: 'everything is gone',
    change: (series) => {
      for (const [key, value] of series) series.set(key, gone(value));
    },
    fires: { CrawlstreamNothingScraped: {} },
  },
  {
    title: 'a process does not answer',
    change: (series) => {
      set(series, /pod="news-dedup-0"/, gone);
      set(series, /^up.*pod="news-dedup-0"/, from(1, 0));
    },
    fires: { CrawlstreamProcessDown: { pod: 'news-dedup-0' } },
  },
  // The operator's job is a Service's name or NAMESPACE/MONITOR; other scrapers' jobs have any name.
  ...['news-metrics', 'crawls/papers', 'kubernetes-pods'].map(
    (job): Scenario => ({
      title: `a process of job ${job} does not answer`,
      change: (series) => {
        for (const [key, value] of [...series]) {
          series.delete(key);
          series.set(key.replace('job="crawlstream-metrics"', `job="${job}"`), value);
        }
        set(series, /pod="news-dedup-0"/, gone);
        set(series, /^up.*pod="news-dedup-0"/, from(1, 0));
      },
      fires: { CrawlstreamProcessDown: { pod: 'news-dedup-0', job } },
    }),
  ),
  {
    title: 'a target of our monitors has never answered',
    change: (series) => {
      const target = { instance: 'news-fetcher-9:9464', job: 'crawls/papers', pod: 'news-fetcher-9' };
      series.set(name('up', { ...target, program: 'crawlstream' }), still(0));
    },
    fires: { CrawlstreamProcessDown: { pod: 'news-fetcher-9' } },
  },
  {
    title: 'another program does not answer',
    change: (series) => series.set(name('up', { instance: 'node-1:9100', job: 'node-exporter' }), from(1, 0)),
    fires: {},
  },
  one('a process waits', /^crawlstream_ready.*dedup/, from(1, 0), 'CrawlstreamNotReady', { pod: 'news-dedup-0' }),
  {
    title: 'no broker answers: lag grows, copies get stale, nothing is fetched, and only the brokers are told of',
    change: (series) => {
      cutOff('brokers')(series);
      set(series, /^crawlstream_brokers_away/, from(0, 3));
      set(series, /^crawlstream_fetcher_(requests|fetches)_total/, stops(600));
      set(series, /^crawlstream_(lag_seconds|standby_staleness_seconds)/, begins(60));
    },
    fires: { CrawlstreamBrokersAway: { crawl, severity: 'critical' } },
  },
  one('one broker of several', /^crawlstream_brokers_away/, from(0, 1), 'CrawlstreamBrokerAway'),
  {
    title: 'a process cannot start for want of the registry',
    change: (series) => {
      set(series, /^crawlstream_cut_off.*fetcher-1.*what="registry"/, from(0, 1));
      set(series, /^crawlstream_ready.*fetcher-1/, from(1, 0));
    },
    fires: { CrawlstreamRegistryAway: { crawl } },
  },
  { title: 'a schema nobody knows', change: cutOff('schema'), fires: { CrawlstreamSchemaUnknown: { crawl } } },
  {
    title: 'all frontiers are gone',
    change: (series) => {
      set(series, /frontier-\d"/, gone);
      set(series, /^crawlstream_fetcher_(requests|fetches)_total/, stops(600));
    },
    fires: { CrawlstreamNoFrontier: { crawl } },
  },
  {
    title: 'one frontier is gone for long, and nobody has its partitions',
    change: (series) => {
      for (const [key, value] of series)
        if (key.includes('news-frontier-1')) series.set(key, `${value.split('x')[0]}x0`);
    },
    fires: { CrawlstreamPartitionWithoutOwner: { crawl } },
  },
  {
    title: 'a partition that is being restored has an owner',
    change: (series) => {
      set(series, /^crawlstream_frontier_leases.*partition="1"/, gone);
      set(series, /^crawlstream_frontier_restored_ratio.*partition="1"/, from(1, 0.2));
    },
    fires: {},
  },
  {
    title: 'all fetchers are gone',
    change: (series) => {
      set(series, /fetcher-\d"/, gone);
      set(series, /^crawlstream_frontier_fetchers/, from(2, 0));
    },
    fires: { CrawlstreamNoFetcher: { crawl } },
  },
  {
    title: 'fetchers are there and fetch nothing',
    change: (series) => set(series, /^crawlstream_fetcher_(requests|fetches)_total/, stops(600)),
    fires: { CrawlstreamCrawlStandsStill: { crawl } },
  },
  {
    title: 'a paused crawl fetches nothing, with fetchers',
    change: (series) => {
      set(series, /^crawlstream_fetcher_(requests|fetches)_total/, stops(600));
      set(series, /^crawlstream_frontier_paused/, from(0, 1));
    },
    fires: {},
  },
  {
    title: 'a paused crawl fetches nothing, without fetchers',
    change: (series) => {
      set(series, /fetcher-\d"/, gone);
      set(series, /^crawlstream_frontier_fetchers/, from(2, 0));
      set(series, /^crawlstream_frontier_paused/, from(0, 1));
    },
    fires: {},
  },
  {
    title: 'one partition of several has read the pause, and the others stand still',
    change: (series) => {
      set(series, /^crawlstream_fetcher_(requests|fetches)_total/, stops(600));
      set(series, /^crawlstream_frontier_paused.*partition="1"/, from(0, 1));
    },
    fires: { CrawlstreamCrawlStandsStill: { crawl } },
  },
  {
    title: 'fetchers are there, and tell nothing of themselves',
    change: (series) => set(series, /^crawlstream_fetcher_/, gone),
    fires: { CrawlstreamCrawlStandsStill: { crawl } },
  },
  one('a blocked append', /^crawlstream_kafka_partitions_blocked.*frontier-0/, from(0, 2), 'CrawlstreamAppendsBlocked'),
  one('a changed setting', /^crawlstream_topic_settings_wrong.*yes/, from(0, 1), 'CrawlstreamTopicSettingsWrong'),
  one('a network that is away', /^crawlstream_fetcher_networks_away/, from(0, 1), 'CrawlstreamNetworkAway'),
  one('damage', /^crawlstream_frontier_stopped.*partition="2"/, from(0, 1), 'CrawlstreamPartitionStandsStill', {
    partition: '2',
  }),
  one('a lost tail', /^crawlstream_frontier_cut_inputs_total.*partition="2"/, from(0, 1), 'CrawlstreamInputsCut'),
  one('others write', /^crawlstream_frontier_foreign_records_total/, begins(1), 'CrawlstreamForeignRecords'),
  one('misrouted links', /^crawlstream_frontier_misrouted_total/, begins(3), 'CrawlstreamRecordsMisrouted'),
  one('misrouted tasks', /^crawlstream_fetcher_tasks_misrouted_total/, begins(3), 'CrawlstreamRecordsMisrouted'),
  one('results wait', /^crawlstream_lag_seconds.*partition="3"/, begins(60), 'CrawlstreamResultsWait', {
    topic: 'news.results',
    partition: '3',
  }),
  one(
    'a slow consumer',
    /^crawlstream_lag_retained_ratio.*partition="1"/,
    from(0.1, 0.6),
    'CrawlstreamConsumerFallsBehind',
    {
      group: 'news.dedup',
      topic: 'news.pages',
    },
  ),
  one(
    'slow disks',
    /^crawlstream_frontier_commit_seconds_bucket.*le="(0.01|2.5)"/,
    stops(60),
    'CrawlstreamCommitsSlow',
  ),
  one('a slow copy', /^crawlstream_standby_staleness_seconds.*partition="0"/, from(1, 400), 'CrawlstreamStandbyStale'),
  one('an old snapshot', /^crawlstream_snapshot_age_seconds.*frontier-0/, from(450, 2_000), 'CrawlstreamSnapshotsFail'),
  one(
    'a snapshot that fails',
    /^crawlstream_snapshot_failures_total.*frontier-0/,
    from(0, 1),
    'CrawlstreamSnapshotsFail',
  ),
  ...['undecodable', 'misrouted', 'parseKilled'].map((reason) =>
    one(
      `dead letters: ${reason}`,
      new RegExp(`^crawlstream_dead_letters_total.*frontier-0.*reason="${reason}"`),
      begins(2),
      'CrawlstreamDeadLetters',
      { reason },
    ),
  ),
  one(
    'a consumer that gives up',
    /^crawlstream_dead_letters_total.*consumerFailed/,
    begins(1),
    'CrawlstreamDeadLetters',
    {
      reason: 'consumerFailed',
    },
  ),
  one('no network', /^crawlstream_fetcher_fetches_total.*timeout/, begins(2_000), 'CrawlstreamFailuresMany'),
  {
    title: 'hosts complain',
    change: (series) => set(series, /^crawlstream_fetcher_fetches_total.*throttled/, grows(100)),
    fires: { CrawlstreamThrottled: { crawl } },
  },
  {
    title: 'a partition with most of the work',
    change: (series) => {
      set(series, /^crawlstream_frontier_urls/, still(50_000));
      for (const key of series.keys())
        if (/^crawlstream_frontier_urls.*"news".*partition="1"/.test(key)) series.set(key, still(90e6));
    },
    fires: { CrawlstreamHostsSkewed: { crawl } },
  },
  one(
    'a host with most of what is queued',
    /^crawlstream_frontier_host_urls_max.*partition="2"/,
    from(20_000, 500_000),
    'CrawlstreamOneHostDominates',
  ),
  {
    title: 'a host with most of what is queued, in a crawl of few hosts',
    change: (series) => {
      set(series, /^crawlstream_frontier_host_urls_max.*partition="2"/, still(500_000));
      set(series, /^crawlstream_frontier_queued_hosts/, still(2));
    },
    fires: {},
  },
  one(
    'URLs that wait though they matter',
    /^crawlstream_frontier_queued_age_seconds.*partition="1".*front_queue="2"/,
    from(86_400, 8 * 86_400),
    'CrawlstreamQueueOld',
    { front_queue: '2' },
  ),
  one('old pages', /^crawlstream_frontier_page_age_seconds.*partition="3"/, still(8 * 86_400), 'CrawlstreamPagesStale'),
  one('a full disk', /^crawlstream_disk_free_bytes.*frontier-1/, from(12e9, 2e9), 'CrawlstreamDiskNearlyFull', {
    pod: 'news-frontier-1',
    store: 'state',
  }),
  {
    title: 'a disk without room, of a frontier that others take over from',
    change: (series) => {
      set(series, /^crawlstream_disk_free_bytes.*frontier-1/, from(12e9, 0));
      set(series, /^crawlstream_cut_off.*frontier-1.*what="disk"/, from(0, 1));
      set(series, /^crawlstream_ready.*frontier-1/, from(1, 0));
      for (const [key, value] of series) {
        if (!key.includes('news-frontier-1') || !/^crawlstream_(frontier_|lag_|standby_)/.test(key)) continue;
        series.delete(key);
        series.set(key.replaceAll('news-frontier-1', 'news-frontier-0'), value);
      }
    },
    fires: { CrawlstreamDiskFull: { crawl, pod: 'news-frontier-1' } },
  },
  {
    title: 'a disk without room, of the only frontier: its partitions have no owner for that reason',
    change: (series) => {
      set(series, /frontier-0"/, gone);
      set(series, /^crawlstream_cut_off.*frontier-1.*what="disk"/, from(0, 1));
      set(series, /^crawlstream_ready.*frontier-1/, from(1, 0));
      set(series, /^crawlstream_(frontier_|lag_|standby_).*frontier-1/, gone);
      set(series, /^crawlstream_fetcher_(requests|fetches)_total/, stops(600));
    },
    fires: { CrawlstreamDiskFull: { crawl, severity: 'critical' } },
  },
  one(
    'a process that starts again and again',
    /^process_start_time_seconds.*fetcher-1/,
    begins(60),
    'CrawlstreamRestarts',
    {
      pod: 'news-fetcher-1',
    },
  ),
  one(
    'brokers that often do not answer',
    /^crawlstream_kafka_request_failures/,
    begins(120),
    'CrawlstreamRequestsToBrokersFail',
  ),
  one('a store that waits', /^crawlstream_store_stalled.*frontier-1/, from(0, 1), 'CrawlstreamStoreStalled', {
    store: 'state',
  }),
  one('large responses', /^crawlstream_fetcher_records_too_large/, begins(1), 'CrawlstreamRecordsTooLarge'),
  one('a plugin that throws', /^crawlstream_plugin_faults/, begins(1), 'CrawlstreamPluginFaults', { plugin: 'prices' }),
  {
    title: 'a crawl of a fleet that stopped its process',
    change: (series) => set(series, /^crawlstream_fleet_held_crawls.*fetcher-0/, from(0, 1)),
    fires: { CrawlstreamFleetCrawlsHeld: { instance: 'news-fetcher-0:9464' } },
  },
  one('full memory', /^process_resident_memory_bytes.*frontier-1/, from(500e6, 3.7e9), 'CrawlstreamMemoryNearlyFull', {
    pod: 'news-frontier-1',
  }),
];
