/**
 * The result of a crawl, computed from its commits and requests. Recorded and simulated crawls use the same fold, so
 * that both can be compared.
 *
 * Memory: a number for each admitted URL, and for each page.
 */
import type { Request } from '../../../schemas/types.ts';
import type { Commit } from '../../frontier/changes/changelog.ts';
import type { Change } from '../../frontier/changes/changes.ts';
import { hostKeyOf } from '../../url/host-key.ts';

/** Length of the windows in which page requests to a host are counted. */
export const loadWindowMs = 10_000;
/** Number of moments at which coverage is given, evenly over the crawl. */
const coveragePoints = 10;

export interface HostLoad {
  readonly host: string;
  readonly pages: number;
  readonly requests: number;
  /** Requests a second, from its first to its last. */
  readonly meanPerSecond: number;
  /** Requests a second, in the busiest window. */
  readonly peakPerSecond: number;
}

export interface CrawlSummary {
  readonly admitted: number;
  readonly pages: number;
  readonly pagesByFrontQueue: readonly number[];
  readonly hosts: readonly HostLoad[];
  /** Figures of the busiest host. */
  readonly peakPerSecond: number;
  /** Share of the recording's in-link mass on pages fetched by then, evenly over the crawl. */
  readonly coverage: readonly number[];
  /** Mean age of the newest copies at the end, s. */
  readonly meanAgeSeconds: number;
  readonly visitsPerPage: number;
  readonly traps: number;
  readonly trapped: number;
  readonly refused: number;
  readonly deadLettered: number;
  readonly queuedAtEnd: number;
}

interface Load {
  pages: number;
  requests: number;
  firstMs: number;
  lastMs: number;
  windowMs: number;
  inWindow: number;
  peak: number;
}

export class CrawlTally {
  readonly #frontQueues = new Map<string, number>();
  readonly #copies = new Map<string, number>();
  readonly #pagesByFrontQueue: number[] = [];
  readonly #loads = new Map<string, Load>();
  readonly #traps = new Set<string>();
  readonly #counters = new Map<number, Commit['counters']>();
  /** Times of first copies, with their mass, in order. */
  readonly #covered: { readonly atMs: number; readonly mass: number }[] = [];
  readonly #mass: ReadonlyMap<string, number>;
  #visits = 0;

  /** `mass`: links to each URL in the recording. */
  constructor(mass: ReadonlyMap<string, number>) {
    this.#mass = mass;
  }

  commit(partition: number, { counters, nowMs }: Pick<Commit, 'counters' | 'nowMs'>, changes: Iterable<Change>): void {
    this.#counters.set(partition, { ...counters });
    for (const change of changes) this.#change(change, nowMs);
  }

  requests(hostKey: string, requests: readonly Request[]): void {
    for (const { startMs, kind } of requests) {
      if (kind !== 'page') continue;
      const load = this.#loadOf(hostKey);
      load.firstMs = Math.min(load.firstMs, startMs);
      load.lastMs = Math.max(load.lastMs, startMs);
      load.requests += 1;
      if (startMs - load.windowMs >= loadWindowMs) [load.windowMs, load.inWindow] = [startMs, 0];
      load.inWindow += 1;
      load.peak = Math.max(load.peak, load.inWindow);
    }
  }

  summary(startMs: number, endMs: number): CrawlSummary {
    const all = [...this.#counters.values()];
    const sum = (value: (counters: Commit['counters']) => number) => all.reduce((so, one) => so + value(one), 0);
    const hosts = [...this.#loads].map(([host, load]) => loadOf(host, load));
    hosts.sort((a, b) => b.pages - a.pages || (a.host < b.host ? -1 : 1));
    const age = [...this.#copies.values()].reduce((so, atMs) => so + (endMs - atMs), 0);
    const pages = this.#copies.size;
    return {
      admitted: sum(({ admitted }) => admitted),
      pages,
      pagesByFrontQueue: Array.from(this.#pagesByFrontQueue, (count) => count ?? 0),
      hosts,
      peakPerSecond: Math.max(0, ...hosts.map(({ peakPerSecond }) => peakPerSecond)),
      coverage: this.#coverage(startMs, endMs),
      meanAgeSeconds: pages === 0 ? 0 : rounded(age / pages / 1_000),
      visitsPerPage: pages === 0 ? 0 : rounded(this.#visits / pages),
      traps: this.#traps.size,
      trapped: sum(({ trapped }) => trapped),
      refused: sum(
        ({ filtered, outOfScope, tooDeep, tooLong, invalid }) => filtered + outOfScope + tooDeep + tooLong + invalid,
      ),
      deadLettered: sum(({ dead }) => dead),
      queuedAtEnd: sum(({ queued, retrying, leased }) => queued + retrying + leased),
    };
  }

  #change(change: Change, nowMs: number): void {
    switch (change.kind) {
      case 'admit':
        for (const { url, frontQueue } of change.entries) this.#frontQueues.set(url, frontQueue);
        return;
      case 'raise':
      case 'expedite':
      case 'lower':
        this.#frontQueues.set(change.entry.url, change.entry.frontQueue);
        return;
      case 'resolve':
      case 'finish':
        if (change.record?.status === 'page') this.#page(change.record.url, nowMs);
        return;
      case 'visit':
        if (change.page.record.status === 'page') this.#page(change.page.record.url, nowMs);
        return;
      case 'trap':
        this.#traps.add(`${change.hostKey} ${change.pattern}`);
    }
  }

  #page(url: string, atMs: number): void {
    this.#visits += 1;
    if (!this.#copies.has(url)) {
      this.#covered.push({ atMs, mass: this.#mass.get(url) ?? 0 });
      const frontQueue = this.#frontQueues.get(url) ?? 0;
      this.#pagesByFrontQueue[frontQueue] = (this.#pagesByFrontQueue[frontQueue] ?? 0) + 1;
      this.#loadOf(hostKeyOf(url)).pages += 1;
    }
    this.#copies.set(url, atMs);
  }

  #loadOf(hostKey: string): Load {
    let load = this.#loads.get(hostKey);
    if (load === undefined) {
      const never = { firstMs: Number.POSITIVE_INFINITY, lastMs: 0, windowMs: Number.NEGATIVE_INFINITY, inWindow: 0 };
      load = { pages: 0, requests: 0, peak: 0, ...never };
      this.#loads.set(hostKey, load);
    }
    return load;
  }

  #coverage(startMs: number, endMs: number): number[] {
    const total = [...this.#mass.values()].reduce((so, mass) => so + mass, 0);
    const shares = new Array<number>(coveragePoints).fill(0);
    for (const { atMs, mass } of this.#covered) {
      const point = Math.ceil((coveragePoints * (atMs - startMs)) / Math.max(1, endMs - startMs)) - 1;
      shares[Math.min(coveragePoints - 1, Math.max(0, point))]! += mass;
    }
    let so = 0;
    return shares.map((mass) => rounded((so += mass) / Math.max(1, total), 4));
  }
}

function loadOf(host: string, { pages, requests, firstMs, lastMs, peak }: Load): HostLoad {
  // For a host without requests it is a second as well.
  const seconds = Math.max(1, (lastMs - firstMs) / 1_000);
  const peakPerSecond = rounded(peak / (loadWindowMs / 1_000));
  return { host, pages, requests, meanPerSecond: rounded(requests / seconds), peakPerSecond };
}

function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}
