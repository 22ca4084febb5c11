/**
 * The frontier according to its rules (docs/design.md §4.15), in the plainest way: arrays, objects and full scans. It
 * shares only the shapes of records with the product, so that the two agree only if both are right.
 *
 * The product makes the random choices: which front queue goes next, and the jitter of a back-off. For the jitter, the
 * model has bounds, and takes the product's value (`observe`). For each front queue it predicts the one host that goes
 * next, and the URLs of the lease; and it predicts when no host goes.
 */
import assert from 'node:assert/strict';
import type { Control, Discovered, Link, LinkGroup, OutcomeKind, Result, Task } from '../../schemas/types.ts';
import { domainOf, NaiveBudgets } from './naive-budgets.ts';
import {
  baseMs,
  delaysOf,
  endTrouble,
  expectedMs,
  follow,
  freshOf,
  hostSlotShare,
  hostSlotsNow,
  isFailing,
  isHeld,
  isPlain,
  leaseSize,
  type NaiveDelays,
  type NaiveHost,
  newHost,
  notePause,
  politeMs,
  putAgain,
  queuedOf,
  queueOf,
  type Rules,
  raise,
  raiseAfter,
  rulesOf,
  setHostSlots,
  slotFreeMs,
  type Url,
} from './naive-host.ts';
import { nextOf, type ReadyHost } from './naive-order.ts';
import { isOpen, openedAtMs } from './naive-windows.ts';

export interface NaiveLease {
  readonly id: number;
  readonly hostKey: string;
  readonly urls: (Url | null)[];
  readonly deadlineMs: number;
  delayMs: number;
}

const skewMs = 5_000;
const deadMs = 24 * 3_600_000;
const [pages, redirects] = [new Set(['fetched', 'notModified']), 10];
const failed = new Set(['clientError', 'paymentRequired', 'gone', 'refused', 'blockedAddress', 'tooLarge']);
const hostFailures = new Set(['dnsFailed', 'connectionFailed', 'tlsFailed', 'robotsUnreachable']);
type Outcome = { readonly kind: OutcomeKind; readonly status: number };
const isServerError = ({ kind, status }: Outcome) => kind === 'serverError' && status >= 500;
/** True if there was an answer, even one of a failing server. */
const answered = ({ kind, status }: Outcome) =>
  status > 0 && !hostFailures.has(kind) && !/^(?:throttled|timeout|returned|unknown|crawlDelayTooLong)$/.test(kind);
const endsOf = (kind: OutcomeKind) => pages.has(kind) || /^(?:redirect|robotsDenied)$/.test(kind) || failed.has(kind);
const retried = new Set(['serverError', 'throttled', 'timeout', 'badResponse']);

export class NaiveFrontier {
  readonly hosts = new Map<string, NaiveHost>();
  readonly leases = new Map<number, NaiveLease>();
  readonly #seen = new Set<string>();
  readonly #purged = new Set<string>();
  /** Links that arrived while the partition was full. */
  readonly #waiting: { readonly group: LinkGroup; readonly link: Link }[] = [];
  rules!: Rules;
  nowMs = 0;
  quotaSpent = 0;
  #nextLease = 1;
  readonly #budgets = new NaiveBudgets();
  /** When each domain may be contacted again, under a policy with one delay for all hosts of a domain. */
  readonly #domainReadyMs = new Map<string, number>();
  #newestOrderMs = 0;
  readonly tallies = {
    discovered: 0,
    duplicates: 0,
    outOfScope: 0,
    tooDeep: 0,
    hostFull: 0,
    queueFull: 0,
    purged: 0,
    lateResults: 0,
    retries: 0,
  };
  readonly ends = { page: 0, redirected: 0, denied: 0, failed: 0, dead: 0 };
  admitted = 0;

  /** The counters, recomputed. */
  get counters(): Record<string, number> {
    const places = { queued: 0, retrying: 0, deferred: 0 };
    for (const host of this.hosts.values()) {
      const held = isHeld(host);
      for (const { dueMs } of host.again) places[held ? 'deferred' : dueMs > 0 ? 'retrying' : 'queued'] += 1;
      places[held ? 'deferred' : 'queued'] += host.frontQueues.flat().length;
      places[held || !host.isOpen ? 'deferred' : 'queued'] += host.deferred.length;
    }
    let leased = 0;
    for (const { urls } of this.leases.values()) leased += urls.filter((url) => url !== null).length;
    const { admitted, hosts, leases, quotaSpent } = this;
    return {
      ...this.tallies,
      ...places,
      ...this.ends,
      admitted,
      leased,
      hosts: hosts.size,
      leases: leases.size,
      quotaSpent,
    };
  }

  step(
    nowMs: number,
    control: readonly Control[],
    results: readonly Result[],
    discovered: readonly Discovered[],
  ): void {
    this.nowMs = nowMs;
    // The product knows the URLs only of hosts that were dead before.
    const dying = new Map([...this.hosts].filter(([, { dead, out }]) => dead && out === 0));
    for (const event of control) this.#control(event);
    for (const result of results) this.#result(result);
    for (const lease of this.#expired()) this.#expire(lease);
    this.#abandon(dying);
    for (const { groups } of discovered)
      for (const group of groups) this.#waiting.push(...group.links.map((link) => ({ group, link })));
    while (this.#waiting.length > 0 && (this.rules.whenFull !== 'pause' || this.#queued < this.rules.queuedMax)) {
      const { group, link } = this.#waiting.shift()!;
      this.#arrive(group, link);
    }
    const { budget } = this.rules;
    if (budget !== undefined) this.#budgets.open(budget, this.hosts, this.nowMs, (key) => this.#canTake(key));
  }

  /** The product's value: jitter must be within its bounds. */
  observe(factsOf: (hostKey: string) => { readonly readyAtMs: number } | undefined): void {
    for (const [key, host] of this.hosts) {
      const readyAtMs = factsOf(key)!.readyAtMs;
      const { readyMinMs, readyMaxMs } = host;
      assert.ok(
        readyAtMs >= readyMinMs && readyAtMs <= readyMaxMs,
        `${key} is ready at ${readyAtMs}, not within ${readyMinMs} and ${readyMaxMs}`,
      );
      host.readyMinMs = host.readyMaxMs = readyAtMs;
      const domain = domainOf(key);
      const domainMs = Math.max(this.#domainReadyMs.get(domain) ?? 0, readyAtMs, ...host.freeMs);
      this.#domainReadyMs.set(domain, domainMs);
    }
  }

  /**
   * After the grants: determines whether waiting URLs are beyond their budget, which is checked at their host's turn.
   */
  observeClosed(isOpenOf: (hostKey: string) => boolean): void {
    const { budget } = this.rules;
    for (const [key, host] of this.hosts) {
      if (!host.isOpen || isOpenOf(key)) continue;
      assert.equal(budget === undefined ? 1 : this.#deferredLeft(key, host), 0, `${key} has budget left`);
      this.#close(key, host);
    }
  }

  /** The product granted `tasks` for `demand`: each must be the predicted one, and none be missing. */
  grant(demand: number, tasks: readonly Task[]): void {
    assert.ok(tasks.length <= demand, 'no more leases than were asked for');
    for (const task of tasks) {
      const ready = this.#ready();
      const next = nextOf(ready);
      assert.ok(
        next.some(({ key }) => key === task.hostKey),
        `${task.hostKey} has a lease, and ${next.map(({ key, queue, fromMs }) => `${key} of queue ${queue}, ready for ${this.nowMs - fromMs} ms,`).join(' or ') || 'nobody'} is next`,
      );
      this.#grant(task);
    }
    if (tasks.length === demand || this.#quotaLeft <= 0) return;
    const left = this.#ready().filter(({ key, host }) => !this.#mayWaitForDomain(key, host));
    assert.deepEqual(
      left.map(({ key }) => key),
      [],
      'these are ready, and were left out',
    );
  }

  /** Hosts that could be on one more lease now. */
  #ready(): ReadyHost[] {
    const found: ReadyHost[] = [];
    for (const [key, host] of this.hosts) {
      const { windows = [] } = this.rules;
      if (!this.#isReady(key, host) || hostSlotShare(host, 1, this.#leasedOf(key)) === 0) continue;
      if (!isOpen(windows, key, this.nowMs) || !this.#isDomainFree(key)) continue;
      const fromMs = this.#standsSince(host);
      // A host that was checked while its window was closed waits until the opening.
      const openedMs = openedAtMs(windows, key, this.nowMs);
      found.push({ key, host, queue: queueOf(host), fromMs, toMs: Math.max(fromMs, openedMs) });
    }
    // The order of domains depends on past draws; within a domain, it is the order of its hosts.
    if (this.rules.politenessKey !== 'domain') return found;
    return found.map((one) => ({ ...one, group: domainOf(one.key) }));
  }

  /** Start of the host's wait: its own time, that of its first URL, or that of its slot. */
  #standsSince(host: NaiveHost): number {
    const hasFresh = host.frontQueues.some((queue) => queue.length > 0) || (host.isOpen && host.deferred.length > 0);
    return Math.max(host.readyMinMs, slotFreeMs(host), hasFresh ? 0 : host.again[0]!.dueMs);
  }

  #isDomainFree(key: string): boolean {
    if (this.rules.politenessKey !== 'domain') return true;
    const domain = domainOf(key);
    const isOut = [...this.leases.values()].some(({ hostKey }) => domainOf(hostKey) === domain);
    return !isOut && (this.#domainReadyMs.get(domain) ?? 0) <= this.nowMs;
  }

  /** A domain gets another host each second if the current one was held meanwhile. */
  #mayWaitForDomain(key: string, host: NaiveHost): boolean {
    if (this.rules.politenessKey !== 'domain') return false;
    const newestMs = Math.max(
      this.#standsSince(host),
      this.#domainReadyMs.get(domainOf(key)) ?? 0,
      this.#newestOrderMs,
    );
    return newestMs > this.nowMs - 1_000;
  }

  /** A new owner checks all budgets again. */
  restart(): void {
    if (this.rules.budget !== undefined) this.#budgets.restart(this.rules.budget, this.hosts);
  }

  /** The fetchers died: their URLs return without an attempt, as if contacted just now. */
  endLeases(nowMs: number): void {
    this.nowMs = Math.max(this.nowMs, nowMs);
    for (const { id, hostKey, urls, delayMs } of [...this.leases.values()]) {
      const host = this.#host(hostKey);
      for (const url of urls) {
        if (url === null) continue;
        this.quotaSpent -= 1;
        putAgain(host, 0, url);
      }
      this.#release(id, host);
      raise(host, this.nowMs + Math.max(delayMs, host.crawlDelayMs));
    }
  }

  #grant(task: Task): void {
    const { hostKey } = task;
    const host = this.hosts.get(hostKey)!;
    setHostSlots(host, hostKey, this.rules);
    const left = this.#quotaLeft;
    assert.ok(left > 0, 'no lease without page quota');
    const due = host.again.filter(({ dueMs }) => dueMs <= this.nowMs).map(({ url }) => url);
    const alone = due[0] !== undefined && due[0].expiries > 0;
    const mayWait = this.#deferredLeft(hostKey, host);
    const share = hostSlotShare(host, due.length, this.#leasedOf(hostKey));
    const rules = rulesOf(this.rules, hostKey);
    const size = Math.min(leaseSize(host, rules), left, share, alone ? 1 : 1e9);
    const isProbe = isFailing(host, rules) && host.frontQueues.flat().length > 0;
    const again = isProbe ? [] : due.slice(0, size);
    const fresh = freshOf(host, size - again.length);
    const deferred = host.isOpen ? host.deferred.slice(0, Math.min(size - again.length - fresh.length, mayWait)) : [];
    const urls = [...again, ...fresh, ...deferred];
    assert.ok(urls.length > 0, `${hostKey} has nothing to grant`);
    const wanted = urls.map(({ url, depth, hop, attempts, tags }) => ({
      url,
      depth,
      hop,
      attempt: attempts,
      etag: '',
      lastModified: '',
      cash: 0,
      traceparent: '',
      payload: '',
      normal: '',
      tags,
    }));
    // Which texts are compared is decided by traps, which it does not have.
    const granted = task.urls.map(({ unsigned: _, ...url }) => url);
    assert.deepEqual(granted, wanted, `the lease of ${hostKey} holds its next URLs, in order`);
    const deadlineMs = this.nowMs + 2 * urls.length * expectedMs(host, rules) + 45_000;
    const delayMs = baseMs(host, rules);
    assert.deepEqual([task.delayMs, task.deadlineMs, task.grantedAtMs], [delayMs, deadlineMs, this.nowMs]);
    assert.ok(task.notBeforeMs >= host.readyMinMs && task.notBeforeMs <= this.nowMs, 'nobody is contacted early');
    host.again.splice(0, again.length);
    for (const frontQueue of host.frontQueues)
      while (frontQueue.length > 0 && urls.includes(frontQueue[0]!)) frontQueue.shift();
    this.#spend(hostKey, host, deferred.length);
    host.freeMs = host.freeMs.filter((atMs) => atMs > this.nowMs);
    if (!isPlain(host)) host.nextMs = this.nowMs + (host.hostSlots > 1 ? Math.ceil(delayMs / host.hostSlots) : 0);
    else host.nextMs = host.troubledFrom = 0;
    host.out += 1;
    this.#nextLease = task.leaseId + 1;
    assert.equal(task.lanes, host.hostSlots);
    this.quotaSpent += urls.length;
    this.leases.set(task.leaseId, { id: task.leaseId, hostKey, urls, deadlineMs, delayMs });
  }

  /** URLs that waited for a budget were granted. The others wait again if no budget is left. */
  #spend(hostKey: string, host: NaiveHost, count: number): void {
    const { budget } = this.rules;
    if (budget !== undefined && count > 0) this.#budgets.spend(budget, hostKey, count, this.nowMs);
    host.deferred.splice(0, count);
    this.#budgets.settle(hostKey, host);
    if (host.isOpen && this.#deferredLeft(hostKey, host) === 0) this.#close(hostKey, host);
  }

  /** Other hosts of its budget may have room that it may not use itself. */
  #close(hostKey: string, host: NaiveHost): void {
    const { budget } = this.rules;
    host.isOpen = false;
    if (budget !== undefined) this.#budgets.lookAt(this.#budgets.keyOf(budget, hostKey));
  }

  /** Number of URLs waiting for a budget that could be leased now. */
  #deferredLeft(hostKey: string, { deferred, ownBudget }: NaiveHost): number {
    const { budget } = this.rules;
    if (budget === undefined) return deferred.length;
    return Math.min(deferred.length, this.#budgets.left(budget, hostKey, ownBudget, this.nowMs));
  }

  /** True if the host could be leased, by its hold and its windows. */
  #canTake(key: string): boolean {
    const host = this.hosts.get(key)!;
    const isDead = host.dead && host.deadUntilMs > this.nowMs;
    return !isHeld(host) && !isDead && isOpen(this.rules.windows ?? [], key, this.nowMs);
  }

  /** URLs that leases can drain. */
  get #queued(): number {
    const open = [...this.hosts.values()].filter((host) => !isHeld(host));
    return open.reduce((sum, host) => sum + queuedOf(host) - (host.isOpen ? 0 : host.deferred.length), 0);
  }

  get #quotaLeft(): number {
    return this.rules.pageQuota === null ? Number.POSITIVE_INFINITY : this.rules.pageQuota - this.quotaSpent;
  }

  #isReady(key: string, host: NaiveHost): boolean {
    const work =
      host.frontQueues.some((frontQueue) => frontQueue.length > 0) ||
      host.again.some(({ dueMs }) => dueMs <= this.nowMs) ||
      (host.isOpen && this.#deferredLeft(key, host) > 0);
    return work && Math.max(host.readyMinMs, slotFreeMs(host)) <= this.nowMs && !isHeld(host) && !host.dead;
  }

  #host(key: string): NaiveHost {
    const { pagesPerHostMax, bytesPerHostMax } = this.rules;
    const caps = { pagesCap: pagesPerHostMax ?? -1, bytesCap: bytesPerHostMax ?? Number.POSITIVE_INFINITY };
    if (!this.hosts.has(key)) this.hosts.set(key, { ...newHost(), ...caps, number: this.hosts.size });
    return this.hosts.get(key)!;
  }

  #leasedOf(key: string): number {
    const own = [...this.leases.values()].filter(({ hostKey }) => hostKey === key);
    return own.flatMap(({ urls }) => urls).filter((url) => url !== null).length;
  }

  #release(id: number, host: NaiveHost): void {
    this.leases.delete(id);
    host.out -= 1;
  }

  #control({ kind, hostKey, amount, payload }: Control): void {
    this.#newestOrderMs = this.nowMs;
    if (kind === 'policy') {
      const before = this.rules as Rules | undefined;
      this.rules = JSON.parse(payload) as Rules;
      for (const [key, host] of this.hosts) {
        const [from, to] = [before ?? this.rules, this.rules].map((rules) => delaysOf(host, rulesOf(rules, key)));
        this.#follow(key, host, from!, to!);
      }
      this.#domainReadyMs.clear();
      if (this.rules.budget !== undefined) this.#budgets.lookAtAll(this.rules.budget);
      for (const [key, host] of this.hosts) {
        if (host.hold === 'crawlDelay' && host.crawlDelayMs <= rulesOf(this.rules, key).crawlDelayCapMs) host.hold = '';
        // Others follow when they are next granted.
        if (!isPlain(host)) setHostSlots(host, key, this.rules);
      }
      return;
    }
    // An order that changes nothing leaves no trace.
    const takesBack = payload !== '' && (kind === 'releaseHost' || (kind === 'hostDelay' && amount < 0));
    if (takesBack && !this.hosts.has(hostKey)) return;
    const host = this.#host(hostKey);
    const rules = rulesOf(this.rules, hostKey);
    const from = delaysOf(host, rules);
    if (kind === 'purge') this.#purge(host, hostKey, payload);
    else if (payload.includes('webmaster')) this.#askedByWebmaster(kind, host, hostKey);
    else if (kind === 'blockHost') host.hold = host.hold === 'purged' ? host.hold : 'blocked';
    else if (kind === 'hostDelay' && payload !== '') {
      const { instead = -1 } = JSON.parse(payload) as { readonly instead?: number };
      if (amount < 0 && host.ownDelayIsLeast) Object.assign(host, { ownDelayMs: instead, ownDelayIsLeast: false });
      if (amount >= 0 && (host.ownDelayIsLeast || host.ownDelayMs <= amount))
        Object.assign(host, { ownDelayMs: amount, ownDelayIsLeast: true });
    } else if (kind === 'hostDelay') Object.assign(host, { ownDelayMs: Math.max(-1, amount), ownDelayIsLeast: false });
    else if (kind === 'hostLeases') {
      host.ownSlots = amount < 1 ? -1 : amount;
      setHostSlots(host, hostKey, this.rules);
    } else if (kind === 'budget') {
      host.ownBudget = Math.max(-1, amount);
      const { budget } = this.rules;
      if (budget !== undefined) this.#budgets.lookAt(this.#budgets.keyOf(budget, hostKey));
    } else if (kind === 'hostLimit') host.pagesMax = Math.max(-1, amount);
    else if (kind === 'releaseHost') {
      host.hold = this.#behindBlock(host, hostKey);
      endTrouble(host, this.nowMs);
    }
    const to = delaysOf(host, rules);
    const isShared = this.rules.politenessKey === 'domain' && to.politeMs < from.politeMs;
    if (kind === 'hostDelay' && !isShared) this.#follow(hostKey, host, from, to);
  }

  /** The host has another delay. Leases with a shorter one are over later, if their fetchers die. */
  #follow(key: string, host: NaiveHost, from: NaiveDelays, to: NaiveDelays): void {
    follow(host, from, to, this.nowMs);
    if (to.politeMs <= from.politeMs && to.baseMs <= from.baseMs) return;
    for (const lease of this.leases.values())
      if (lease.hostKey === key) lease.delayMs = Math.max(lease.delayMs, to.politeMs);
  }

  #askedByWebmaster(kind: Control['kind'], host: NaiveHost, hostKey: string): void {
    if (kind === 'blockHost' && host.hold !== 'blocked' && host.hold !== 'purged') host.hold = 'paused';
    if (kind === 'releaseHost' && host.hold === 'paused') host.hold = this.#behindBlock(host, hostKey);
  }

  #behindBlock({ hold, crawlDelayMs }: NaiveHost, hostKey: string): NaiveHost['hold'] {
    const isTooLong = crawlDelayMs > rulesOf(this.rules, hostKey).crawlDelayCapMs;
    return (hold === 'blocked' || hold === 'paused') && isTooLong ? 'crawlDelay' : '';
  }

  /** URLs that are queued or leased, of one URL or of the whole host, count as never admitted. */
  #purge(host: NaiveHost, hostKey: string, payload: string): void {
    const only = payload === '' ? null : (JSON.parse(payload) as { readonly url: string }).url;
    const stays = ({ url }: Url) => only !== null && url !== only;
    const queued = queuedOf(host);
    host.again = host.again.filter(({ url }) => stays(url));
    host.deferred = host.deferred.filter(stays);
    this.#budgets.settle(hostKey, host);
    // The queue of a host that is given up is abandoned as it is.
    if (only === null || !host.dead || host.out > 0)
      host.frontQueues = host.frontQueues.map((frontQueue) => frontQueue.filter(stays));
    this.admitted -= queued - queuedOf(host);
    for (const lease of this.leases.values()) {
      if (lease.hostKey !== hostKey) continue;
      for (const [index, url] of lease.urls.entries()) {
        if (url === null || stays(url)) continue;
        lease.urls[index] = null;
        this.quotaSpent -= 1;
        this.admitted -= 1;
      }
    }
    if (only !== null) this.#purged.add(only);
    else {
      host.hold = 'purged';
      endTrouble(host, this.nowMs);
    }
  }

  #arrive(group: LinkGroup, { url, priority }: Link): void {
    const { depth, hop, front, intent, tags: given, sourceUrl } = group;
    const { tallies, rules } = this;
    tallies.discovered += 1;
    const { host: hostKey, hostname } = new URL(url);
    const { names } = rules.scope ?? { names: ['in.test'] };
    if (!names.some((name) => hostname.endsWith(`.${name}`))) return void tallies.outOfScope++;
    if (depth > rulesOf(rules, hostKey).maxDepth) return void tallies.tooDeep++;
    if (this.#purged.has(url) || this.hosts.get(hostKey)?.hold === 'purged') return void tallies.purged++;
    const forced = intent === 'force';
    const { budget } = rules;
    if (budget !== undefined && sourceUrl !== '') this.#budgets.refer(budget, new URL(sourceUrl).host, hostKey);
    const isKnown = this.#seen.has(url);
    if (isKnown && !forced) return void tallies.duplicates++;
    const known = this.hosts.get(hostKey);
    const queued = known === undefined ? 0 : queuedOf(known);
    const { urlsPerHostMax } = rulesOf(rules, hostKey);
    if (urlsPerHostMax !== null && !forced && queued >= urlsPerHostMax) return void tallies.hostFull++;
    const frontQueue = front ? 0 : Math.min(priority, 7);
    const share = rules.queuedMax * (1 - frontQueue / 16);
    if (rules.whenFull === 'dropLowest' && !forced && this.#queued >= share) return void tallies.queueFull++;
    const host = this.#host(hostKey);
    // A new host is ready from now on, behind the waiting hosts.
    if (known === undefined) host.readyMinMs = host.readyMaxMs = this.nowMs;
    if (host.dead && (forced || host.deadUntilMs <= this.nowMs)) {
      host.dead = false;
      host.failures = Math.max(0, host.failures - 1);
    }
    this.#seen.add(url);
    this.admitted += 1;
    const tags = given.filter((tag) => !tag.includes(' ')).sort();
    const isSeed = sourceUrl === '' && depth === 0;
    const isBeyond = budget !== undefined && !forced && !isSeed && this.#isBeyond(hostKey, host);
    const admitted = { url, depth, hop, attempts: 0, expiries: 0, frontQueue: isBeyond ? 8 : frontQueue, tags };
    if (isBeyond) host.deferred.push(admitted);
    else host.frontQueues[frontQueue]!.push(admitted);
    this.#budgets.settle(hostKey, host);
    if (budget !== undefined && !isBeyond && !isKnown) this.#budgets.spend(budget, hostKey, 1, this.nowMs);
  }

  /** True if the URL is beyond the budget, or behind others that wait for it. */
  #isBeyond(hostKey: string, { ownBudget }: NaiveHost): boolean {
    const budget = this.rules.budget!;
    const isSpent = this.#budgets.left(budget, hostKey, ownBudget, this.nowMs) === 0;
    const waiting = this.#budgets.waitingWith(budget, hostKey).map((key) => this.hosts.get(key)!);
    // All of them may wait for other budgets.
    const isAnyOpen = waiting.some((host) => host.isOpen && !isHeld(host));
    if (waiting.length > 0 && !isSpent && !isAnyOpen) this.#budgets.lookAt(this.#budgets.keyOf(budget, hostKey));
    return isSpent || waiting.length > 0;
  }

  /** Expired leases, by deadline and then by number: their URLs return to the queue in this order. */
  #expired(): NaiveLease[] {
    const expired = [...this.leases.values()].filter(({ deadlineMs }) => deadlineMs + skewMs <= this.nowMs);
    return expired.sort((a, b) => a.deadlineMs - b.deadlineMs || a.id - b.id);
  }

  #expire(lease: NaiveLease): void {
    const host = this.#host(lease.hostKey);
    const alone = lease.urls.length === 1 ? 1 : 0;
    for (const url of lease.urls) {
      if (url === null) continue;
      this.quotaSpent -= 1;
      if (url.expiries + alone >= 3) this.ends.dead += 1;
      else putAgain(host, 0, { ...url, expiries: url.expiries + alone });
    }
    this.#release(lease.id, host);
    const readyMs = lease.deadlineMs + politeMs(host, rulesOf(this.rules, lease.hostKey));
    if (hostSlotsNow(host) > 1) host.freeMs.push(readyMs);
    else raise(host, readyMs);
    host.leaseMax = Math.max(1, Math.floor(lease.urls.length / 4));
  }

  #abandon(dying: ReadonlyMap<string, NaiveHost>): void {
    for (const [key, host] of dying) {
      if (!host.dead || host.out > 0) continue;
      const open = host.isOpen ? host.deferred.splice(0).length : 0;
      this.ends.dead += host.again.length + host.frontQueues.flat().length + open;
      host.again = [];
      host.frontQueues = newHost().frontQueues;
      this.#budgets.settle(key, host);
    }
  }

  #result(result: Result): void {
    const host = this.hosts.get(result.hostKey);
    if (host === undefined) return;
    const rules = rulesOf(this.rules, result.hostKey);
    for (const { bytes } of result.requests) host.bytes += bytes;
    const lease = this.leases.get(result.leaseId);
    if (lease === undefined) return this.#late(host, result);
    const of = (among: ReadonlySet<string>) => fresh.some(({ kind }) => among.has(kind));
    const fresh = result.outcomes.filter(({ index }) => lease.urls[index] !== null);
    const before = { ...host };
    const most = rules.serverErrorsMax ?? 0;
    let [serverErrors, isBackedOff, isFailingNow, isReached] = [host.serverErrors, host.throttles > 0, false, false];
    for (const outcome of fresh) {
      const url = lease.urls[outcome.index]!;
      if (most > 0 && isServerError(outcome)) {
        isReached = true;
        if (url.attempts === 0) serverErrors = Math.min(most, serverErrors + 1);
        if (isBackedOff || serverErrors >= most) isFailingNow = true;
      } else if (answered(outcome)) [serverErrors, isBackedOff] = [0, false];
      lease.urls[outcome.index] = null;
      this.#outcome(host, url, outcome.kind, result, outcome);
      if (outcome.status > 0 && endsOf(outcome.kind)) host.fetched += 1;
      const request = result.requests.find(({ outcomeIndex }) => outcomeIndex === outcome.index);
      if (request === undefined) continue;
      const tookMs = request.endMs - request.startMs;
      host.fetchMs = Math.max(1, Math.round(host.fetchMs === 0 ? tookMs : host.fetchMs + (tookMs - host.fetchMs) / 4));
    }
    const left = result.last ? lease.urls.filter((url) => url !== null) : [];
    for (const url of left) {
      this.quotaSpent -= 1;
      putAgain(host, 0, url);
    }
    // Results of leases in other slots that had begun before the trouble do not count again.
    const isNews = host.hostSlots === 1 || host.failures + host.throttles === 0 || lease.id >= host.troubledFrom;
    const hostFailed = isNews && of(hostFailures);
    const throttled = isNews && (isFailingNow || of(new Set(['throttled', 'timeout'])));
    const heldBack = of(new Set(['crawlDelayTooLong']));
    const returned = left.length > 0 || of(new Set(['returned', 'unknown']));
    if (result.host.robotsStatus !== 'unknown') host.crawlDelayMs = result.host.crawlDelayMs;
    const isGood = (outcome: Outcome) => answered(outcome) && !(most > 0 && isServerError(outcome));
    if (isNews && (isReached || fresh.some(isGood))) host.failures = 0;
    if (isNews && fresh.some(isGood)) host.throttles = 0;
    if (isNews) host.serverErrors = serverErrors;
    if (hostFailed) host.failures = before.failures + 1;
    if (throttled) host.throttles = before.throttles + 1;
    if (heldBack && !['blocked', 'paused', 'purged'].includes(host.hold)) host.hold = 'crawlDelay';
    const asksToWait = result.outcomes.some((one) => one.retryAfterMs > 0);
    const troubled = hostFailed || throttled || heldBack || asksToWait || !isNews;
    if (result.last) {
      host.returns = returned && !troubled ? host.returns + 1 : 0;
      const grown = 2 * host.leaseMax >= rules.urlsPerLeaseMax ? 0 : 2 * host.leaseMax;
      host.leaseMax = returned && !troubled ? Math.max(1, Math.floor(lease.urls.length / 2)) : grown;
      this.#release(lease.id, host);
      if (hostSlotsNow(host) > 1) host.freeMs.push((result.completedAtMs || this.nowMs) + politeMs(host, rules));
    }
    if (before.failures + before.throttles === 0 && host.failures + host.throttles > 0 && !isPlain(host))
      host.troubledFrom = this.#nextLease;
    raiseAfter(host, before, rules, result, this.nowMs, {
      hostFailed,
      throttled,
      retryAfterMs: Math.max(0, ...result.outcomes.map((one) => one.retryAfterMs)),
    });
    if (host.failures > rules.retriesMs.length) Object.assign(host, { dead: true, deadUntilMs: this.nowMs + deadMs });
  }

  #outcome(
    host: NaiveHost,
    url: Url,
    kind: OutcomeKind,
    { completedAtMs, hostKey }: Result,
    {
      redirectUrl,
      retryAfterMs,
      soft404,
    }: { readonly redirectUrl: string; readonly retryAfterMs: number; readonly soft404: boolean },
  ): void {
    if (!pages.has(kind)) this.quotaSpent -= 1;
    const waitMs = rulesOf(this.rules, hostKey).retriesMs[url.attempts];
    if (kind === 'redirect' && redirectUrl === url.url) {
      if (url.hop === redirects) this.ends.dead += 1;
      else putAgain(host, 0, { ...url, hop: url.hop + 1 });
    } else if (this.#end(host, kind, soft404)) {
      return;
    } else if (kind === 'parseFailed' || (retried.has(kind) && waitMs === undefined)) {
      this.ends.dead += 1;
    } else if (retried.has(kind)) {
      this.tallies.retries += 1;
      const dueMs = Math.max(1, (completedAtMs || this.nowMs) + Math.max(waitMs!, retryAfterMs));
      putAgain(host, dueMs, { ...url, attempts: url.attempts + 1 });
    } else {
      putAgain(host, 0, url);
    }
  }

  /** True: this outcome ends the URL. */
  #end(host: NaiveHost | null, kind: OutcomeKind, soft404: boolean): boolean {
    if (pages.has(kind)) {
      this.ends.page += 1;
      if (host !== null && !soft404) host.pages += 1;
    } else if (kind === 'redirect') this.ends.redirected += 1;
    else if (kind === 'robotsDenied') this.ends.denied += 1;
    else if (failed.has(kind)) this.ends.failed += 1;
    else return false;
    return true;
  }

  /** Result of a lease that is over: it finishes returned URLs, and the host was contacted all the same. */
  #late(host: NaiveHost, { outcomes, completedAtMs, hostKey }: Result): void {
    this.tallies.lateResults += 1;
    for (const { kind, url, redirectUrl, soft404 } of outcomes) {
      const at = host.again.findIndex((again) => again.url.url === url);
      if (at < 0 || (kind === 'redirect' && redirectUrl === url) || !this.#end(null, kind, soft404)) continue;
      if (pages.has(kind)) this.quotaSpent += 1;
      host.again.splice(at, 1);
    }
    if (completedAtMs === 0) return;
    const pauseMs = Math.max(0, ...outcomes.map(({ retryAfterMs }) => retryAfterMs));
    raise(host, completedAtMs + Math.max(pauseMs, politeMs(host, rulesOf(this.rules, hostKey))));
    if (pauseMs > 0) notePause(host);
  }
}
