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
  crawlstream_info: gauge('Always 1; its labels are the release and the role of this process', 'version', 'role'),
  crawlstream_ready: gauge('1 while all state of this process is restored, and its warm copies are complete'),
  crawlstream_partitions: gauge('Partitions of the crawl'),
  crawlstream_brokers_away: gauge('Brokers that do not answer'),
  crawlstream_topic_settings_wrong: gauge(
    'Risky settings of topics on the brokers; urgent: records are deleted or refused',
    'urgent',
  ),
  crawlstream_cut_off: gauge(
    '1 while this process cannot work without something that is away: brokers, registry, a schema, disk space',
    'what',
  ),
  crawlstream_fleet_held_crawls: gauge(
    'Crawls that are held because they stopped the process of their fleet; only the operator resumes them',
  ),
  crawlstream_fleet_owner_loop_seconds_total: counter(
    'Time of the event loop that was counted for an owner; (no key): calls without a valid key',
    'owner',
  ),
  crawlstream_fleet_owner_held_seconds_total: counter(
    'Time in which an owner used more than its share of a busy event loop, so that its requests and calls waited',
    'owner',
  ),
  crawlstream_dead_letters_total: counter('Dead letters that this process wrote, by reason', 'writer', 'reason'),
  crawlstream_exports_total: counter(
    'Exports of metrics, and log lines, to a collector, by fate: exported or failed',
    'signal',
    'fate',
  ),
  crawlstream_spans_total: counter('Spans of traced URLs, by fate: exported or failed', 'fate'),

  crawlstream_kafka_requests_total: counter('Requests to brokers', 'api'),
  crawlstream_kafka_request_failures_total: counter('Requests to brokers that got no answer', 'api'),
  crawlstream_kafka_request_seconds_total: counter(
    'Time that requests to brokers took; a Fetch or a JoinGroup waits on purpose',
    'api',
  ),
  crawlstream_kafka_produce_retries_total: counter('Retries of batches that no broker had accepted'),
  crawlstream_kafka_partitions_blocked: gauge('Partitions that accepted no append for 10 s while appends waited'),
  crawlstream_kafka_rebalances_total: counter('Assignments of partitions that this process received', 'group'),

  crawlstream_frontier_urls: gauge('Admitted URLs by state: queued, leased, page, …', 'partition', 'place'),
  crawlstream_frontier_hosts_known: gauge('Hosts known to the crawl', 'partition'),
  crawlstream_frontier_hosts: gauge(
    'Hosts by state: ready, delayed, on lease; a host with several slots can have two states',
    'partition',
    'state',
  ),
  crawlstream_frontier_paused: gauge('1 while the crawl is paused', 'partition'),
  crawlstream_frontier_queued_hosts: gauge('Hosts with queued URLs', 'partition'),
  crawlstream_frontier_host_urls_max: gauge('Most queued URLs of one host', 'partition'),
  crawlstream_frontier_queued_urls: gauge('URLs in front queues', 'partition', 'front_queue'),
  crawlstream_frontier_queued_age_seconds: gauge(
    'Waiting time of queued URLs in their front queue, at this quantile (share); at least this after a restart',
    ...['partition', 'front_queue', 'share'],
  ),
  crawlstream_frontier_leases: gauge('Current leases', 'partition'),
  crawlstream_frontier_links_total: counter('Links read from discovered', 'partition'),
  crawlstream_frontier_admissions_total: counter('URLs admitted', 'partition'),
  crawlstream_frontier_duplicates_total: counter('Links to URLs that were known', 'partition'),
  crawlstream_frontier_refusals_total: counter('Links not admitted, by rule', 'partition', 'reason'),
  crawlstream_frontier_retries_total: counter('URLs returned to the queue for a retry', 'partition'),
  crawlstream_frontier_requests_total: counter(
    'Requests that fetchers reported, with those for robots.txt',
    'partition',
  ),
  crawlstream_frontier_received_bytes_total: counter('Bytes that fetchers reported', 'partition'),
  crawlstream_frontier_not_modified_total: counter('Responses with status 304', 'partition'),
  crawlstream_frontier_revisits_total: counter('Refetches of pages that could detect a change', 'partition'),
  crawlstream_frontier_changes_found_total: counter('Refetches that found a change', 'partition'),
  crawlstream_frontier_scheduled: gauge('URLs scheduled for refetch', 'partition'),
  crawlstream_frontier_fresh_ratio: gauge(
    'Expected share of pages that have not changed since they were last seen',
    'partition',
    'front_queue',
  ),
  crawlstream_frontier_page_age_seconds: gauge(
    'Time since pages were last seen, at this quantile (share)',
    'partition',
    'share',
  ),
  crawlstream_frontier_within_goal_ratio: gauge('Share of pages seen within seven days', 'partition'),
  crawlstream_frontier_sitemap_trust_ratio: gauge('Share of sitemap and feed dates that proved right', 'partition'),
  crawlstream_frontier_late_results_total: counter('Results that arrived after their lease had ended', 'partition'),
  crawlstream_frontier_undecodable_total: counter('Input records that cannot be read', 'partition'),
  crawlstream_frontier_untaken_total: counter('Leases that ended before any fetcher had taken their task', 'partition'),
  crawlstream_frontier_misrouted_total: counter(
    'Groups of links, and records, on the wrong partition for their key',
    'partition',
  ),
  crawlstream_frontier_fetchers: gauge('Members of the fetchers’ group, as this process sees it'),
  crawlstream_frontier_tasks_waiting: gauge('Leases with a task that no fetcher has taken yet', 'partition'),
  crawlstream_frontier_cut_inputs_total: counter(
    'Input partitions that lost records after they were read',
    'partition',
  ),
  crawlstream_frontier_foreign_records_total: counter('Changelog records that another program wrote', 'partition'),
  crawlstream_frontier_links_dropped_total: counter('Links beyond the most that are taken from one page', 'partition'),
  crawlstream_frontier_over_share_total: counter(
    'URLs queued behind all others, because their host or domain has used its share of the queue',
    'partition',
  ),
  crawlstream_frontier_truncated_total: counter('Pages with a body cut at the limit', 'partition'),
  crawlstream_frontier_not_read_total: counter('Successful responses with an unsupported media type', 'partition'),
  crawlstream_frontier_granted_total: counter('Leases granted by this process'),
  crawlstream_frontier_granted_urls_total: counter(
    'URLs on granted leases, by source: a front queue, deferred, again (returned URLs), revisit',
    'source',
  ),
  crawlstream_frontier_commits_total: counter('Durable commits of this process'),
  crawlstream_frontier_commit_bytes_total: counter('Bytes of durable commits in the changelog'),
  crawlstream_frontier_step_seconds: histogram('Time to decide a commit'),
  crawlstream_frontier_commit_seconds: histogram('Time from the append of a commit until it is durable'),
  crawlstream_frontier_decision_seconds: histogram(
    'Time from the append of the oldest input in a read until the resulting commit is durable',
  ),
  crawlstream_frontier_latency_seconds: histogram(
    'Time from the discovery of a link until a fetcher first receives its URL, for one URL in 64',
  ),
  crawlstream_frontier_stopped: gauge(
    '1 while the partition is stopped because its own records are at fault',
    'partition',
  ),
  crawlstream_frontier_restored_ratio: gauge('Share of a partition that is restored; 1: done', 'partition'),
  crawlstream_frontier_restore_left_seconds: gauge(
    'Time until the restore of a partition is done, at the pace so far',
    'partition',
  ),

  crawlstream_standby_lag_records: gauge('Changelog records that a standby has not applied yet', 'partition', 'rank'),
  crawlstream_standby_staleness_seconds: gauge('Age of the state of a standby', 'partition', 'rank'),

  crawlstream_fetcher_leases: gauge('Leases in progress'),
  crawlstream_fetcher_leases_max: gauge('Most leases that may be in progress at once'),
  crawlstream_fetcher_tasks_waiting: gauge('Tasks that were read and are not started'),
  crawlstream_fetcher_networks_away: gauge('Fetchers of this process without a working network: no host answers them'),
  crawlstream_fetcher_tasks_misrouted_total: counter('Tasks on the wrong partition for their host'),
  crawlstream_fetcher_requests_in_flight: gauge('Requests in flight'),
  crawlstream_fetcher_requests_waiting: gauge('Requests to ready hosts, waiting for a slot'),
  crawlstream_fetcher_hosts: gauge('Hosts that the pacer keeps in memory'),
  crawlstream_fetcher_origins: gauge('Origins with a connection'),
  crawlstream_fetcher_fetches_total: counter('URLs of leases, by outcome', 'outcome'),
  crawlstream_fetcher_requests_total: counter('Requests sent, with those for robots.txt and redirects'),
  crawlstream_fetcher_received_bytes_total: counter('Bytes of bodies of URLs'),
  crawlstream_fetcher_records_too_large_total: counter(
    'Responses, pages to render and copies of robots.txt that were not published: too large for their topic',
  ),
  crawlstream_fetcher_request_seconds: histogram('Time from the start of a request to its completion'),
  crawlstream_fetcher_host_interval_seconds: histogram(
    'Time from the start of a request to the start of the next one to the same host',
  ),
  crawlstream_plugin_calls_total: counter('Calls of a hook of a plugin', 'plugin', 'hook'),
  crawlstream_plugin_seconds_total: counter('Time that the hooks of a plugin took', 'plugin', 'hook'),
  crawlstream_plugin_faults_total: counter('Calls of a hook of a plugin that threw or timed out', 'plugin', 'hook'),

  crawlstream_consumer_records_total: counter('Records handled', 'consumer'),
  crawlstream_consumer_batches_total: counter('Batches handled', 'consumer'),
  crawlstream_consumer_retries_total: counter('Batches that failed and were retried', 'consumer'),

  crawlstream_render_pages_total: counter(
    'Pages to render, by outcome: rendered, failed (ended their browser), passed over (their site is resting)',
    'outcome',
  ),
  crawlstream_render_passed_over_total: counter(
    'Requests of rendered pages that were not made, by reason: kind (pictures, forms, frames), budget of a page, robots, blocked, address, late, failed',
    'reason',
  ),
  crawlstream_render_no_screenshot_total: counter(
    'Rendered pages without a wanted screenshot, by reason: late, large (over 96 KiB), record (too large for the topic with it), failed',
    'reason',
  ),
  crawlstream_render_shared_network: gauge(
    '1: the browser shares the network of the machine, because it got no namespace',
  ),

  crawlstream_lag_records: gauge('Records that a group has not processed yet', 'group', 'topic', 'partition'),
  crawlstream_lag_seconds: gauge(
    'Age of the oldest record that a group has not processed; 0: the group is up to date',
    'group',
    'topic',
    'partition',
  ),
  crawlstream_lag_age_seconds: gauge('Time since the brokers were last asked for the lag of a group', 'group'),
  crawlstream_lag_retained_ratio: gauge(
    'Share of the retained records of a topic that the group has not processed; 0 while the topic has deleted nothing',
    ...['group', 'topic', 'partition'],
  ),
  crawlstream_store_bytes: gauge('Size of a store on disk', 'store'),
  crawlstream_store_files: gauge(
    'Table files of a store, by level; many at level 0 mean that compactions fall behind',
    'store',
    'level',
  ),
  crawlstream_store_memtable_bytes: gauge('Bytes that were written to a store and are in no table file yet', 'store'),
  crawlstream_store_compactions: gauge('Compactions in progress', 'store'),
  crawlstream_store_compaction_bytes: gauge('Estimated bytes that compactions still have to rewrite', 'store'),
  crawlstream_store_stalled: gauge(
    '1 while writes of a store wait for compactions, stopped or delayed',
    'store',
    'how',
  ),
  crawlstream_disk_bytes: gauge('Size of the disk that a store is on', 'store'),
  crawlstream_disk_free_bytes: gauge('Free space on the disk that a store is on', 'store'),
  crawlstream_memory_limit_bytes: gauge('Memory limit of this process: of its container, or of the machine'),

  crawlstream_snapshot_interval_seconds: gauge('Configured time between two snapshots'),
  crawlstream_snapshot_age_seconds: gauge(
    'Time since the last snapshot of this process; before the first, since it began to take snapshots',
  ),
  crawlstream_snapshot_seconds: gauge('Duration of the last snapshot'),
  crawlstream_snapshot_bytes: gauge('Size of the last snapshot, of all partitions'),
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
