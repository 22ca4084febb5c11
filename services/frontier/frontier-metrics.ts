/** The frontier's metrics: values from its partitions' commits, and measurements of this process. */
import { inputTopics } from '../../topology/frontier/changes/changelog.ts';
import { placeNames } from '../../topology/frontier/changes/changes.ts';
import type { Counters } from '../../topology/frontier/changes/counters.ts';
import type { Freshness } from '../../topology/frontier/recrawl/freshness-now.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Position } from '../runtime/log/log.ts';
import type { MetricName, MetricSink, MetricSource } from '../runtime/metrics/metrics.ts';
import type { Committed } from './own/committed.ts';
import type { FrontierMeters } from './own/meters.ts';
import type { Standby, StandbyStatus } from './standby/standby.ts';

export interface MeteredFrontier {
  readonly clock: Clock;
  readonly meters: FrontierMeters;
  /** The partitions of this process; undefined: the partition is being restored. */
  committed(): Iterable<readonly [partition: number, Committed | undefined]>;
  /** The partitions that have stopped. Absent: there are none, since the whole process ends with one. */
  stopped?(): readonly number[];
  /** The copies that this process keeps. Absent: it keeps none. */
  standbys?(): Iterable<readonly [partition: number, Pick<Standby, 'status'>]>;
  /** Number of fetchers; null: it is not known. Absent: they are in this process. */
  fetchers?(): number | null;
}

const tallies = {
  discovered: 'crawlstream_frontier_links_total',
  admitted: 'crawlstream_frontier_admissions_total',
  duplicates: 'crawlstream_frontier_duplicates_total',
  retries: 'crawlstream_frontier_retries_total',
  fetches: 'crawlstream_frontier_requests_total',
  bytes: 'crawlstream_frontier_received_bytes_total',
  notModified: 'crawlstream_frontier_not_modified_total',
  revisits: 'crawlstream_frontier_revisits_total',
  changesFound: 'crawlstream_frontier_changes_found_total',
  scheduled: 'crawlstream_frontier_scheduled',
  lateResults: 'crawlstream_frontier_late_results_total',
  undecodable: 'crawlstream_frontier_undecodable_total',
  untaken: 'crawlstream_frontier_untaken_total',
  misrouted: 'crawlstream_frontier_misrouted_total',
  foreignRecords: 'crawlstream_frontier_foreign_records_total',
  cutInputs: 'crawlstream_frontier_cut_inputs_total',
  linksDropped: 'crawlstream_frontier_links_dropped_total',
  truncated: 'crawlstream_frontier_truncated_total',
  overShare: 'crawlstream_frontier_over_share_total',
  notRead: 'crawlstream_frontier_not_read_total',
  hosts: 'crawlstream_frontier_hosts_known',
  leases: 'crawlstream_frontier_leases',
} as const satisfies Partial<Record<keyof Counters, MetricName>>;
const tallied = Object.keys(tallies) as (keyof typeof tallies)[];

const refusals = [
  'invalid',
  'filtered',
  'outOfScope',
  'tooDeep',
  'tooLong',
  'hostFull',
  'queueFull',
  'purged',
] as const;

export function frontierMetrics(metered: MeteredFrontier): MetricSource {
  const { clock, meters, committed, standbys, stopped } = metered;
  return (sink) => {
    const fetchers = metered.fetchers?.() ?? null;
    if (fetchers !== null) sink.value('crawlstream_frontier_fetchers', fetchers);
    for (const [partition, one] of committed()) {
      restoreMetrics(sink, meters, partition, one === undefined);
      const isStopped = stopped?.().includes(partition) === true;
      sink.value('crawlstream_frontier_stopped', isStopped ? 1 : 0, { partition });
      if (one === undefined) continue;
      partitionMetrics(sink, partition, one);
      queueMetrics(sink, partition, one, clock.nowMs());
      if (one.freshness !== null) freshnessMetrics(sink, partition, one.freshness);
    }
    for (const [partition, { status }] of standbys?.() ?? []) standbyMetrics(sink, clock, partition, status);
    sink.value('crawlstream_frontier_commits_total', meters.commits);
    sink.value('crawlstream_frontier_commit_bytes_total', meters.commitBytes);
    sink.value('crawlstream_frontier_granted_total', meters.granted);
    for (const [source, count] of Object.entries(meters.grantedFrom)) {
      sink.value('crawlstream_frontier_granted_urls_total', count, { source });
    }
    for (const [reason, count] of Object.entries(meters.deadLetters)) {
      sink.value('crawlstream_dead_letters_total', count, { writer: 'frontier', reason });
    }
    sink.spread('crawlstream_frontier_step_seconds', meters.stepSeconds);
    sink.spread('crawlstream_frontier_commit_seconds', meters.commitSeconds);
    sink.spread('crawlstream_frontier_decision_seconds', meters.decisionSeconds);
    sink.spread('crawlstream_frontier_latency_seconds', meters.latencySeconds);
  };
}

/** The positions that the partitions of this process have decided in their inputs, without those being restored. */
export function frontierPositions(crawl: string, committed: Iterable<readonly [number, Committed | undefined]>) {
  const positions: Position[] = [];
  for (const [partition, one] of committed) {
    if (one === undefined) continue;
    for (const topic of inputTopics) {
      positions.push({ topic: `${crawl}.${topic}`, partition, offset: one.positions[topic].offset });
    }
  }
  return positions;
}

function partitionMetrics(sink: MetricSink, partition: number, committed: Committed): void {
  const { counters, readyHosts, delayedHosts, leasedHosts, tasksWaiting, paused } = committed;
  sink.value('crawlstream_frontier_paused', paused ? 1 : 0, { partition });
  if (tasksWaiting !== null) sink.value('crawlstream_frontier_tasks_waiting', tasksWaiting, { partition });
  for (const counter of tallied) sink.value(tallies[counter], counters[counter], { partition });
  for (const place of placeNames) sink.value('crawlstream_frontier_urls', counters[place], { partition, place });
  for (const reason of refusals) {
    sink.value('crawlstream_frontier_refusals_total', counters[reason], { partition, reason });
  }
  const hosts = { ready: readyHosts, delayed: delayedHosts, leased: leasedHosts };
  for (const [state, count] of Object.entries(hosts)) {
    sink.value('crawlstream_frontier_hosts', count, { partition, state });
  }
}

function queueMetrics(sink: MetricSink, partition: number, { queueSpread, queueAges }: Committed, nowMs: number): void {
  if (queueSpread !== undefined) {
    sink.value('crawlstream_frontier_queued_hosts', queueSpread.hosts, { partition });
    sink.value('crawlstream_frontier_host_urls_max', queueSpread.urlsOfOneMax, { partition });
    queueSpread.byFrontQueue.forEach((count, frontQueue) => {
      sink.value('crawlstream_frontier_queued_urls', count, { partition, front_queue: frontQueue });
    });
  }
  const { all, byFrontQueue } = queueAges(nowMs);
  [all, ...byFrontQueue].forEach((age, at) => {
    if (age === undefined) return;
    const labels = { partition, front_queue: at === 0 ? 'all' : at - 1 };
    sink.value('crawlstream_frontier_queued_age_seconds', age.p50S, { ...labels, share: '0.5' });
    sink.value('crawlstream_frontier_queued_age_seconds', age.p95S, { ...labels, share: '0.95' });
  });
}

/** Leaves out unknown values. */
function freshnessMetrics(sink: MetricSink, partition: number, freshness: Freshness): void {
  const value = (name: MetricName, one: number | null, labels: Record<string, string | number>) => {
    if (one !== null) sink.value(name, one, { partition, ...labels });
  };
  value('crawlstream_frontier_fresh_ratio', freshness.fresh, { front_queue: 'all' });
  freshness.freshByFrontQueue.forEach((one, frontQueue) => {
    value('crawlstream_frontier_fresh_ratio', one, { front_queue: frontQueue });
  });
  value('crawlstream_frontier_page_age_seconds', freshness.ageP50S, { share: '0.5' });
  value('crawlstream_frontier_page_age_seconds', freshness.ageP95S, { share: '0.95' });
  value('crawlstream_frontier_within_goal_ratio', freshness.withinGoal, {});
  value('crawlstream_frontier_sitemap_trust_ratio', freshness.sitemapTrust, {});
}

/** Leaves out the staleness of a copy that does not know its owner's position yet. */
function standbyMetrics(
  sink: MetricSink,
  clock: Clock,
  partition: number,
  { rank, behind, asOfMs }: StandbyStatus,
): void {
  if (asOfMs === 0) return;
  const labels = { partition, rank };
  sink.value('crawlstream_standby_lag_records', behind, labels);
  sink.value('crawlstream_standby_staleness_seconds', Math.max(0, clock.nowMs() - asOfMs) / 1000, labels);
}

/** A restore that is too short to be reported counts as not begun, or as done. */
function restoreMetrics(sink: MetricSink, { restores }: FrontierMeters, partition: number, restoring: boolean): void {
  const progress = restores.get(partition);
  const ratio = progress === undefined ? 0 : progress.records / Math.max(1, progress.recordsTotal);
  sink.value('crawlstream_frontier_restored_ratio', restoring ? ratio : 1, { partition });
  const leftSeconds = restoring ? (progress?.leftMs ?? 0) / 1000 : 0;
  sink.value('crawlstream_frontier_restore_left_seconds', leftSeconds, { partition });
}
