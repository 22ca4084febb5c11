/**
 * Publishes what leases produce, in an order such that a result means that all of it is durable (docs/design.md §4.6):
 * pages and links first, then, once they are acked, the results of the same URLs.
 *
 * All leases share flush cycles, since messages and syncs cost more than bytes. One cycle's pages and links are under
 * way at a time while the next gathers. Outcomes wait for their lease to end, but no longer than `resultsMs`, and leave in
 * order: appends to one partition land as issued. A link enters the link cache only after its ack.
 *
 * If the log takes an append as a whole, and there are few reports, pages, links and results go in one append: a slow
 * crawl then makes one append for a page, and its frontier one decision.
 */
import { blankHostFacts } from '../../../schemas/blank.ts';
import type {
  HostFacts,
  LinkGroup,
  Outcome,
  Render,
  Request,
  Response,
  RobotsCopy,
  RobotsHop,
  Task,
  TaskUrl,
} from '../../../schemas/types.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { AppendRecord, Log } from '../../runtime/log/log.ts';
import { logLimits } from '../../runtime/log/log-limits.ts';
import { RecordTooLarge } from '../../runtime/log/record-too-large.ts';
import { fetcherLimits } from '../fetcher-limits.ts';
import { Cycle, type LeaseState, type Report } from './cycle.ts';
import type { LinkCache } from './link-cache.ts';
import { leaseRequestRecord, type ResultOptions, resultRecord } from './result-record.ts';

export interface UrlReport extends Report {
  readonly outcome: Outcome;
}

/** Takes the reports of one lease. */
export interface LeaseReporter {
  /** Reports the result of one URL. If it returns a promise, too much waits for the log: continue when it resolves. */
  report(report: UrlReport): Promise<void> | undefined;
  /**
   * Links of something that is not a page (a sitemap). They are acked, like a page's links, before the last result. A
   * promise: as for `report`.
   */
  found(groups: readonly LinkGroup[], pending: readonly number[]): Promise<void> | undefined;
  /** A request that belongs to no outcome (robots.txt, a sitemap). */
  requested(request: Request): void;
  /** Facts of the host. */
  learnt(facts: HostFacts): void;
  /**
   * Reports a check of the host's sitemaps, in a round if sinceMs is above 0, with the number of unread ones and the
   * next of them.
   */
  sitemapsRead(sinceMs: number, left: number, next: string | undefined): void;
  /** Requests a lease of another host, for a robots hop to it. */
  requestLease(hostKey: string, hop: RobotsHop): void;
  /** Call it when the lease has no more reports. */
  finish(): void;
}

export interface Publisher {
  open(task: Task): LeaseReporter;
  /** Adds a raw response, for archives: it is sent with the next report. */
  responded(response: Response): void;
  /** Adds a page that needs a browser: it is sent with the next report. */
  needsBrowser(render: Render): void;
  /** Publishes a robots.txt: acked before the result of any request that refers to it. */
  readRobots(copy: RobotsCopy): void;
  /** Resolves once all that was reported is acked; rejects if the log failed. */
  drain(): Promise<void>;
  /** Number of responses, pages for the browser and copies of robots.txt that were too large for their topics. */
  readonly tooLarge: number;
}

export interface PublisherOptions extends ResultOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Full names. */
  readonly topics: Readonly<Record<'pages' | 'discovered' | 'results' | 'responses' | 'render' | 'robots', string>>;
  readonly linkCache: LinkCache;
  /** Outcomes of a lease are durable; `last`: it has no more. */
  readonly onDurable?: (task: Task, outcomes: readonly Outcome[], last: boolean) => void;
  /** The log refused an append: nothing more will be published. */
  readonly onFailure: (error: unknown) => void;
}

/** Results of a lease so far. */
type TaskOutcomes = readonly [task: Task, outcomes: readonly Outcome[], last: boolean];

/** Results that are due, of all leases. */
interface DueResults {
  readonly records: readonly AppendRecord[];
  readonly reports: readonly TaskOutcomes[];
}

export function createPublisher(options: PublisherOptions): Publisher {
  return new LeasePublisher(options);
}

/** Its public acts are fields, since callers hand out single ones: `publisher.responded`. */
class LeasePublisher implements Publisher {
  readonly #options: PublisherOptions;
  readonly #log: Log;
  readonly #clock: Clock;
  #gathering: Cycle;
  readonly #waitingForRoom: (() => void)[] = [];
  readonly #leases = new Set<LeaseState>();
  readonly #resultAppends = new Set<Promise<unknown>>();
  #bytesUnacked = 0;
  #cycle: Promise<void> | undefined;
  #timer = new AbortController();
  #timerAtMs = Number.POSITIVE_INFINITY;
  #flushDue = false;
  #failure: { readonly error: unknown } | undefined;
  #tooLarge = 0;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#clock = options.clock;
    this.#gathering = new Cycle(options);
  }

  readonly #fail = (error: unknown) => {
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    for (const proceed of this.#waitingForRoom.splice(0)) proceed();
    this.#options.onFailure(error);
  };

  /** Makes sure that a flush starts within this time. */
  #schedule(waitMs: number) {
    const atMs = this.#clock.nowMs() + waitMs;
    if (atMs >= this.#timerAtMs) return;
    this.#stopTimer();
    this.#timerAtMs = atMs;
    const { signal } = this.#timer;
    void this.#clock.sleepUntil(atMs, signal).then(() => {
      if (!signal.aborted) this.#flush();
    });
  }

  #stopTimer() {
    if (this.#timerAtMs === Number.POSITIVE_INFINITY) return;
    // Aborted with a reason of our own, since the default one is an exception with a stack, which costs 5 µs each time.
    this.#timer.abort('superseded');
    this.#timer = new AbortController();
    this.#timerAtMs = Number.POSITIVE_INFINITY;
  }

  /** Starts a cycle; while one is under way, the next follows it at once. */
  #flush() {
    this.#stopTimer();
    if (this.#failure !== undefined) return;
    if (this.#cycle !== undefined) {
      this.#flushDue = true;
      return;
    }
    this.#flushDue = false;
    const cycle = this.#gathering;
    this.#gathering = new Cycle(this.#options);
    this.#cycle = this.#publish(cycle)
      .catch(this.#fail)
      .finally(() => {
        this.#cycle = undefined;
        if (this.#flushDue) this.#flush();
      });
  }

  async #publish(cycle: Cycle) {
    if (this.#log.isAtomic === true && cycle.reports.length <= fetcherLimits.resultsWithReportsMax)
      return this.#publishWhole(cycle);
    const records = cycle.records();
    if (records.length > 0) await this.#log.append(records).catch((error) => this.#leaveOut(cycle, records, error));
    const nowMs = this.#clock.nowMs();
    this.#conclude(cycle, nowMs);
    this.#acked(cycle);
    const { records: results, reports } = this.#takeResults(nowMs, fetcherLimits.resultsMs);
    this.#appendResults(results, reports);
  }

  /** Results are durable together with their pages and links. */
  async #publishWhole(cycle: Cycle) {
    const nowMs = this.#clock.nowMs();
    this.#conclude(cycle, nowMs);
    const { records, reports } = this.#takeResults(nowMs, 0);
    const all = [...cycle.records(), ...records];
    if (all.length > 0) await this.#log.append(all);
    this.#acked(cycle);
    this.#durable(reports);
  }

  /** The outcomes of a cycle may be sent. */
  #conclude(cycle: Cycle, nowMs: number) {
    for (const { lease, outcome, requests } of cycle.reports) {
      lease.unacked -= 1;
      if (outcome === null) continue;
      lease.outcomes.push(named(outcome, lease.task));
      lease.requests.push(...requests);
      lease.readySinceMs ||= nowMs;
    }
  }

  /** The pages and links of a cycle are durable. */
  #acked(cycle: Cycle) {
    this.#options.linkCache.remember(cycle.pending);
    for (const { spans } of cycle.reports) spans?.acked();
    this.#bytesUnacked -= cycle.bytes;
    for (const proceed of this.#waitingForRoom.splice(0)) proceed();
  }

  #durable(reports: readonly TaskOutcomes[]) {
    for (const [task, outcomes, last] of reports) this.#options.onDurable?.(task, outcomes, last);
  }

  /** Handles records that are too large for their topic: the outcome says so, and the rest of the cycle is durable. */
  #leaveOut(cycle: Cycle, records: readonly AppendRecord[], error: unknown) {
    if (!(error instanceof RecordTooLarge)) throw error;
    for (const record of error.indexes.map((index) => records[index])) {
      // Links belong to many pages, and none may be lost.
      if (record?.topic === this.#options.topics.discovered) throw error;
      const report = cycle.reportOf(record);
      if (report?.outcome) report.outcome = { ...report.outcome, kind: 'tooLarge', detail: error.message };
      else this.#tooLarge += 1;
    }
  }

  /** Takes the results of leases that have ended, and of outcomes that have waited for `waitMs`. */
  #takeResults(nowMs: number, waitMs: number): DueResults {
    const records: AppendRecord[] = [];
    const reports: TaskOutcomes[] = [];
    let nextMs = Number.POSITIVE_INFINITY;
    for (const lease of this.#leases) {
      const last = lease.finished && lease.unacked === 0;
      const dueAtMs = lease.readySinceMs + waitMs;
      if (last) this.#leases.delete(lease);
      else if (lease.readySinceMs === 0) continue;
      else if (dueAtMs > nowMs) {
        nextMs = Math.min(nextMs, dueAtMs);
        continue;
      }
      records.push(resultRecord(lease, last, this.#options));
      reports.push([lease.task, lease.outcomes, last]);
      lease.outcomes = [];
      lease.requests = [];
      lease.facts = { ...lease.facts, sitemaps: [] };
      lease.readySinceMs = 0;
    }
    if (nextMs !== Number.POSITIVE_INFINITY) this.#schedule(nextMs - nowMs);
    return { records, reports };
  }

  #appendResults(records: readonly AppendRecord[], reports: readonly TaskOutcomes[]) {
    if (records.length === 0 || this.#failure !== undefined) return;
    const append = this.#log
      .append(records)
      .then(() => this.#durable(reports))
      .catch(this.#fail)
      .finally(() => this.#resultAppends.delete(append));
    this.#resultAppends.add(append);
  }

  #gather(lease: LeaseState, report: Report): Promise<void> | undefined {
    this.#bytesUnacked += this.#gathering.add(lease, report);
    if (this.#gathering.bytes >= fetcherLimits.flushBytes) this.#flush();
    else this.#schedule(fetcherLimits.flushMs);
    if (this.#bytesUnacked <= fetcherLimits.publishBytesMax || this.#failure !== undefined) return undefined;
    return new Promise((resolve) => this.#waitingForRoom.push(resolve));
  }

  /** Records sent with the pages of this cycle. */
  #beside(name: 'responses' | 'render' | 'robots', hostKey: string, value: Buffer, key = hostKey) {
    const { topics, partitions, keyMode } = this.#options;
    if (value.length > logLimits.recordBytesMax) {
      this.#tooLarge += 1;
      return;
    }
    const partition = partitionOf(partitionKeyOf(hostKey, keyMode), partitions);
    this.#gathering.addRecord({ topic: topics[name], partition, key: Buffer.from(key), value });
    this.#bytesUnacked += value.length;
    if (this.#gathering.bytes >= fetcherLimits.flushBytes) this.#flush();
    // Only results refer to a robots.txt, and its lease has one more at its end: an append for it alone is needless. But
    // those after the cycle under way may refer to it already.
    else if (name !== 'robots' || this.#cycle !== undefined) this.#schedule(fetcherLimits.flushMs);
  }

  readonly open: Publisher['open'] = (task) => {
    const lease: LeaseState = {
      task,
      facts: blankHostFacts,
      completedAtMs: 0,
      outcomes: [],
      requests: [],
      unacked: 0,
      readySinceMs: 0,
      finished: false,
    };
    this.#leases.add(lease);
    return {
      report: (report) => {
        for (const { endMs } of report.requests) lease.completedAtMs = Math.max(lease.completedAtMs, endMs);
        return this.#gather(lease, report);
      },
      found: (groups, pending) => this.#gather(lease, { outcome: null, requests: [], page: null, groups, pending }),
      requested(request) {
        lease.requests.push(request);
        lease.completedAtMs = Math.max(lease.completedAtMs, request.endMs);
      },
      learnt(facts) {
        // Sitemaps are reported once, when robots.txt is new: later facts must not overwrite them.
        lease.facts = facts.sitemaps.length > 0 ? facts : { ...facts, sitemaps: lease.facts.sitemaps };
      },
      sitemapsRead(sinceMs, left, next) {
        const { facts } = lease;
        // The frontier needs one to know its origin.
        const sitemaps = facts.sitemaps.length > 0 || next === undefined ? facts.sitemaps : [next];
        lease.facts = { ...facts, sitemapsSinceMs: Math.max(0, sinceMs), sitemapsLeft: left, sitemaps };
      },
      requestLease: (hostKey, hop) => this.#appendResults([leaseRequestRecord(hostKey, hop, this.#options)], []),
      finish: () => {
        lease.finished = true;
        this.#schedule(fetcherLimits.flushMs);
      },
    };
  };

  readonly responded: Publisher['responded'] = (response) =>
    this.#beside('responses', response.hostKey, this.#options.codec.encode('responses', response));
  readonly needsBrowser: Publisher['needsBrowser'] = (render) =>
    this.#beside('render', render.hostKey, this.#options.codec.encode('render', render));
  readonly readRobots: Publisher['readRobots'] = ({ origin, hash, ...copy }) => {
    const body = Buffer.from(copy.body.buffer, copy.body.byteOffset, copy.body.byteLength);
    const value = this.#options.codec.encode('robots', { ...copy, origin, hash, body });
    this.#beside('robots', hostKeyOf(origin), value, `${origin} ${hash}`);
  };

  get tooLarge() {
    return this.#tooLarge;
  }

  readonly drain: Publisher['drain'] = async () => {
    const open = () => !this.#gathering.isEmpty || [...this.#leases].some((lease) => lease.finished);
    while (this.#failure === undefined && (this.#cycle !== undefined || open())) {
      // A flush during a cycle makes another cycle follow it: without anything to send, that would never end.
      if (open()) this.#flush();
      await this.#cycle;
    }
    this.#stopTimer();
    await Promise.all(this.#resultAppends);
    if (this.#failure !== undefined) throw this.#failure.error;
  };
}

/** By the URL's normal spelling, and with its tags. */
function named(outcome: Outcome, { urls }: Task): Outcome {
  const { tags, normal } = urls[outcome.index] ?? outOfRange;
  return tags.length === 0 && normal === '' ? outcome : { ...outcome, tags, url: normal || outcome.url };
}

const outOfRange: Pick<TaskUrl, 'tags' | 'normal'> = { tags: [], normal: '' };
