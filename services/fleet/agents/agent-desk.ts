/**
 * What an agent may do with a fleet: crawl a site, read a page, search, look at what there is, and ask why.
 *
 * The bounds are the operator's, and no argument widens them: which sites, how many pages, what pages are wanted for.
 * Politeness, robots.txt, the guard of private addresses and identity are those of the fleet. Text of pages is handed on
 * as data of a stranger: whatever a page says, calls made because of it meet the same bounds (docs/agents.md).
 */
import { createHash } from 'node:crypto';
import type { Page } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { hostKeyOf, hostnameOf, partitionKeyOf, withoutPort } from '../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { parseSeed } from '../../../topology/url/seed.ts';
import { firstBarred, type Use } from '../../../topology/usage/statement.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Fleet, ReadLog } from '../fleet.ts';
import { type CrawlAnswer, createCall } from '../fleet-schemas.ts';
import { mcpLimits } from './mcp-limits.ts';
import { type FoundPage, PageFinder } from './page-finder.ts';

export interface AgentBounds {
  /** Hosts, with all below them; null: any that the fleet may reach. */
  readonly sites: readonly string[] | null;
  /** Of one crawl. */
  readonly pagesMax: number;
  /** What pages are wanted for: a page whose site bars one of them is not kept, and not told. */
  readonly uses: readonly Use[];
}

/** A page that has the words. */
export interface Hit {
  readonly url: string;
  readonly title: string;
  /** Where the words stand, they themselves in brackets. */
  readonly snippet: string;
  /** Higher is better. */
  readonly score: number;
}

export interface AgentDeskOptions {
  readonly fleet: Fleet;
  readonly clock: Clock;
  readonly bounds: AgentBounds;
  /** Opens the log of a crawl that does not run. `path`: of its folder. */
  reading<T>(path: string, act: (reads: ReadLog) => Promise<T>): Promise<T>;
  /** Best first. `path`: of a crawl's folder; nothing where it has no index yet. */
  search(path: string, words: string, limit: number): readonly Hit[];
  /** Names and values of what a crawl makes of a URL. */
  explain(path: string, url: string): Promise<readonly (readonly [name: string, value: string])[]>;
}

export interface CrawlWish {
  readonly url: string;
  readonly pages: number;
  readonly depth?: number | undefined;
  readonly scope: 'host' | 'domain';
  readonly waitMs: number;
}

/** A page, or why there is none. */
export type ReadAnswer =
  | { readonly page: Page; readonly crawl: string }
  | { readonly page: null; readonly crawl: string; readonly why: string };

const owner = 'mcp';
/** As pages of its crawls are spelt. */
const normalize = compileNormalizer(defaultPolicy().normalize);
const restStates: ReadonlySet<string> = new Set(['ended', 'failed', 'paused', 'held']);

export class AgentDesk {
  readonly #options: AgentDeskOptions;
  readonly #finder = new PageFinder();
  /** Names of crawls that calls wait for or read from: they are not deleted. */
  readonly #used = new Map<string, number>();

  constructor(options: AgentDeskOptions) {
    this.#options = options;
  }

  get pagesMax(): number {
    return this.#options.bounds.pagesMax;
  }

  /** Throws INVALID_SEED or INVALID_ARGUMENT, with what is wrong and what to do. */
  async crawl({ url, pages, depth, scope, waitMs }: CrawlWish): Promise<CrawlAnswer> {
    const seed = this.#allowed(url);
    const { bounds } = this.#options;
    if (scope === 'domain') this.#allowedHost(partitionKeyOf(hostKeyOf(seed), 'domain'));
    if (pages > bounds.pagesMax) throw invalid(`pages: give ${bounds.pagesMax} at most, which the operator set`);
    const { name } = await this.#create(seed, {
      scope: { kind: scope },
      pageQuota: pages,
      ...(depth !== undefined && { maxDepth: depth }),
    });
    return this.#using(name, () => this.#rested(name, waitMs));
  }

  list(): readonly CrawlAnswer[] {
    return this.#options.fleet.list();
  }

  async status(name: string, waitMs: number): Promise<CrawlAnswer> {
    this.#needed(name);
    return this.#using(name, () => this.#rested(name, waitMs));
  }

  /** The newest copy that is young enough, of any crawl; else the page is fetched now. */
  async read(url: string, ageMsMax: number, waitMs: number): Promise<ReadAnswer> {
    const seed = this.#allowed(url);
    const kept = await this.#newest(seed, this.#options.clock.nowMs() - ageMsMax);
    if (kept !== undefined) return kept;
    const name = `page-${createHash('sha256').update(seed).digest('hex').slice(0, 24)}`;
    return this.#using(name, () => this.#fetched(seed, name, waitMs));
  }

  /** Best first, each URL once. `crawl` absent: of all. */
  search(words: string, crawl: string | undefined, limit: number): readonly Hit[] {
    const crawls = crawl === undefined ? this.list() : [this.#needed(crawl)];
    const best = new Map<string, Hit>();
    for (const { data } of crawls)
      for (const hit of this.#options.search(data, words, limit)) {
        const before = best.get(hit.url);
        if (this.#isAllowed(hit.url) && (before === undefined || before.score < hit.score)) best.set(hit.url, hit);
      }
    return [...best.values()].sort((a, b) => b.score - a.score).slice(0, limit);
  }

  /** Pages of a crawl, from one on, in the order in which they were found. */
  async map(crawl: string, from: number, limit: number): Promise<{ readonly urls: FoundPage[]; readonly all: number }> {
    const pages = await this.#reads(this.#needed(crawl), (reads) => this.#finder.pages(crawl, reads));
    return { urls: [...pages.values()].slice(from, from + limit), all: pages.size };
  }

  async explain(crawl: string, url: string): Promise<readonly (readonly [name: string, value: string])[]> {
    return this.#options.explain(this.#needed(crawl).data, parseSeed(url));
  }

  async #fetched(seed: string, name: string, waitMs: number): Promise<ReadAnswer> {
    const { fleet } = this.#options;
    const before = fleet.find(name);
    // One that is under way is waited for: a page is fetched once, however many ask for it.
    if (before !== undefined && restStates.has(before.state)) await fleet.delete(name);
    if (fleet.find(name) === undefined)
      await this.#create(seed, { scope: { kind: 'domain' }, pageQuota: 1, maxDepth: 0 }, name);
    const crawl = await this.#rested(name, waitMs);
    const found = [...(await this.#reads(crawl, (reads) => this.#finder.pages(name, reads))).values()].at(-1);
    const page = found && (await this.#reads(crawl, (reads) => this.#finder.read(reads, found)));
    if (page !== undefined && this.#mayTell(page)) return { page, crawl: name };
    if (!restStates.has(crawl.state)) {
      const why = `it is still being fetched (${crawl.counts.queued + crawl.counts.leased} to go): ask again in a moment`;
      return { page: null, crawl: name, why };
    }
    const lines = await this.#options.explain(crawl.data, seed);
    const said = lines
      .filter(([field, value]) => whyFields.has(field) && !(field === 'filter' && value.startsWith('taken')))
      .map(([field, value]) => `${field}: ${value}`);
    return { page: null, crawl: name, why: crawl.failure ?? (said.join('; ') || 'nothing came') };
  }

  async #newest(url: string, sinceMs: number): Promise<ReadAnswer | undefined> {
    const crawls = this.list();
    this.#finder.keep(new Set(crawls.map(({ name }) => name)));
    let newest: { readonly crawl: CrawlAnswer; readonly found: FoundPage } | undefined;
    for (const crawl of crawls) {
      const found = await this.#reads(crawl, async (reads) => (await this.#finder.pages(crawl.name, reads)).get(url));
      if (found === undefined || found.fetchedAtMs < sinceMs) continue;
      if (newest === undefined || newest.found.fetchedAtMs < found.fetchedAtMs) newest = { crawl, found };
    }
    if (newest === undefined) return undefined;
    const { crawl, found } = newest;
    const page = await this.#reads(crawl, (reads) => this.#finder.read(reads, found));
    return page !== undefined && this.#mayTell(page) ? { page, crawl: crawl.name } : undefined;
  }

  /** A word of the site that holds only from some time on may hold by now. */
  #mayTell({ usage }: Page): boolean {
    const { bounds, clock } = this.#options;
    return firstBarred(usage, bounds.uses, clock.nowMs()) === undefined;
  }

  async #create(seed: string, policy: Readonly<Record<string, unknown>>, name?: string): Promise<CrawlAnswer> {
    const { fleet, bounds } = this.#options;
    const mine = fleet.list().filter((crawl) => crawl.owner === owner);
    const running = mine.filter(({ state }) => !restStates.has(state));
    if (running.length >= mcpLimits.runningMax)
      throw invalid(`${running.length} crawls are running, and may be no more: wait until one has ended`);
    const resting = mine.filter((crawl) => restStates.has(crawl.state) && !this.#used.has(crawl.name));
    resting.sort((a, b) => a.createdAtMs - b.createdAtMs);
    for (const { name: old } of resting.slice(0, Math.max(0, mine.length + 1 - mcpLimits.keptMax)))
      await fleet.delete(old);
    const call = createCall.parse({
      ...{ seeds: [seed], owner, policy: { ...policy, uses: [...bounds.uses], usesBarred: 'withhold' } },
      ...(name !== undefined && { name }),
    });
    return (await fleet.create(call)).crawl;
  }

  async #rested(name: string, waitMs: number): Promise<CrawlAnswer> {
    const { clock } = this.#options;
    const untilMs = clock.nowMs() + Math.min(waitMs, mcpLimits.waitMsMax);
    for (;;) {
      const crawl = this.#needed(name);
      if (restStates.has(crawl.state) || clock.nowMs() >= untilMs) return crawl;
      await clock.sleepUntil(Math.min(untilMs, clock.nowMs() + mcpLimits.lookMs));
    }
  }

  #reads<T>({ name, data }: CrawlAnswer, act: (reads: ReadLog) => Promise<T>): Promise<T> {
    const reads = this.#options.fleet.reads(name);
    return reads === undefined ? this.#options.reading(data, act) : act(reads);
  }

  async #using<T>(name: string, act: () => Promise<T>): Promise<T> {
    this.#used.set(name, (this.#used.get(name) ?? 0) + 1);
    try {
      return await act();
    } finally {
      const left = this.#used.get(name)! - 1;
      if (left === 0) this.#used.delete(name);
      else this.#used.set(name, left);
    }
  }

  #needed(name: string): CrawlAnswer {
    const crawl = this.#options.fleet.find(name);
    if (crawl !== undefined) return crawl;
    const names = this.list().map((one) => one.name);
    throw invalid(
      `there is no crawl ${name}: ${names.length === 0 ? 'none was made yet' : `there are ${names.join(', ')}`}`,
    );
  }

  #allowed(url: string): string {
    const seed = parseSeed(url);
    this.#allowedHost(hostKeyOf(seed));
    return normalize(seed) ?? seed;
  }

  #allowedHost(hostKey: string): void {
    const host = withoutPort(hostKey);
    const { sites } = this.#options.bounds;
    if (sites === null || isWithin(host, sites)) return;
    throw invalid(`${host} is none of the sites that the operator allows: ${sites.join(', ')}`);
  }

  #isAllowed(url: string): boolean {
    const { sites } = this.#options.bounds;
    return sites === null || isWithin(hostnameOf(url), sites);
  }
}

function isWithin(host: string, sites: readonly string[]): boolean {
  return sites.some((site) => host === site || host.endsWith(`.${site}`));
}

/** Of what `explain` tells, what says why there is no page. */
const whyFields: ReadonlySet<string> = new Set([
  'filter',
  'outcomes',
  'denied by',
  'no page',
  'host failed',
  'nofollow',
]);

function invalid(message: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', message);
}
