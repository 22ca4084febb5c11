/**
 * One crawl of the coverage bench: a real frontier partition, and a played fetcher on virtual time.
 *
 * There are `leases` at a time. Each fetches one page after another with the host's delay between them; the links of a
 * page arrive at the frontier through the fetcher's own link maker and cache. Time advances in ticks: all events of a
 * tick are decided at once.
 */

import { blankControl, blankHostFacts, blankLinkGroup, blankOutcome, blankRequest } from '../../../schemas/blank.ts';
import type { Control, LinkGroup, Outcome, Result, Task } from '../../../schemas/types.ts';
import { createLinkCache } from '../../../services/fetcher/publish/link-cache.ts';
import { gatherLinks } from '../../../services/fetcher/publish/page-links.ts';
import { FrontierPartition, type Input } from '../../../topology/frontier/partition.ts';
import { replay } from '../../../topology/frontier/replay.ts';
import { FrontierState } from '../../../topology/frontier/state/state.ts';
import { defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { numbers } from '../../web/random.ts';
import { benchKey } from '../frontier/bench-partition.ts';
import type { CoverageWeb } from './coverage-web.ts';

const tickMs = 200;
const fetchMs = 100;

export interface CrawlOrder {
  readonly name: string;
  readonly policy: Partial<PolicyConfig>;
  /** All URLs go into one front queue, in the order they were found. */
  readonly flat?: boolean;
}

export interface Coverage {
  /** Share of the good part's PageRank that was fetched after each tenth. */
  readonly found: number[];
  /** Share of all fetches. */
  readonly spamShare: number;
  readonly fetches: number;
  readonly virtualHours: number;
}

/** Fetches `pages` pages, or fewer if nothing is left. */
export function crawlCoverage(web: CoverageWeb, order: CrawlOrder, pages: number, leases: number): Coverage {
  return new Crawl(web, order, pages, leases).run();
}

class Crawl {
  readonly #web: CoverageWeb;
  readonly #order: CrawlOrder;
  readonly #pages: number;
  readonly #leases: number;
  readonly #numbers = new Map<string, number>();
  readonly #core: FrontierPartition;
  readonly #offsets = { control: 0, results: 0, discovered: 0 };
  /** Ends in each tick: a URL of a lease, by its index. */
  readonly #ends = new Map<number, { readonly task: Task; readonly index: number }[]>();
  readonly #maker;
  #nowMs = 1_700_000_000_000;
  #out = 0;
  readonly #found: number[] = [];
  #mass = 0;
  #fetches = 0;
  #spam = 0;

  constructor(web: CoverageWeb, order: CrawlOrder, pages: number, leases: number) {
    const state = new FrontierState(benchKey);
    replay(state, 0, { kind: 'claim', nonce: 'bench', nowMs: this.#nowMs, endsLeases: false });
    this.#core = new FrontierPartition({ crawl: 'coverage', partition: 0, partitions: 1 }, state);
    this.#web = web;
    this.#order = order;
    this.#pages = pages;
    this.#leases = leases;
    for (const [number, url] of web.urls.entries()) this.#numbers.set(url, number);
    const next = numbers(1);
    this.#maker = { normalize: (url: string) => url, cache: createLinkCache(2 ** 20, () => next()) };
  }

  run(): Coverage {
    const startMs = this.#nowMs;
    const config = { ...defaultPolicy(), delayFactor: 0, ...this.#order.policy };
    this.#offer('control', { ...emptyControl, kind: 'policy', version: 1, payload: JSON.stringify(config) });
    for (const seed of this.#web.seeds) {
      const url = this.#web.urls[seed]!;
      const links = [{ url, lastModifiedMs: 0, priority: -1 }];
      this.#offer('discovered', { groups: [{ ...blankLinkGroup, hostKey: hostKeyOf(url), links }] });
    }
    while (this.#fetches < this.#pages) {
      this.#decide();
      if (this.#out === 0 && this.#core.wakeAtMs(1) === undefined) break;
      this.#nowMs += tickMs;
      for (const { task, index } of this.#ends.get(this.#nowMs) ?? []) this.#fetched(task, index);
      this.#ends.delete(this.#nowMs);
    }
    while (this.#found.length < 10) this.#found.push(this.#mass);
    const virtualHours = (this.#nowMs - startMs) / 3_600_000;
    return { found: this.#found, spamShare: this.#spam / this.#fetches, fetches: this.#fetches, virtualHours };
  }

  #offer(topic: 'control' | 'results' | 'discovered', record: unknown): void {
    this.#core.offer({ topic, offset: this.#offsets[topic]++, record } as Input);
  }

  #decide(): void {
    for (;;) {
      const step = this.#core.step(this.#nowMs, this.#leases - this.#out);
      if (step === null) return;
      if (!this.#core.reads().next([]).done) throw new Error('everything is in memory');
      for (const task of step.tasks) this.#fetch(task);
    }
  }

  #fetch(task: Task): void {
    this.#out += 1;
    for (const index of task.urls.keys()) {
      const atMs = this.#nowMs + (index + 1) * fetchMs + index * task.delayMs;
      const tick = this.#nowMs + Math.ceil((atMs - this.#nowMs) / tickMs) * tickMs;
      const ends = this.#ends.get(tick);
      if (ends === undefined) this.#ends.set(tick, [{ task, index }]);
      else ends.push({ task, index });
    }
  }

  #fetched(task: Task, index: number): void {
    const item = task.urls[index]!;
    const page = this.#numbers.get(item.url)!;
    const { starts, targets, ranks, goodPages, urls, missing } = this.#web;
    if (this.#fetches < this.#pages) {
      this.#fetches += 1;
      if (page < goodPages) this.#mass += ranks[page]!;
      else this.#spam += 1;
      if ((this.#fetches * 10) % this.#pages < 10) this.#found.push(this.#mass);
    }
    const links = Array.from(targets.subarray(starts[page]!, starts[page + 1]!), (target) => urls[target]!);
    const sourceKey = partitionKeyOf(task.hostKey, 'host');
    const source = this.#maker.cache.source(sourceKey);
    const origin = { url: item.url, sourceKey, source, atMs: this.#nowMs, traceparent: '', tags: [] };
    const share = item.cash / Math.max(1, links.length);
    const { groups, pending } = gatherLinks(this.#maker, origin, links, {
      depth: item.depth + 1,
      hop: 0,
      front: false,
      share,
    });
    this.#maker.cache.remember(pending);
    if (groups.length > 0) this.#offer('discovered', { groups: this.#order.flat ? groups.map(flattened) : groups });
    const isLast = index === task.urls.length - 1;
    if (isLast) this.#out -= 1;
    this.#offer('results', this.#result(task, index, isLast, missing[page] === 1));
  }

  #result(task: Task, index: number, last: boolean, soft404: boolean): Result {
    const { url } = task.urls[index]!;
    const outcome: Outcome = { ...emptyOutcome, index, url, soft404 };
    const request = { ...emptyRequest, url, outcomeIndex: index, startMs: this.#nowMs - fetchMs, endMs: this.#nowMs };
    return {
      partition: 0,
      epoch: task.epoch,
      leaseId: task.leaseId,
      hostKey: task.hostKey,
      fetcherId: 'coverage',
      last,
      completedAtMs: this.#nowMs,
      outcomes: [outcome],
      requests: [request],
      host: blankHostFacts,
      robotsHops: [],
      grantedAtMs: 0,
      policyVersion: 0,
      lanes: 1,
      userAgent: '',
      robotsTokens: '',
    };
  }
}

function flattened(group: LinkGroup): LinkGroup {
  return { ...group, links: group.links.map((link) => ({ ...link, priority: 0 })) };
}

const emptyControl: Control = { ...blankControl, by: 'coverage' };

const emptyOutcome: Outcome = { ...blankOutcome, kind: 'fetched', status: 200, bytes: 12_600 };

const emptyRequest = { ...blankRequest, kind: 'page', outcomeIndex: 0, status: 200, bytes: 12_600 } as const;
