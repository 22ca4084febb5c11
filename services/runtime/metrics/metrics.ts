/**
 * Every metric of every service, by name.
 *
 * Prometheus's conventions: base units (seconds, bytes), `_total` on counters, labels with few values (never a URL or
 * a host). Values from a partition's counters have the label partition, so that a rate over all of them is right
 * while partitions move between processes. Metrics cost nothing on hot paths: values are read at each scrape from
 * counters that exist anyway.
 */
export interface MetricSpec {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

export const metrics = {
  crawlstream_info: gauge('Always 1: the release, and what this process does', 'version', 'role'),
  crawlstream_ready: gauge('1 while everything this process holds is restored'),
  crawlstream_partitions: gauge('Partitions of the crawl'),
  crawlstream_brokers_away: gauge('Brokers that do not answer'),
  crawlstream_topic_settings_wrong: gauge(
    'Risks of how topics are set on the brokers; urgent: records are deleted or refused',
    'urgent',
  ),
  crawlstream_cut_off: gauge(
    '1: nothing can be done without what is away: brokers, registry, a schema, or room on a disk',
    'what',
  ),
  crawlstream_fleet_held_crawls: gauge(
    'Crawls that stopped the process of their fleet: the operator alone resumes them',
  ),
  crawlstream_dead_letters_total: counter('Dead letters of this process, by reason', 'writer', 'reason'),
  crawlstream_exports_total: counter(
    'Metrics (exports) and log lines to a collector: exported, or failed to be',
    'signal',
    'fate',
  ),
  crawlstream_spans_total: counter('Spans of traced URLs: exported, or failed to be', 'fate'),

  crawlstream_kafka_requests_total: counter('Requests to brokers', 'api'),
  crawlstream_kafka_request_failures_total: counter('Of those, the ones without an answer', 'api'),
  crawlstream_kafka_request_seconds_total: counter(
    'Time that they took; a Fetch or a JoinGroup waits on purpose',
    'api',
  ),
  crawlstream_kafka_produce_retries_total: counter('Batches that were sent again, or later than they could be'),
  crawlstream_kafka_partitions_blocked: gauge('Partitions that have taken no append for 10 s, while some wait'),
  crawlstream_kafka_rebalances_total: counter('Assignments that this process was given', 'group'),

  crawlstream_frontier_urls: gauge('Admitted URLs by where they are: queued, leased, page, …', 'partition', 'place'),
  crawlstream_frontier_hosts_known: gauge('Hosts known to the crawl', 'partition'),
  crawlstream_frontier_hosts: gauge(
    'Hosts that are ready, delayed, on lease: one with several slots may be two of these',
    'partition',
    'state',
  ),
  crawlstream_frontier_queued_hosts: gauge('Hosts with queued URLs', 'partition'),
  crawlstream_frontier_host_urls_max: gauge('Most queued URLs of one host', 'partition'),
  crawlstream_frontier_queued_urls: gauge('URLs in front queues', 'partition', 'front_queue'),
  crawlstream_frontier_queued_age_seconds: gauge(
    'Since URLs came into the front queue in which they wait: this share of them no longer ago; after a restart, at least',
    ...['partition', 'front_queue', 'share'],
  ),
  crawlstream_frontier_leases: gauge('Current leases', 'partition'),
  crawlstream_frontier_links_total: counter('Links read from discovered', 'partition'),
  crawlstream_frontier_admissions_total: counter('URLs admitted', 'partition'),
  crawlstream_frontier_duplicates_total: counter('Links to URLs that were known', 'partition'),
  crawlstream_frontier_refusals_total: counter('Links not admitted, by the rule', 'partition', 'reason'),
  crawlstream_frontier_retries_total: counter('URLs returned to the queue for a retry', 'partition'),
  crawlstream_frontier_requests_total: counter('Requests that fetchers reported, robots.txt among them', 'partition'),
  crawlstream_frontier_received_bytes_total: counter('Bytes that fetchers reported', 'partition'),
  crawlstream_frontier_not_modified_total: counter('Answers 304', 'partition'),
  crawlstream_frontier_revisits_total: counter('Refetches of pages that could detect a change', 'partition'),
  crawlstream_frontier_changes_found_total: counter('Refetches that found a change', 'partition'),
  crawlstream_frontier_scheduled: gauge('URLs scheduled for refetch', 'partition'),
  crawlstream_frontier_fresh_ratio: gauge(
    'Share of pages expected to be as they were seen',
    'partition',
    'front_queue',
  ),
  crawlstream_frontier_page_age_seconds: gauge(
    'Since pages were last seen: this share of them no longer ago',
    'partition',
    'share',
  ),
  crawlstream_frontier_within_goal_ratio: gauge('Share of pages seen within seven days', 'partition'),
  crawlstream_frontier_sitemap_trust_ratio: gauge('Share of sitemap and feed dates that proved right', 'partition'),
  crawlstream_frontier_late_results_total: counter('Results of leases that had ended', 'partition'),
  crawlstream_frontier_undecodable_total: counter('Unreadable records', 'partition'),
  crawlstream_frontier_untaken_total: counter('Leases that ended before any fetcher had taken their task', 'partition'),
  crawlstream_frontier_misrouted_total: counter('Groups and records on a wrong partition for their key', 'partition'),
  crawlstream_frontier_fetchers: gauge('Members of the fetchers’ group, as this process sees it'),
  crawlstream_frontier_tasks_waiting: gauge('Leases with a task that no fetcher has taken yet', 'partition'),
  crawlstream_frontier_cut_inputs_total: counter(
    'Input partitions that lost records after they were read',
    'partition',
  ),
  crawlstream_frontier_foreign_records_total: counter('Records of the changelog that others wrote', 'partition'),
  crawlstream_frontier_links_dropped_total: counter('Links of pages beyond what is taken from one', 'partition'),
  crawlstream_frontier_over_share_total: counter(
    'URLs that wait behind all others, as their host or domain had its share of the queue',
    'partition',
  ),
  crawlstream_frontier_truncated_total: counter('Pages with a body cut at the limit', 'partition'),
  crawlstream_frontier_not_read_total: counter('Successful responses with an unsupported media type', 'partition'),
  crawlstream_frontier_granted_total: counter('Leases granted by this process'),
  crawlstream_frontier_granted_urls_total: counter(
    'URLs on them, by what they were taken from: a front queue, deferred, again (they came back), revisit',
    'source',
  ),
  crawlstream_frontier_commits_total: counter('Commits of this process that are durable'),
  crawlstream_frontier_commit_bytes_total: counter('Their bytes in the changelog'),
  crawlstream_frontier_step_seconds: histogram('Time to decide a commit'),
  crawlstream_frontier_commit_seconds: histogram('From a commit handed to the log until it is durable'),
  crawlstream_frontier_decision_seconds: histogram(
    'From the oldest input of a read being appended until the commit that followed is durable',
  ),
  crawlstream_frontier_latency_seconds: histogram(
    'From a link being found until a fetcher first has its URL, of one URL in 64',
  ),
  crawlstream_frontier_stopped: gauge('1: the partition stands still, its own records are at fault', 'partition'),
  crawlstream_frontier_restored_ratio: gauge('How far the restore of a partition is; 1: done', 'partition'),
  crawlstream_frontier_restore_left_seconds: gauge('What is left of it, at the pace so far', 'partition'),

  crawlstream_standby_lag_records: gauge('Changelog that a warm copy has still to take', 'partition', 'rank'),
  crawlstream_standby_staleness_seconds: gauge('Age of the state in a warm copy', 'partition', 'rank'),

  crawlstream_fetcher_leases: gauge('Leases being worked on'),
  crawlstream_fetcher_leases_max: gauge('Leases worked on at once, at most'),
  crawlstream_fetcher_tasks_waiting: gauge('Tasks read and not begun'),
  crawlstream_fetcher_networks_away: gauge('Fetchers of this process without a working network: no host answers them'),
  crawlstream_fetcher_tasks_misrouted_total: counter('Tasks on a partition that their host does not lead to'),
  crawlstream_fetcher_requests_in_flight: gauge('Requests under way'),
  crawlstream_fetcher_requests_waiting: gauge('Requests to ready hosts, waiting for a slot'),
  crawlstream_fetcher_hosts: gauge('Hosts in the memory of the pacer'),
  crawlstream_fetcher_origins: gauge('Origins with a connection'),
  crawlstream_fetcher_fetches_total: counter('URLs of leases by what became of them', 'outcome'),
  crawlstream_fetcher_requests_total: counter('Requests made, robots.txt and hops among them'),
  crawlstream_fetcher_received_bytes_total: counter('Bytes of bodies of URLs'),
  crawlstream_fetcher_records_too_large_total: counter(
    'Responses, pages to render and copies of robots.txt not published: larger than their topics take',
  ),
  crawlstream_fetcher_request_seconds: histogram('From the start of a request to its completion'),
  crawlstream_fetcher_host_interval_seconds: histogram(
    'From the start of a request to the start of the next one to the same host: the inverse of the rate of a host',
  ),
  crawlstream_plugin_calls_total: counter('Calls of a hook of a plugin', 'plugin', 'hook'),
  crawlstream_plugin_seconds_total: counter('Time that the hooks of a plugin took', 'plugin', 'hook'),
  crawlstream_plugin_faults_total: counter('Hooks that threw, or did not come back in time', 'plugin', 'hook'),

  crawlstream_consumer_records_total: counter('Records handled', 'consumer'),
  crawlstream_consumer_batches_total: counter('Batches handled', 'consumer'),
  crawlstream_consumer_retries_total: counter('Batches that failed and were tried again', 'consumer'),

  crawlstream_render_pages_total: counter(
    'Pages to render: rendered, failed (they ended their browser), or passed over as their site is resting',
    'outcome',
  ),
  crawlstream_render_passed_over_total: counter(
    'What pages wanted to load and did not get: by kind (pictures, forms, frames), budget of a page, robots, blocked, address, late, failed',
    'reason',
  ),
  crawlstream_render_shared_network: gauge('1: the browser shares the network of the machine, as it got no namespace'),

  crawlstream_lag_records: gauge('Records not dealt with yet', 'group', 'topic', 'partition'),
  crawlstream_lag_seconds: gauge('Age of the oldest of them; 0: there is none', 'group', 'topic', 'partition'),
  crawlstream_lag_age_seconds: gauge('Since the brokers were last asked how far a group is behind', 'group'),
  crawlstream_lag_retained_ratio: gauge(
    'Share of what a topic still has that the group has not dealt with; 0 while the topic has forgotten nothing',
    ...['group', 'topic', 'partition'],
  ),
  crawlstream_store_bytes: gauge('Size of a store on disk', 'store'),
  crawlstream_store_files: gauge(
    'Table files of a store, by level; many at level 0: compactions fall behind',
    'store',
    'level',
  ),
  crawlstream_store_memtable_bytes: gauge('What was written to a store and is in no table file yet', 'store'),
  crawlstream_store_compactions: gauge('Compactions under way', 'store'),
  crawlstream_store_compaction_bytes: gauge('Bytes that compactions have still to rewrite, as estimated', 'store'),
  crawlstream_store_stalled: gauge('Stores with writes that wait for compactions: stopped, or delayed', 'store', 'how'),
  crawlstream_disk_bytes: gauge('Size of the disk that a store is on', 'store'),
  crawlstream_disk_free_bytes: gauge('What is free of it', 'store'),
  crawlstream_memory_limit_bytes: gauge('Memory that this process may have: of its container, or of the machine'),

  crawlstream_snapshot_interval_seconds: gauge('Time between two snapshots, as asked for'),
  crawlstream_snapshot_age_seconds: gauge('Since the last one was taken here, or since this process began to take any'),
  crawlstream_snapshot_seconds: gauge('What the last one took'),
  crawlstream_snapshot_bytes: gauge('Its size, of all partitions'),
  crawlstream_snapshot_failures_total: counter('Snapshots that failed'),
} as const satisfies Readonly<Record<string, MetricSpec>>;

export type MetricName = keyof typeof metrics;

type Labels = Readonly<Record<string, string | number>>;

/** Takes values at a scrape. Values of one name and the same labels, from several sources, add up. */
export interface MetricSink {
  value(name: MetricName, value: number, labels?: Labels): void;
  spread(name: MetricName, distribution: Spread): void;
}

/** The counts of a `Distribution` (distribution.ts). */
export interface Spread {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Reports its values on demand. */
export type MetricSource = (sink: MetricSink) => void | Promise<void>;

function gauge(help: string, ...labels: string[]): MetricSpec {
  return { kind: 'gauge', help, labels };
}

function counter(help: string, ...labels: string[]): MetricSpec {
  return { kind: 'counter', help, labels };
}

function histogram(help: string): MetricSpec {
  return { kind: 'histogram', help, labels: [] };
}
