/**
 * A crawl of many hosts on virtual time, without its URLs: which hosts are ready when, how many leases there are, what
 * budgets defer. In memory are the drawn hosts (host-population.ts), each for as many as its weight.
 *
 * The clock is the frontier's own (topology/frontier/hosts/clock.ts), and so are the rules of lease sizes, delays and
 * budgets. The model has no URLs and no failures. A host is known once a link leads to one of its pages. Links lead to
 * all pages of the web alike, so after M links a page is known with probability 1 − e^(−M/pages), and a host with its
 * first known page. The sources of a budget are the domains that link to the host: one for each cross-host link, as
 * long as there are few.
 */

import type { HostFacts } from '../../../topology/frontier/changes/changes.ts';
import { leaseSize, politeDelayMs } from '../../../topology/frontier/decide/politeness.ts';
import { HostClock } from '../../../topology/frontier/hosts/clock.ts';
import { budgetFor, periodOf } from '../../../topology/policy/budget.ts';
import type { Policy } from '../../../topology/policy/policy.ts';
import { numbers } from '../../web/random.ts';
import type { Population } from './host-population.ts';

export interface ModelOptions {
  readonly population: Population;
  readonly policy: Policy;
  readonly fetchMs: number;
  /** Hosts on lease at once, over all partitions. */
  readonly leases: number;
  /** Pages a second that fetchers can fetch; infinite: as many as leases allow. */
  readonly pagesPerSecondMax: number;
  /** Time advances in ticks. */
  readonly tickMs: number;
  /** Pages known of each host when the crawl first finds it; `fetched`: after its first fetch. */
  readonly facts: { readonly fresh: HostFacts; readonly fetched: HostFacts };
  /** Links of a page to pages of the whole web. null: every page is known from the start. */
  readonly links: { readonly perPage: number; readonly acrossHosts: number; readonly seeds: number } | null;
  readonly untilMs: number;
  /** Lines of figures, evenly spread over the time. */
  readonly marks: number;
}

/** Counts of all hosts, at one moment. */
export interface Mark {
  readonly atMs: number;
  /** Pages fetched so far. */
  readonly pages: number;
  readonly knownHosts: number;
  /** Hosts on the host clock: they have work that may be leased. */
  readonly workingHosts: number;
  readonly leases: number;
  /** Known URLs that are not fetched: at full rate, and beyond budgets. */
  readonly queued: number;
  readonly deferred: number;
}

/**
 * How often new pages of hosts are determined: at least this often over the whole time, and whenever links have grown
 * by this factor.
 */
const looks = 200;
const newsAfter = 1.3;
const frontQueueOfFront = 0;
const deferredQueue = 7;

export class HostModel {
  readonly #options: ModelOptions;
  readonly #clock = new HostClock();
  readonly #ends = new HostClock();
  readonly #random = fractions(11);
  /** By drawn host. `full`: queued at full rate; `deferred`: beyond the budget; `used`: of it in the period. */
  readonly #fetched: Float64Array;
  readonly #leased: Float64Array;
  readonly #full: Float64Array;
  readonly #deferred: Float64Array;
  readonly #used: Float64Array;
  readonly #period: Int32Array;
  /** Links to the whole web until a host is found. */
  readonly #metAt: Float64Array;
  #nowMs = 0;
  #links = 0;
  /** As of the newest determination. */
  #looked = { atMs: 0, links: 0 };
  #out = 0;
  /** Pages that fetchers have room for; below 0 if a lease took more. */
  #room = 0;
  readonly #sums = { pages: 0, knownHosts: 0, working: 0, queued: 0, deferred: 0 };
  events = 0;

  constructor(options: ModelOptions) {
    this.#options = options;
    const { pages } = options.population;
    const column = () => new Float64Array(pages.length);
    [this.#fetched, this.#leased, this.#full, this.#deferred, this.#used] = [
      column(),
      column(),
      column(),
      column(),
      column(),
    ];
    this.#period = new Int32Array(pages.length).fill(-1);
    this.#metAt = pages.map((count) => (-Math.log(1 - this.#random()) * options.population.allPages) / count);
    if (options.links === null) this.#metAt.fill(0);
    this.#room = options.pagesPerSecondMax * (options.tickMs / 1000);
    this.#links = options.links?.seeds ?? Number.POSITIVE_INFINITY;
  }

  run(): Mark[] {
    const { untilMs, tickMs, marks, policy } = this.#options;
    const refillMs = policy.config.budget?.refillMs ?? Number.POSITIVE_INFINITY;
    const found: Mark[] = [];
    let nextLookMs = 0;
    for (let nextMarkMs = untilMs / marks; found.length < marks; ) {
      if (this.#nowMs >= nextLookMs || this.#links > newsAfter * this.#looked.links) {
        for (let host = 0; host < this.#full.length; host++) this.#look(host);
        this.#looked = { atMs: this.#nowMs, links: this.#links };
        // These moments include the beginnings of periods.
        const nextPeriodMs = (Math.floor(this.#nowMs / refillMs) + 1) * refillMs;
        nextLookMs = Math.min(this.#nowMs + Math.max(tickMs, untilMs / looks), nextPeriodMs);
      }
      this.#endLeases();
      this.#startLeases();
      if (this.#nowMs >= nextMarkMs) {
        found.push(this.#mark());
        nextMarkMs = ((found.length + 1) * untilMs) / marks;
      }
      this.#nowMs = this.#nextMs(Math.min(nextLookMs, nextMarkMs));
    }
    return found;
  }

  /** The next tick at which something happens. */
  #nextMs(otherMs: number): number {
    const { tickMs, leases, pagesPerSecondMax } = this.#options;
    const readyMs = this.#clock.ready > 0 ? this.#nowMs : this.#clock.nextReadyAtMs;
    const roomMs = this.#room > 0 ? this.#nowMs : this.#nowMs - (1000 * this.#room) / pagesPerSecondMax;
    const startMs = this.#out < leases ? Math.max(readyMs ?? otherMs, roomMs) : otherMs;
    const soonest = Math.min(otherMs, startMs, this.#ends.nextReadyAtMs ?? otherMs);
    const nextMs = Math.max(this.#nowMs + tickMs, Math.ceil(soonest / tickMs) * tickMs);
    // A tick's unused capacity is lost.
    const room = (pagesPerSecondMax * (nextMs - this.#nowMs)) / 1000;
    this.#room = Math.min(this.#room, 0) + room;
    return nextMs;
  }

  #mark(): Mark {
    const { pages, knownHosts, working, queued, deferred } = this.#sums;
    // Weights are not whole numbers.
    const whole = (sum: number) => Math.max(0, Math.round(sum));
    return {
      atMs: this.#nowMs,
      pages: whole(pages),
      knownHosts: whole(knownHosts),
      workingHosts: whole(working),
      leases: whole(this.#out),
      queued: whole(queued),
      deferred: whole(deferred),
    };
  }

  /** Adds pages that have become known since, and applies the budget to them. */
  #look(host: number): void {
    if (this.#links < this.#metAt[host]!) return;
    const { population, policy } = this.#options;
    const pages = population.pages[host]!;
    const weight = population.weights[host]!;
    const before = this.#fetched[host]! + this.#leased[host]! + this.#full[host]! + this.#deferred[host]!;
    if (before === 0) this.#sums.knownHosts += weight;
    const share = 1 - Math.exp(-this.#links / population.allPages);
    const news = Math.max(before, Math.max(1, Math.floor(pages * share))) - before;
    const { budget } = policy.config;
    const left = budget === undefined ? Number.POSITIVE_INFINITY : this.#budgetLeft(host);
    // As long as some of a host's URLs are deferred, new ones wait behind them.
    const full = this.#deferred[host]! > 0 ? 0 : Math.min(news, left);
    if (budget !== undefined) this.#used[host] = this.#used[host]! + full;
    this.#full[host] = this.#full[host]! + full;
    this.#deferred[host] = this.#deferred[host]! + news - full;
    this.#sums.queued += full * weight;
    this.#sums.deferred += (news - full) * weight;
    if (this.#leased[host] === 0) this.#settle(host, this.#clock.readyAtMs(host) ?? this.#nowMs);
  }

  #budgetLeft(host: number): number {
    const { population, policy, links } = this.#options;
    const budget = policy.config.budget!;
    const period = periodOf(budget, this.#nowMs);
    if (this.#period[host] !== period) {
      this.#period[host] = period;
      this.#used[host] = 0;
    }
    const across = links === null ? 0 : this.#links * links.acrossHosts;
    const sources = Math.floor((across * population.pages[host]!) / population.allPages);
    return Math.max(0, budgetFor(budget, sources, -1) - this.#used[host]!);
  }

  /** Puts the host on the clock if one of its URLs may be leased. */
  #settle(host: number, readyAtMs: number): void {
    const isOn = this.#clock.readyAtMs(host) !== undefined;
    const mayGo = this.#full[host]! > 0 || (this.#deferred[host]! > 0 && this.#budgetLeft(host) > 0);
    const weight = this.#options.population.weights[host]!;
    if (mayGo) this.#clock.schedule(host, readyAtMs, this.#full[host]! > 0 ? frontQueueOfFront : deferredQueue);
    else if (isOn) this.#clock.remove(host);
    if (mayGo !== isOn) this.#sums.working += mayGo ? weight : -weight;
  }

  #startLeases(): void {
    const { leases, population, policy, fetchMs, facts } = this.#options;
    this.#clock.advance(this.#nowMs);
    while (this.#out < leases && this.#room > 0) {
      const host = this.#clock.take(this.#random);
      if (host === undefined) return;
      const weight = population.weights[host]!;
      this.#sums.working -= weight;
      const size = leaseSize(policy.config, this.#fetched[host] === 0 ? facts.fresh : facts.fetched);
      const full = Math.min(size, this.#full[host]!);
      const room = this.#deferred[host]! > 0 ? Math.min(size - full, this.#deferred[host]!, this.#budgetLeft(host)) : 0;
      this.#full[host] = this.#full[host]! - full;
      this.#deferred[host] = this.#deferred[host]! - room;
      if (room > 0) this.#used[host] = this.#used[host]! + room;
      this.#sums.queued -= full * weight;
      this.#sums.deferred -= room * weight;
      const count = full + room;
      this.#leased[host] = count;
      this.#out += weight;
      this.#room -= count * weight;
      this.events += 1;
      const delayMs = policy.config.delayMs;
      this.#ends.schedule(host, this.#nowMs + count * fetchMs + (count - 1) * delayMs, 0);
    }
  }

  #endLeases(): void {
    const { population, policy, facts, links } = this.#options;
    this.#ends.advance(this.#nowMs);
    for (;;) {
      const host = this.#ends.take(this.#random);
      if (host === undefined) return;
      const weight = population.weights[host]!;
      const count = this.#leased[host]!;
      this.#leased[host] = 0;
      this.#fetched[host] = this.#fetched[host]! + count;
      this.#out = Math.max(0, this.#out - weight);
      this.#sums.pages += count * weight;
      if (links !== null) this.#links += count * weight * links.perPage;
      this.#settle(host, this.#nowMs + politeDelayMs(policy.config, facts.fetched));
    }
  }
}

function fractions(seed: number): () => number {
  const next = numbers(seed);
  return () => next() / 2 ** 32;
}
