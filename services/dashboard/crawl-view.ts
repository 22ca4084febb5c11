/**
 * The dashboard's access to a crawl: the port between the page's routes and the crawl, here over the crawl's log and
 * its owners' reports. Nothing is read without viewers.
 */
import { CrawlstreamError } from '../../topology/errors.ts';
import type { Look } from '../../topology/frontier/ask/crawl-end.ts';
import type { Counters } from '../../topology/frontier/changes/counters.ts';
import { sumCounters } from '../../topology/frontier/changes/counters.ts';
import { parsePolicy } from '../../topology/policy/validate.ts';
import { type KeyMode, partitionKeyOf } from '../../topology/url/host-key.ts';
import { partitionOf } from '../../topology/url/partition.ts';
import type { RecordCodec } from '../runtime/avro/record-codec.ts';
import type { Clock } from '../runtime/clock.ts';
import { followControl } from '../runtime/crawl/control-log.ts';
import { DuplicateCounts } from '../runtime/crawl/duplicate-counts.ts';
import { type HostEventKind, hostEvent } from '../runtime/crawl/operator-events.ts';
import { policyRequest, type RequestRecord } from '../runtime/crawl/requests.ts';
import type { Log } from '../runtime/log/log.ts';
import { freshnessOfAll } from './freshness-of-all.ts';
import { historyOf } from './history.ts';
import { dashboardLimits } from './limits.ts';
import { NewestDeadLetters } from './newest-dead-letters.ts';
import { lookOf, phaseOf, troublesOf } from './phase.ts';
import { RecentOutcomes } from './recent-outcomes.ts';
import {
  actsWithAmount,
  type CrawlAct,
  type CrawlStatus,
  type DeadLettersStatus,
  type DuplicatesStatus,
  type ExplainStatus,
  type HistoryStatus,
  type HostAct,
  type HostListStatus,
  type HostPageStatus,
  type HostsAsked,
  type IdleStatus,
  type MemberStatus,
  type PartitionReport,
  type TimelineStatus,
} from './status.ts';

export interface CrawlView {
  look(): Promise<CrawlStatus>;
  history(): Promise<HistoryStatus>;
  hosts(asked: HostsAsked): Promise<HostListStatus>;
  /** `url`: as typed by a person. */
  explain(url: string): Promise<ExplainStatus>;
  story(url: string): Promise<TimelineStatus>;
  /** `host`: as typed by a person. `from`: `next` of the previous page, empty for the first. */
  host(host: string, from: string): Promise<HostPageStatus>;
  /** `host`: as typed by a person. Resolves with the host's key once the event is durable. */
  act(act: HostAct, host: string, by: string, amount: number | null): Promise<string>;
  /** Resolves once it is durable; false: it was so already. */
  steer(act: CrawlAct, by: string): Promise<boolean>;
}

export interface ViewedCrawl {
  readonly log: Pick<Log, 'offsets' | 'offsetAt' | 'reader'>;
  readonly codec: RecordCodec;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly topics: { readonly crawl: string; readonly partitions: number; readonly keyMode: KeyMode };
  readonly release: string;
  places(): Promise<readonly PartitionReport[]>;
  /** null: unknown. */
  members(): Promise<readonly MemberStatus[] | null>;
  /** null: unknown, or the fetchers are in the crawl's process. */
  fetchers(): Promise<number | null>;
  /** null: a process runs the crawl, or it is unknown. */
  idle(nowMs: number): Promise<IdleStatus | null>;
  hosts: CrawlView['hosts'];
  explain: CrawlView['explain'];
  story: CrawlView['story'];
  /** Without its outcomes. `hostKey`: a host key of the crawl. */
  host(hostKey: string, from: string): Promise<Omit<HostPageStatus, 'outcomes'>>;
  /** Returns the host key of a typed host. */
  hostKey(host: string): string;
  /** Resolves once they are durable. */
  send(records: readonly RequestRecord[]): Promise<unknown>;
}

export function viewOf(crawl: ViewedCrawl): CrawlView {
  const { log, codec, clock, topics, release } = crawl;
  const control = followControl(log, codec, topics.crawl);
  const outcomes = new RecentOutcomes(log, codec, topics.crawl, topics.partitions);
  const newestDeadLetters = new NewestDeadLetters(log, codec, topics.crawl, topics.partitions);
  let before: Look | undefined;
  let [changedAtMs, countsBefore] = [clock.nowMs(), ''];
  /** The running read of the history, shared by all callers. */
  let history: Promise<HistoryStatus> | undefined;
  const duplicateCounts = new DuplicateCounts({ log, codec, topics });
  let duplicates: DuplicatesStatus | null = null;
  let deadLetters: { readonly atMs: number; readonly status: DeadLettersStatus | null } | undefined;

  return {
    async look() {
      const nowMs = clock.nowMs();
      const [partitions, members, fetchers, { policy }, recent, idle] = await Promise.all([
        crawl.places(),
        crawl.members(),
        crawl.fetchers(),
        control(),
        outcomes.look(nowMs),
        crawl.idle(nowMs),
      ]);
      if (deadLetters === undefined || nowMs - deadLetters.atMs >= dashboardLimits.deadLettersEveryMs) {
        // A frontier with narrow rights on the brokers may write them alone.
        deadLetters = { atMs: nowMs, status: await newestDeadLetters.look().catch(() => null) };
        duplicates = await duplicateCounts.look().catch(() => null);
      }
      const config = policy === null ? null : parsePolicy(policy.json);
      const pageQuota = config?.pageQuota ?? null;
      const counts = sumCounters(partitions.map(({ counters }) => counters as Counters));
      const countsNow = JSON.stringify(counts);
      if (countsNow !== countsBefore) [changedAtMs, countsBefore] = [nowMs, countsNow];
      const now = lookOf(partitions, pageQuota);
      // A crawl without a process has not changed since its newest result.
      if (before === undefined) changedAtMs = Math.min(nowMs, recent.newestMs ?? nowMs);
      const paused = config?.paused === true;
      const unchangedMs = nowMs - changedAtMs;
      const phase = phaseOf({ before, now, paused, partitions, unchangedMs, isIdle: idle !== null });
      before = now;
      const status = {
        crawl: topics.crawl,
        release,
        atMs: nowMs,
        phase,
        paused,
        policyVersion: policy?.version ?? null,
        pageQuota,
        counts,
        hosts: {
          known: counts.hosts,
          fetching: counts.leases,
          ready: summedOf(partitions, 'readyHosts'),
          delayed: summedOf(partitions, 'delayedHosts'),
        },
        partitions,
        members,
        fetchers,
        recent,
        freshness: freshnessOfAll(partitions),
        letters: deadLetters.status,
        duplicates,
        idle,
      };
      return { ...status, troubles: troublesOf(status) };
    },
    history() {
      history ??= historyOf(log, topics.crawl, topics.partitions).finally(() => (history = undefined));
      return history;
    },
    async hosts(asked) {
      const list = await crawl.hosts(asked);
      return { ...list, hosts: list.hosts.map((one) => ({ ...one, lastFailure: outcomes.lastFailure(one.host) })) };
    },
    async host(host, from) {
      const hostKey = crawl.hostKey(host);
      const partition = partitionOf(partitionKeyOf(hostKey, topics.keyMode), topics.partitions);
      const [page, newest] = await Promise.all([crawl.host(hostKey, from), outcomes.ofHost(hostKey, partition)]);
      return { ...page, outcomes: newest };
    },
    explain: crawl.explain,
    story: crawl.story,
    async act(act, host, by, amount) {
      const hostKey = crawl.hostKey(host);
      const said = { by, atMs: clock.nowMs() };
      await crawl.send(hostEvent(topics, said, eventKinds[act], hostKey, eventAmount(act, amount)));
      return hostKey;
    },
    async steer(act, by) {
      const { policy } = await control();
      if (policy === null) {
        throw new CrawlstreamError('INVALID_ARGUMENT', 'the crawl has no policy yet: start it, or inject seeds');
      }
      const { paused = false, ...rest } = parsePolicy(policy.json);
      if (paused === (act === 'pause')) return false;
      const nowMs = clock.nowMs();
      const next = { ...rest, version: Math.max(nowMs, policy.version + 1), ...(act === 'pause' && { paused: true }) };
      await crawl.send(policyRequest(topics, next, by, nowMs));
      return true;
    },
  };
}

const eventKinds: Readonly<Record<HostAct, HostEventKind>> = {
  block: 'blockHost',
  unblock: 'releaseHost',
  release: 'releaseHost',
  delay: 'hostDelay',
  limit: 'hostLimit',
};

/** Amount for the event on `control`: -1 returns the setting to the policy. */
function eventAmount(act: HostAct, amount: number | null): number {
  return actsWithAmount.has(act) ? (amount ?? -1) : 0;
}

/** null if no owner reports it. */
function summedOf(partitions: readonly PartitionReport[], name: 'readyHosts' | 'delayedHosts'): number | null {
  const status = partitions.map((one) => one[name]).filter((count) => count !== null);
  return status.length === 0 ? null : status.reduce((sum, count) => sum + count, 0);
}
