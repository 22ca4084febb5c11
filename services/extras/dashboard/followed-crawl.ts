/** A crawl on the dashboard, by following the crawl's log and the reports of its owners. Nothing is read without viewers. */
import { contentLimits } from '../../../topology/content/content-limits.ts';
import { CrawlstreamError, hasCode } from '../../../topology/errors.ts';
import type { Look } from '../../../topology/frontier/ask/crawl-end.ts';
import type { Counters } from '../../../topology/frontier/changes/counters.ts';
import { sumCounters } from '../../../topology/frontier/changes/counters.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { followControl } from '../../runtime/crawl/control-log.ts';
import { DuplicateCounts } from '../../runtime/crawl/duplicate-counts.ts';
import { type HostEventKind, hostEvent } from '../../runtime/crawl/operator-events.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import { replayRequest } from '../../runtime/crawl/replay-dead-letter.ts';
import { policyRequest, seedRequest } from '../../runtime/crawl/requests.ts';
import { freeBytesAt } from '../../runtime/data-folder/disk-room.ts';
import { scopeText } from '../../runtime/policy-text.ts';
import type { CrawlView, OwnView, ViewedCrawl } from './crawl-view.ts';
import { errorsOf } from './errors-of.ts';
import { freshnessOfAll } from './freshness-of-all.ts';
import { historyOf } from './history.ts';
import { hostMapOf, withPages } from './host-map.ts';
import { dashboardLimits } from './limits.ts';
import { NewestDeadLetters } from './newest-dead-letters.ts';
import { backOffUntil, isOver, lookOf, type Needs, phaseOf, retriesOf, troublesOf } from './phase.ts';
import { RecentOutcomes } from './recent-outcomes.ts';
import {
  actsWithAmount,
  type DeadLettersStatus,
  type DuplicatesStatus,
  type ErrorsStatus,
  type HistoryStatus,
  type HostAct,
  type PartitionReport,
} from './status.ts';

export function viewOf(crawl: ViewedCrawl): OwnView {
  return new FollowedCrawl(crawl);
}

/** Its public acts are fields, since callers hand out single ones. */
class FollowedCrawl implements OwnView {
  readonly #crawl: ViewedCrawl;
  readonly #clock: ViewedCrawl['clock'];
  readonly #topics: ViewedCrawl['topics'];
  readonly #control: ReturnType<typeof followControl>;
  readonly #outcomes: RecentOutcomes;
  readonly #newestDeadLetters: NewestDeadLetters;
  #before: Look | undefined;
  readonly explain: CrawlView['explain'];
  readonly story: CrawlView['story'];
  readonly record: CrawlView['record'];
  readonly failures: CrawlView['failures'];
  #changedAtMs: number;
  #lookedAtMs: number;
  /** Host keys. */
  readonly #blocked = new Set<string>();
  #countsBefore = '';
  /** The running read of the history, shared by all callers. */
  #history: Promise<HistoryStatus> | undefined;
  #errors: Promise<ErrorsStatus> | undefined;
  readonly #duplicateCounts: DuplicateCounts;
  #duplicates: DuplicatesStatus | null = null;
  #counting: Promise<DuplicatesStatus | null> | undefined;
  #deadLetters: { readonly atMs: number; readonly status: DeadLettersStatus | null } | undefined;
  /** Counts of the ended crawl to which they belong. */
  #neededAt = '';
  #needs: Needs = { worst: [], freeBytes: null };
  #isStopping = false;

  constructor(crawl: ViewedCrawl) {
    this.#crawl = crawl;
    this.explain = crawl.explain;
    this.story = crawl.story;
    this.record = crawl.record;
    this.failures = crawl.failures;
    const { log, codec, clock, topics } = crawl;
    this.#clock = clock;
    this.#topics = topics;
    this.#changedAtMs = clock.nowMs();
    this.#lookedAtMs = clock.nowMs();
    this.#control = followControl(log, codec, topics.crawl);
    this.#outcomes = new RecentOutcomes(log, codec, topics.crawl, topics.partitions);
    this.#newestDeadLetters = new NewestDeadLetters(log, codec, topics.crawl, topics.partitions);
    this.#duplicateCounts = new DuplicateCounts({ log, codec, topics });
  }

  readonly mayOperate: CrawlView['mayOperate'] = async () => true;

  readonly look: CrawlView['look'] = async () => {
    const nowMs = this.#clock.nowMs();
    this.#lookedAtMs = nowMs;
    const [partitions, members, fetchers, { policy }, recent, { idle, silentMs }, about] = await Promise.all([
      this.#crawl.places(),
      this.#crawl.members(),
      this.#crawl.fetchers(),
      this.#control(),
      this.#outcomes.look(nowMs),
      this.#crawl.activity(nowMs),
      this.#crawl.about().catch(() => null),
    ]);
    if (this.#deadLetters === undefined || nowMs - this.#deadLetters.atMs >= dashboardLimits.deadLettersEveryMs) {
      // A frontier with narrow rights on the brokers may write them alone.
      this.#deadLetters = { atMs: nowMs, status: await this.#newestDeadLetters.look().catch(() => null) };
      this.#duplicates = await this.#countDuplicates();
      if (idle === null) this.#needs = await this.#lookForNeeds();
    }
    const config = policy === null ? null : parsePolicy(policy.json);
    const pageQuota = config?.pageQuota ?? null;
    const counts = sumCounters(partitions.map(({ counters }) => counters as Counters));
    const countsNow = JSON.stringify(counts);
    if (countsNow !== this.#countsBefore) [this.#changedAtMs, this.#countsBefore] = [nowMs, countsNow];
    const now = lookOf(partitions, pageQuota);
    // A crawl without a process has not changed since its newest result.
    if (this.#before === undefined) this.#changedAtMs = Math.min(nowMs, recent.newestMs ?? nowMs);
    const paused = config?.paused === true;
    const unchangedMs = nowMs - this.#changedAtMs;
    const isIdle = idle !== null;
    const retries = retriesOf(counts, this.#needs, nowMs);
    const seen = phaseOf({ before: this.#before, now, paused, partitions, unchangedMs, isIdle, silentMs, retries });
    const phase = seen === 'done' && idle === null && (await this.awaitsRelease()) ? 'held' : seen;
    if (idle !== null && isOver(phase)) await this.#lookForNeedsOnce(countsNow);
    this.#before = now;
    const status = {
      crawl: this.#topics.crawl,
      release: this.#crawl.release,
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
      letters: this.#deadLetters.status,
      duplicates: this.#duplicates,
      idle,
      silentMs,
      backOffUntilMs: backOffUntil(this.#needs),
      canStop: this.#crawl.stop !== null && !this.#isStopping,
      canSearch: this.#crawl.search() !== null,
      canMapHosts: this.#crawl.hostLinks() !== null,
      canListDuplicates: this.#mayListDuplicates(),
      about: about === null || config === null ? null : { ...about, scope: scopeText(config) },
    };
    return { ...status, troubles: troublesOf(status, this.#needs) };
  };

  /** One count at a time: each goes on where the one before it ended. */
  #countDuplicates(): Promise<DuplicatesStatus | null> {
    this.#counting ??= this.#duplicateCounts
      .look()
      .catch(() => null)
      .finally(() => (this.#counting = undefined));
    return this.#counting;
  }

  /** A crawl that has ended keeps its hosts as they are. `counts`: another text once somebody has gone on with it. */
  async #lookForNeedsOnce(counts: string): Promise<void> {
    if (this.#neededAt === counts) return;
    this.#neededAt = counts;
    this.#needs = await this.#lookForNeeds();
  }

  async #lookForNeeds(): Promise<Needs> {
    const asked = { search: '', sort: 'errors', limit: dashboardLimits.worstHostsLooked } as const;
    const list = await this.#crawl.hosts(asked).catch(() => null);
    const { folder } = this.#crawl;
    return { worst: list?.hosts ?? [], freeBytes: folder === null ? null : await freeBytesAt(folder) };
  }

  readonly history: CrawlView['history'] = () => {
    this.#history ??= historyOf(this.#crawl.log, this.#topics.crawl, this.#topics.partitions).finally(
      () => (this.#history = undefined),
    );
    return this.#history;
  };

  readonly errors: CrawlView['errors'] = () => {
    const { log, codec } = this.#crawl;
    this.#errors ??= errorsOf(log, codec, this.#topics.crawl, this.#topics.partitions).finally(
      () => (this.#errors = undefined),
    );
    return this.#errors;
  };

  readonly hosts: CrawlView['hosts'] = async (asked) => {
    const list = await this.#crawl.hosts(asked);
    return { ...list, hosts: list.hosts.map((one) => ({ ...one, lastFailure: this.#outcomes.lastFailure(one.host) })) };
  };

  readonly host: CrawlView['host'] = async (host, from) => {
    const hostKey = this.#crawl.hostKey(host);
    const partition = partitionOf(partitionKeyOf(hostKey, this.#topics.keyMode), this.#topics.partitions);
    const [page, newest] = await Promise.all([
      this.#crawl.host(hostKey, from),
      this.#outcomes.ofHost(hostKey, partition),
    ]);
    return { ...page, outcomes: newest };
  };

  readonly search: CrawlView['search'] = async (words, signal) => {
    const search = this.#crawl.search();
    if (search === null)
      throw new CrawlstreamError('INVALID_ARGUMENT', 'no page is indexed on this machine: crawl with --with index');
    const { log, codec } = this.#crawl;
    const found = await search(words, dashboardLimits.hits, signal);
    // The index learns of a purge a moment later, or with its next run.
    const purges = await readPurges(log, codec, this.#topics);
    const kept = found.filter(({ url, fetchedAtMs }) => !purges.refuses(url, fetchedAtMs));
    return { hits: kept.map(({ url, title, snippet }) => ({ url, title, snippet })) };
  };

  readonly hostMap: CrawlView['hostMap'] = async (signal) => {
    const links = this.#crawl.hostLinks();
    if (links === null)
      throw new CrawlstreamError('INVALID_ARGUMENT', 'no links are kept on this machine: crawl with --with graph');
    const { mapHosts, mapEdges } = dashboardLimits;
    const listed = await this.#crawl.hosts({ search: '', sort: 'pages', limit: mapHosts });
    const sources = withPages(listed).map(({ host }) => host);
    return hostMapOf(listed, await links(sources, signal), mapHosts, mapEdges);
  };

  readonly duplicates: CrawlView['duplicates'] = async (signal) => {
    this.#duplicates = await this.#countDuplicates();
    if (!this.#mayListDuplicates() || this.#crawl.duplicates === null || !(await this.#hasFewVerdicts()))
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        'this crawl has no duplicate pages, or too many for a page: crawlstream duplicates lists them',
      );
    const { clusters, listed } = await this.#crawl.duplicates(dashboardLimits.clusters, signal);
    return { clusters, listed };
  };

  /** The counts read what has come since; a list is read from the beginning. */
  async #hasFewVerdicts(): Promise<boolean> {
    const { crawl, partitions } = this.#topics;
    let records = 0;
    for (let partition = 0; partition < partitions; partition++) {
      const { start, end } = await this.#crawl.log.offsets(`${crawl}.duplicates`, partition);
      records += end - start;
    }
    return records <= contentLimits.duplicatesCountedMax;
  }

  /** A list is read whole: one that is too long to count is too long to list here. */
  #mayListDuplicates(): boolean {
    const counts = this.#duplicates;
    return this.#crawl.duplicates !== null && counts !== null && counts.isLeast !== true;
  }

  readonly act: CrawlView['act'] = async (act, host, by, amount) => {
    const hostKey = this.#crawl.hostKey(host);
    const said = { by, atMs: this.#clock.nowMs() };
    if (act === 'block') this.#blocked.add(hostKey);
    else if (!actsWithAmount.has(act)) this.#blocked.delete(hostKey);
    await this.#crawl.send(hostEvent(this.#topics, said, eventKinds[act], hostKey, eventAmount(act, amount)));
    return hostKey;
  };

  readonly addSeeds: CrawlView['addSeeds'] = async (urls) => {
    const seedOf = await this.#crawl.seedsUnder(await this.#policy());
    const sent: string[] = [];
    const refused: { readonly url: string; readonly why: string }[] = [];
    for (const url of urls) {
      try {
        sent.push(seedOf(url));
      } catch (error) {
        if (!hasCode(error, 'INVALID_SEED', 'INVALID_ARGUMENT')) throw error;
        refused.push({ url, why: (error as Error).message });
      }
    }
    const seeds = sent.map((url) => ({ url, priority: -1 }));
    if (sent.length > 0) await this.#crawl.send(seedRequest(this.#topics, seeds, this.#clock.nowMs()));
    return { sent, refused };
  };

  readonly replay: CrawlView['replay'] = async (ids) => {
    await this.#newestDeadLetters.look();
    const letters = this.#newestDeadLetters.fresh(ids);
    const records = letters.flatMap((letter) => replayRequest(this.#topics, letter, this.#clock.nowMs()));
    if (records.length > 0) await this.#crawl.send(records);
    return letters.map(({ id }) => id);
  };

  async #policy(): Promise<PolicyConfig> {
    const { policy } = await this.#control();
    if (policy !== null) return parsePolicy(policy.json);
    throw new CrawlstreamError('INVALID_ARGUMENT', 'the crawl has no policy yet: start it, or inject seeds');
  }

  readonly awaitsRelease: OwnView['awaitsRelease'] = async () => {
    if (this.#clock.nowMs() - this.#lookedAtMs > dashboardLimits.heldOpenMs) return false;
    for (const hostKey of this.#blocked) {
      const { hold, deferred } = await this.#crawl.host(hostKey, '');
      if (hold === 'blocked' && deferred > 0) return true;
    }
    return false;
  };

  readonly steer: CrawlView['steer'] = async (act, by) => {
    if (act === 'stop') {
      if (this.#crawl.stop === null)
        throw new CrawlstreamError('INVALID_ARGUMENT', 'another process runs this crawl: stop that one, as by Ctrl-C');
      // A second signal would end the process at once.
      if (this.#isStopping) return false;
      this.#isStopping = this.#crawl.stop(by);
      return this.#isStopping;
    }
    const { paused = false, ...rest } = await this.#policy();
    if (paused === (act === 'pause')) return false;
    const nowMs = this.#clock.nowMs();
    const next = { ...rest, version: Math.max(nowMs, rest.version + 1), ...(act === 'pause' && { paused: true }) };
    await this.#crawl.send(policyRequest(this.#topics, next, by, nowMs));
    return true;
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
