/** A partition with all inputs given by the test, on the test's clock: links, demand, fetchers' reports. */

import assert from 'node:assert/strict';
import { blankLinkGroup, blankOutcome, blankRequest } from '../../schemas/blank.ts';
import type { Discovered, LinkGroup, Outcome, OutcomeKind, Result, Task } from '../../schemas/types.ts';
import { defaultPolicy, type PolicyConfig } from '../../topology/policy/policy.ts';
import { ModelRig } from './model-rig.ts';
import { controlOf } from './model-script.ts';

export interface Report {
  /** The outcome of every URL, or of each by its index. Default: fetched. */
  readonly kind?: OutcomeKind | readonly OutcomeKind[];
  /** Default: 200, or 0 without an answer. */
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** Duration of each request. Default: 100. */
  readonly tookMs?: number;
  /** The Crawl-delay in robots.txt. */
  readonly crawlDelayMs?: number;
  readonly contentHash?: string;
  readonly textSignature?: string;
  readonly etag?: string;
}

export class Hand {
  readonly rig: ModelRig;
  nowMs = 1_000_000;
  #policies = 0;

  /** Adaptive delays are off unless the policy sets them. */
  constructor(policy: Partial<PolicyConfig> = {}) {
    this.rig = new ModelRig(this.nowMs);
    this.policy(policy);
  }

  get counters() {
    return this.rig.core.state.counters;
  }

  policy(policy: Partial<PolicyConfig>): void {
    const version = ++this.#policies;
    const config = { ...defaultPolicy(), delayFactor: 0, ...policy, version };
    this.rig.send('control', controlOf({ kind: 'policy', version, payload: JSON.stringify(config) }));
    this.rig.step(this.nowMs, 0);
  }

  event(
    kind: 'blockHost' | 'releaseHost' | 'hostDelay' | 'hostLimit' | 'hostLeases' | 'readSitemaps',
    hostKey: string,
    amount = 0,
    payload = '',
  ): void {
    this.rig.send('control', controlOf({ kind, hostKey, amount, payload }));
    this.rig.step(this.nowMs, 0);
  }

  /** An operator's order to fetch a URL earlier. */
  raise(url: string): void {
    const { host: hostKey } = new URL(url);
    this.rig.send('control', controlOf({ kind: 'raise', hostKey, payload: JSON.stringify({ url }) }));
    this.rig.step(this.nowMs, 0);
  }

  /** An operator's order to fetch a URL later. */
  lower(url: string, frontQueue?: number): void {
    const { host: hostKey } = new URL(url);
    this.rig.send('control', controlOf({ kind: 'lower', hostKey, payload: JSON.stringify({ url, frontQueue }) }));
    this.rig.step(this.nowMs, 0);
  }

  /** Links to pages `from` … of a host. */
  links(hostKey: string, count: number, options: Partial<LinkGroup> & { from?: number; priority?: number } = {}): void {
    const { from = 0, priority = 3, ...group } = options;
    const urls = Array.from({ length: count }, (_, i) => `https://${hostKey}/${from + i}`);
    this.linksTo(urls, priority, group);
  }

  /** Links to URLs of one host. */
  linksTo(urls: readonly string[], priority = -1, group: Partial<LinkGroup> = {}, lastModifiedMs = 0): void {
    this.rig.send('discovered', this.linksRecord(urls, priority, group, lastModifiedMs));
    this.rig.step(this.nowMs, 0);
  }

  linksRecord(urls: readonly string[], priority = -1, group: Partial<LinkGroup> = {}, lastModifiedMs = 0): Discovered {
    const links = urls.map((url) => ({ url, lastModifiedMs, priority, spelling: '' }));
    return { groups: [{ ...plainGroup, ...group, hostKey: new URL(urls[0]!).host, links }] };
  }

  /** Grants once `afterMs` have passed. */
  grant(afterMs = 0, demand = 1): readonly Task[] {
    this.nowMs += afterMs;
    return this.rig.step(this.nowMs, demand)?.tasks ?? [];
  }

  /** The only lease that is granted. */
  lease(afterMs = 0): Task {
    const tasks = this.grant(afterMs);
    assert.equal(tasks.length, 1, `a lease is granted after ${afterMs} ms`);
    return tasks[0]!;
  }

  /** Nothing is granted just before `afterMs` have passed; then one lease is. */
  leaseExactlyAfter(afterMs: number): Task {
    assert.deepEqual(this.grant(afterMs - 1), [], `no lease before ${afterMs} ms`);
    return this.lease(1);
  }

  /** A lease is over: its last request ended `nowMs`. */
  report(task: Task, report: Report = {}): void {
    this.rig.send(
      'results',
      this.resultOf(task, () => ({}), report),
    );
    this.rig.step(this.nowMs, 0);
  }

  /** A result of the whole lease. `more`: fields of the outcome at an index. */
  resultOf(task: Task, more: (index: number) => Partial<Outcome>, report: Report = {}): Result {
    return Hand.resultAt(task, this.nowMs, report.tookMs ?? 100, more, report);
  }

  static resultAt(
    task: Task,
    nowMs: number,
    tookMs: number,
    more: (index: number) => Partial<Outcome>,
    report: Report = {},
  ): Result {
    const { kind = 'fetched', retryAfterMs = 0, crawlDelayMs, ...page } = report;
    const { contentHash = '', textSignature = '', etag = '' } = page;
    const kinds = typeof kind === 'string' ? task.urls.map(() => kind) : kind;
    return {
      partition: 0,
      epoch: task.epoch,
      leaseId: task.leaseId,
      hostKey: task.hostKey,
      fetcherId: 'hand',
      last: true,
      completedAtMs: nowMs,
      outcomes: kinds.map((one, index) => ({
        ...outcomeOf(one, index, task.urls[index]!.url, retryAfterMs),
        ...{ contentHash, textSignature, etag },
        ...(report.status !== undefined && answered.has(one) && { status: report.status }),
        ...more(index),
      })),
      requests: kinds.map((_, outcomeIndex) => ({
        ...plainRequest,
        url: task.urls[outcomeIndex]!.url,
        outcomeIndex,
        startMs: nowMs - tookMs,
        endMs: nowMs,
      })),
      host: {
        robotsStatus: crawlDelayMs === undefined ? 'unknown' : 'rules',
        robotsHash: '',
        robotsFetchedAtMs: 0,
        crawlDelayMs: crawlDelayMs ?? -1,
        sitemaps: [],
        sitemapsSinceMs: 0,
        sitemapsLeft: 0,
      },
      robotsHops: [],
      grantedAtMs: 0,
      policyVersion: 0,
      lanes: 1,
      userAgent: '',
      robotsTokens: '',
    };
  }
}

const answered = new Set<OutcomeKind>([
  'fetched',
  'notModified',
  'redirect',
  'gone',
  'clientError',
  'paymentRequired',
  'serverError',
]);

function outcomeOf(kind: OutcomeKind, index: number, url: string, retryAfterMs: number): Outcome {
  const status = answered.has(kind) ? 200 : 0;
  return { ...plainOutcome, index, url, kind, status, retryAfterMs };
}

const plainGroup: LinkGroup = { ...blankLinkGroup, depth: 1 };

const plainOutcome = { ...blankOutcome, bytes: 10 };

const plainRequest = { ...blankRequest, kind: 'page' as const, status: 200, bytes: 10 };
