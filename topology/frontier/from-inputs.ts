/**
 * Rebuilds a partition's state from its inputs if its changelog is lost: which URLs were fetched, and how each ended.
 *
 * Only that is promised, plus the findings of revisits and the time of the next visit. Order, times and choices were
 * only in the changelog: queued URLs are queued again in the order in which they were found; budgets and evidence for
 * rewritings are lost. Control is read first, then results, tasks and discovered.
 *
 * A lease that may still be out, by its task, stays out. If it has URLs that cannot be granted again, such as revisits,
 * its host waits until its deadline.
 *
 * The seen test of `state` must hold everything in memory. The last terminal outcome of a URL counts, even if the
 * current policy would refuse its link: the URL was fetched. docs/design.md §4.10.
 */
import type { Control, Discovered, LinkGroup, Outcome, Result, Task } from '../../schemas/types.ts';
import { failsHost, isPressure, isRetriable, isTerminal } from '../fetch/outcome.ts';
import { crawlLimits } from '../policy/crawl-limits.ts';
import type { ListSources } from '../policy/list-sources.ts';
import type { Policy } from '../policy/policy.ts';
import { frontQueueCount } from '../url/front-queue.ts';
import { seenKey } from '../url/seen-key.ts';
import { isSpellingOf } from '../url/spelling.ts';
import { tagsOf } from '../url/tags.ts';
import { urlLimits } from '../url/url-limits.ts';
import type { FinalStatus, HostFacts } from './changes/changes.ts';
import { newHostFacts } from './changes/changes.ts';
import type { Entry } from './changes/entry.ts';
import { decideControl } from './decide/control/control.ts';
import { Decision, type PartitionIdentity } from './decide/decision.ts';
import { isAboutHost, Misrouted } from './decide/misrouted.ts';
import { politeDelayMs } from './decide/politeness.ts';
import { type AfterVisit, afterVisit } from './decide/results/after-visit.ts';
import { finals } from './decide/results/finals.ts';
import { recordOf } from './decide/results/results.ts';
import { abandoned } from './decide/results/time.ts';
import { frontierLimits } from './frontier-limits.ts';
import { FrontierPartition } from './partition.ts';
import { seenVerdicts } from './seen/seen-test.ts';
import type { FrontierState } from './state/state.ts';

/** Facts about one URL from the results. */
interface Course {
  last: Outcome | undefined;
  atMs: number;
  hostKey: string;
  /** Of the lease that reported `last`. */
  leaseId: number;
  tries: number;
  hops: number;
  /** Its visits' findings; undefined: none yet, or no revisits. */
  visits: AfterVisit | undefined;
}

/** A lease without a last result. */
interface OpenLease {
  readonly task: Task;
  /** Its URLs that were found by a link, by seen key. */
  readonly entries: Map<string, Entry>;
}

export class FromInputs {
  readonly state: FrontierState;
  readonly #partition: FrontierPartition;
  /** By seen key. */
  readonly #courses = new Map<string, Course>();
  readonly #facts = new Map<string, HostFacts>();
  readonly #waiting = new Map<string, Entry[]>();
  /**
   * Newest epoch of each lease with a last result. After a changelog has lost its tail, a later epoch gives numbers
   * again.
   */
  readonly #ended = new Map<number, number>();
  readonly #open: OpenLease[] = [];
  /** By the seen keys of their URLs. */
  readonly #openOf = new Map<string, OpenLease>();
  #lastLeaseId = 0;
  readonly #identity: PartitionIdentity;
  readonly #misrouted: Misrouted;

  constructor(identity: PartitionIdentity, state: FrontierState) {
    this.#identity = identity;
    this.#misrouted = new Misrouted(identity, [], 0);
    this.state = state;
    this.#partition = new FrontierPartition(identity, state);
  }

  /** Lists that a policy refers to must be here before it comes. */
  get lists(): ListSources {
    return this.#partition.lists;
  }

  /** Policies and operators' orders. The page quota must not be granted again. */
  control(event: Control): void {
    if (event.kind === 'quota' || event.kind === 'quotaReport') return;
    for (let from: number | 'done' = 0; from !== 'done'; ) {
      const decision = this.#decision();
      if (isAboutHost(event) && !decision.misrouted.isOurs(event.hostKey)) return;
      // The order of queues cannot be rebuilt from the inputs, so there is nothing to raise.
      from = decideControl(decision, event, [], from);
    }
  }

  #decision(): Decision {
    const { state } = this;
    return new Decision(this.#identity, state, state.nowMs, () => this.#partition.policy, this.lists.source);
  }

  result(result: Result): void {
    const { policy } = this.#partition;
    if (policy === null) return;
    const { hostKey, completedAtMs } = result;
    if (!this.#misrouted.isOurs(hostKey)) return;
    this.state.nowMs = Math.max(this.state.nowMs, completedAtMs);
    this.#lastLeaseId = Math.max(this.#lastLeaseId, result.leaseId);
    const { leaseId, epoch } = result;
    if (result.last) this.#ended.set(leaseId, Math.max(epoch, this.#ended.get(leaseId) ?? 0));
    for (const outcome of result.outcomes) this.#note(policy, outcome, result);
    const before = this.#factsOf(hostKey);
    const failed = result.outcomes.some(failsHost);
    const answered = result.outcomes.some(
      (outcome) => (outcome.status > 0 || outcome.originOnly) && !failsHost(outcome) && !isPressure(outcome.kind),
    );
    const crawlDelayMs = result.host.robotsStatus === 'unknown' ? before.crawlDelayMs : result.host.crawlDelayMs;
    const failures = failed ? before.failures + 1 : answered ? 0 : before.failures;
    const facts = { ...before, crawlDelayMs, failures };
    const readyAtMs = Math.max(
      before.readyAtMs,
      completedAtMs === 0 ? 0 : completedAtMs + politeDelayMs(policy.hostSettings(hostKey), facts),
    );
    this.#facts.set(hostKey, { ...facts, readyAtMs });
  }

  /** After all results. */
  task(task: Task): void {
    const { policy } = this.#partition;
    const { epoch, leaseId, hostKey, deadlineMs, urls } = task;
    this.#lastLeaseId = Math.max(this.#lastLeaseId, leaseId);
    const isOver = (this.#ended.get(leaseId) ?? -1) >= epoch || deadlineMs <= this.state.nowMs;
    if (policy === null || isOver || !this.#misrouted.isOurs(hostKey)) return;
    const lease = { task, entries: new Map<string, Entry>() };
    this.#open.push(lease);
    for (const { url } of urls) this.#openOf.set(keyOf(policy, url), lease);
  }

  discovered(message: Discovered): void {
    const { policy } = this.#partition;
    if (policy === null) return;
    for (const group of message.groups) this.#arrive(policy, group);
  }

  /** After the last record. */
  end(): void {
    const { state } = this;
    const { policy } = this.#partition;
    if (policy === null) return;
    for (const course of this.#courses.values()) {
      // URLs that were fetched, but were found by a link that today's policy refuses or that can no longer be read.
      if (course.last === undefined || this.#isSeen(course.last.url)) continue;
      this.#close(policy, course.hostKey, entryOf(course.last.url, 0, 0, frontQueueCount - 1), course);
    }
    // In the order of their numbers, so that a URL that is closed between them gets no number of one that is out.
    for (const lease of this.#open.sort((a, b) => a.task.leaseId - b.task.leaseId)) this.#grantAgain(policy, lease);
    for (const [hostKey, entries] of this.#waiting) state.apply({ kind: 'admit', hostKey, known: true, entries });
    for (const [hostKey, facts] of this.#facts) {
      const isDead = facts.failures > policy.hostSettings(hostKey).retriesMs.length;
      const deadUntilMs = isDead ? state.nowMs + frontierLimits.deadHostMs : 0;
      state.apply({ kind: 'host', hostKey, facts: { ...facts, deadUntilMs } });
      // URLs of a dead host had gone to the dead letters, or would soon.
      const entries = isDead ? (this.#waiting.get(hostKey) ?? []) : [];
      for (const entry of entries) state.apply({ kind: 'abandon', hostKey, record: abandoned(entry, state.nowMs) });
    }
    // Numbers of leases that may still be in use are not reused.
    state.leases.nextId = Math.max(state.leases.nextId, this.#lastLeaseId + 1 + crawlLimits.concurrencyMax);
  }

  /** The lease is out as before, with its URLs at the same indexes. Otherwise its host waits until its deadline. */
  #grantAgain(policy: Policy, { task, entries }: OpenLease): void {
    const { state } = this;
    const { leaseId, hostKey, deadlineMs, delayMs } = task;
    const inOrder = task.urls.map(({ url }) => entries.get(keyOf(policy, url)));
    const whole = inOrder.filter((entry) => entry !== undefined);
    const isTaken = state.leases.get(leaseId) !== undefined;
    if (isTaken || whole.length === 0 || whole.length < inOrder.length) {
      for (const [key, entry] of entries) this.#place(policy, hostKey, entry, this.#courses.get(key));
      const facts = this.#factsOf(hostKey);
      this.#facts.set(hostKey, { ...facts, readyAtMs: Math.max(facts.readyAtMs, deadlineMs) });
      return;
    }
    this.#lease(hostKey, whole, { leaseId, deadlineMs, delayMs });
    whole.forEach((entry, index) => {
      const course = this.#courses.get(keyOf(policy, task.urls[index]!.url));
      if (course?.last !== undefined) this.#end(policy, { leaseId, hostKey }, index, entry, course);
    });
  }

  #factsOf(hostKey: string): HostFacts {
    return this.#facts.get(hostKey) ?? this.state.hosts.get(hostKey)?.facts ?? newHostFacts;
  }

  #note(policy: Policy, outcome: Outcome, { hostKey, leaseId, completedAtMs }: Result): void {
    const key = keyOf(policy, outcome.url);
    let course = this.#courses.get(key);
    if (course === undefined) {
      course = { last: undefined, atMs: 0, hostKey, leaseId, tries: 0, hops: 0, visits: undefined };
      this.#courses.set(key, course);
    }
    const { kind } = outcome;
    if (kind === 'redirect' && keyOf(policy, outcome.redirectUrl) === key) course.hops += 1;
    else if (isTerminal(kind)) {
      const visits = this.#visit(policy, course, outcome, completedAtMs);
      Object.assign(course, { last: outcome, atMs: completedAtMs, leaseId, visits });
    } else if (isRetriable(kind) && !failsHost(outcome)) course.tries += 1;
    const gaveUp =
      course.tries > policy.hostSettings(hostKey).retriesMs.length || course.hops > urlLimits.redirectHopsMax;
    if (gaveUp && course.last === undefined) Object.assign(course, { last: outcome, atMs: completedAtMs, leaseId });
  }

  /** The next owner computes the price of a visit again. */
  #visit(policy: Policy, { visits }: Course, outcome: Outcome, atMs: number): AfterVisit | undefined {
    const status = finals[outcome.kind];
    if (policy.recrawl === null || status === undefined) return undefined;
    const record = recordOf(policy, outcome, entryOf(outcome.url, 0, 0, 0), status, atMs);
    return afterVisit(policy.recrawl, visits?.page, { outcome, atMs, frontQueue: 0, record }, null);
  }

  #arrive(policy: Policy, group: LinkGroup): void {
    for (const { url: given, lastModifiedMs, priority, spelling } of group.links) {
      const { depth, hop, intent, sourceUrl } = group;
      const verdict = policy.admit(given, depth, hop, { depth, hop, intent, sourceUrl, lastModifiedMs });
      if (!verdict.ok) continue;
      const { url, hostKey } = verdict;
      // The record was passed on, and is found in its own partition.
      if (this.#isSeen(url) || !this.#misrouted.isOurs(hostKey)) continue;
      const course = this.#courses.get(seenKey(url));
      const frontQueue = group.front ? 0 : priority >= 0 ? Math.min(priority, frontQueueCount - 1) : verdict.frontQueue;
      const tags = this.#tagNumber(group.tags);
      const plain = { ...entryOf(url, depth, hop, frontQueue), attempts: course?.tries ?? 0 };
      const isSpelt = spelling !== '' && policy.fetchesAsFound(url) && isSpellingOf(spelling, url, policy.normalize);
      const entry = { ...plain, ...(tags > 0 && { tags }), ...(isSpelt && { spelling }) };
      this.#placeOrHold(policy, hostKey, entry, course);
    }
  }

  /** A URL of an open lease waits for the others of it. Revisits were granted from the schedule. */
  #placeOrHold(policy: Policy, hostKey: string, entry: Entry, course: Course | undefined): void {
    const key = seenKey(entry.url);
    const lease = this.#openOf.get(key);
    const isRevisit = course?.last !== undefined && course.leaseId !== lease?.task.leaseId;
    if (lease === undefined || isRevisit) return this.#place(policy, hostKey, entry, course);
    this.#see(entry.url);
    lease.entries.set(key, entry);
  }

  #place(policy: Policy, hostKey: string, entry: Entry, course: Course | undefined): void {
    if (course?.last !== undefined) this.#close(policy, hostKey, entry, course);
    else this.#wait(policy, hostKey, entry);
  }

  #tagNumber(given: readonly string[]): number {
    const { tagSets } = this.state;
    const tags = tagsOf(given);
    const isNew = tags.length > 0 && tagSets.numberOf(tags) === 0;
    if (isNew && !tagSets.isFull) this.state.apply({ kind: 'tagSet', number: tagSets.nextNumber, tags });
    return tagSets.numberOf(tags);
  }

  #isSeen(url: string): boolean {
    const [hi, lo] = this.state.fingerprintOf(url);
    return this.state.seen.test(hi!, lo!) === seenVerdicts.seen;
  }

  #see(url: string): void {
    const [hi, lo] = this.state.fingerprintOf(url);
    this.state.seen.add(hi!, lo!);
  }

  #wait(policy: Policy, hostKey: string, entry: Entry): void {
    let entries = this.#waiting.get(hostKey);
    if (entries === undefined) this.#waiting.set(hostKey, (entries = []));
    const { urlsPerHostMax } = policy.hostSettings(hostKey);
    if (urlsPerHostMax !== null && entries.length >= urlsPerHostMax) return;
    this.#see(entry.url);
    entries.push(entry);
  }

  /** The whole life of a URL that has ended, while nothing else of its host is queued. */
  #close(policy: Policy, hostKey: string, entry: Entry, course: Course): void {
    const leaseId = this.state.leases.nextId;
    this.#see(entry.url);
    this.#lease(hostKey, [entry], { leaseId, deadlineMs: 0, delayMs: 0 });
    this.#end(policy, { leaseId, hostKey }, 0, entry, course);
    this.state.apply({ kind: 'release', leaseId, expired: false });
  }

  /** While nothing else of the host is queued. */
  #lease(hostKey: string, entries: readonly Entry[], lease: Pick<Task, 'leaseId' | 'deadlineMs' | 'delayMs'>): void {
    this.state.apply({ kind: 'admit', hostKey, known: true, entries });
    const frontQueues = entries.map(({ frontQueue }) => [frontQueue, 1] as const);
    this.state.apply({ kind: 'grant', hostKey, again: 0, frontQueues, ...lease });
  }

  /** A URL of a lease has ended, and when it is visited again. */
  #end(
    policy: Policy,
    { leaseId, hostKey }: Pick<Task, 'leaseId' | 'hostKey'>,
    index: number,
    entry: Entry,
    { last, atMs, visits }: Course,
  ): void {
    const { state } = this;
    const status: FinalStatus = finals[last!.kind] ?? 'dead';
    const record = recordOf(policy, last!, entry, status, atMs);
    state.apply({ kind: 'resolve', leaseId, index, disposition: { to: 'final', status }, record });
    if (visits === undefined || visits.delayS === null) return;
    const { depth, frontQueue, tags, spelling } = entry;
    const asked = { ...(tags !== undefined && { tags }), ...(spelling !== undefined && { spelling }) };
    const { record: visited } = visits.page;
    const page = { ...visits.page, frontQueue, record: { ...visited, depth, ...asked } };
    const seen = { spent: true, proved: null, dueAtMs: atMs + 1_000 * visits.delayS };
    state.apply({ kind: 'visit', hostKey, leaseId: 0, index: 0, ...seen, page });
  }
}

/** The same key for a URL as found and as fetched. */
function keyOf(policy: Policy, url: string): string {
  return seenKey(policy.normalize(url) ?? url);
}

function entryOf(url: string, depth: number, hop: number, frontQueue: number): Entry {
  return { url, depth, hop, attempts: 0, expiries: 0, frontQueue };
}
