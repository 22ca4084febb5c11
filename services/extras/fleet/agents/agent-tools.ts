/**
 * What an agent may do with a fleet: crawl a site, read a page, search, look at what there is, and ask why.
 *
 * The bounds are the operator's, and no argument widens them: which sites, how many pages, what pages are wanted for.
 * Politeness, robots.txt, the guard of private addresses and identity are those of the fleet. Text of pages is handed on
 * as data of a stranger: whatever a page says, calls made because of it meet the same bounds (docs/agents.md).
 */
import { invalid } from '../../../../topology/errors.ts';
import { hostKeyOf, hostnameOf, partitionKeyOf, withoutPort } from '../../../../topology/url/host-key.ts';
import { parseSeed } from '../../../../topology/url/seed.ts';
import type { Use } from '../../../../topology/usage/statement.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { counted } from '../../../runtime/counted.ts';
import type { Fleet } from '../fleet.ts';
import { type CrawlAnswer, createCall } from '../fleet-schemas.ts';
import { type CrawlReads, whileThere } from '../read-crawl.ts';
import type { FoundPage } from '../scrape/page-finder.ts';
import { type Asker, PageScraper, type ReadAnswer, restStates } from '../scrape/page-scraper.ts';
import { mcpLimits } from './mcp-limits.ts';

export interface AgentBounds {
  /** Hosts, with all below them; null: any that the fleet may reach. */
  readonly sites: readonly string[] | null;
  /** Of one crawl. */
  readonly pagesMax: number;
  /** What pages are wanted for: a page whose site bars one of them is neither kept nor returned. */
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

export interface AgentToolsOptions extends CrawlReads {
  readonly fleet: Fleet;
  readonly clock: Clock;
  readonly bounds: AgentBounds;
  /** Best first. `path`: of a crawl's folder; nothing where it has no index yet. */
  search(path: string, words: string, limit: number): readonly Hit[];
  /** How a crawl treats a URL: names and values. */
  explain(path: string, url: string): Promise<readonly (readonly [name: string, value: string])[]>;
}

export interface CrawlWish {
  readonly url: string;
  readonly pages: number;
  readonly depth?: number | undefined;
  readonly scope: 'host' | 'domain';
  readonly waitMs: number;
}

const owner = 'mcp';

export class AgentTools {
  readonly #options: AgentToolsOptions;
  readonly #pages: PageScraper;

  constructor(options: AgentToolsOptions) {
    this.#options = options;
    this.#pages = new PageScraper(options);
  }

  get pagesMax(): number {
    return this.#options.bounds.pagesMax;
  }

  /** Throws INVALID_SEED or INVALID_ARGUMENT, with what is wrong and what to do. */
  async crawl({ url, pages, depth, scope, waitMs }: CrawlWish): Promise<CrawlAnswer> {
    const seed = this.#allowed(url);
    const { bounds } = this.#options;
    if (scope === 'domain') this.#allowedHost(partitionKeyOf(hostKeyOf(seed), 'domain'));
    if (pages > bounds.pagesMax) throw invalid(`pages: the operator allows at most ${bounds.pagesMax}; ask for fewer`);
    const { name } = await this.#create(seed, {
      scope: { kind: scope },
      pageQuota: pages,
      ...(depth !== undefined && { maxDepth: depth }),
    });
    return this.#pages.using(name, () => this.#rested(name, waitMs));
  }

  list(): readonly CrawlAnswer[] {
    return this.#options.fleet.list();
  }

  async status(name: string, waitMs: number): Promise<CrawlAnswer> {
    this.#needed(name);
    return this.#pages.using(name, () => this.#rested(name, waitMs));
  }

  /** The newest copy that is young enough, of any crawl; else the page is fetched now. */
  async read(url: string, ageMsMax: number, waitMs: number): Promise<ReadAnswer> {
    const seed = this.#allowed(url);
    const asker: Asker = {
      id: owner,
      owner,
      uses: this.#options.bounds.uses,
      crawls: () => this.list(),
      create: (page, policy, name) => this.#create(page, policy, name),
    };
    const answer = await this.#pages.read(asker, seed, ageMsMax, waitMs);
    if (answer.page === null || this.#isAllowed(answer.page.url)) return answer;
    const why = 'the URL redirects to a site that the operator does not allow';
    return { page: null, crawl: answer.crawl, why, isUnderWay: false };
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
    const pages = await this.#pages.pages(this.#needed(crawl));
    const urls = [...pages.values()].filter(({ url }) => this.#isAllowed(url));
    return { urls: urls.slice(from, from + limit), all: urls.length };
  }

  async explain(crawl: string, url: string): Promise<readonly (readonly [name: string, value: string])[]> {
    this.#allowed(url);
    const one = this.#needed(crawl);
    return whileThere(this.#options, one, () => this.#options.explain(one.data, parseSeed(url)));
  }

  async #create(seed: string, policy: Readonly<Record<string, unknown>>, name?: string): Promise<CrawlAnswer> {
    const { fleet, bounds } = this.#options;
    const mine = fleet.list(owner);
    const running = mine.filter(({ state }) => !restStates.has(state));
    if (running.length >= mcpLimits.runningMax)
      throw invalid(`the limit of ${counted(running.length, 'running crawl')} is reached: wait until one ends`);
    const resting = mine.filter((crawl) => restStates.has(crawl.state) && !this.#pages.isUsed(crawl.name));
    resting.sort((a, b) => a.createdAtMs - b.createdAtMs);
    for (const { name: old } of resting.slice(0, Math.max(0, mine.length + 1 - mcpLimits.keptMax)))
      await fleet.delete(old);
    const filters = bounds.sites === null ? {} : { filters: { domainsAllowed: [...bounds.sites] } };
    const call = createCall.parse({
      ...{ seeds: [seed], owner, policy: { ...policy, ...filters, uses: [...bounds.uses], usesBarred: 'withhold' } },
      ...(name !== undefined && { name, idempotencyKey: name }),
    });
    return (await fleet.create(call)).crawl;
  }

  async #rested(name: string, waitMs: number): Promise<CrawlAnswer> {
    return (await this.#pages.rested(name, waitMs)) ?? this.#needed(name);
  }

  #needed(name: string): CrawlAnswer {
    const crawl = this.#options.fleet.find(name);
    if (crawl !== undefined) return crawl;
    const names = this.list().map((one) => one.name);
    throw invalid(
      `there is no crawl ${name}: ${names.length === 0 ? 'none exists yet' : `there are ${names.join(', ')}`}`,
    );
  }

  #allowed(url: string): string {
    const seed = PageScraper.urlOf(url);
    this.#allowedHost(hostKeyOf(seed));
    return seed;
  }

  #allowedHost(hostKey: string): void {
    const host = withoutPort(hostKey);
    const { sites } = this.#options.bounds;
    if (sites === null || isWithin(host, sites)) return;
    throw invalid(`${host} is not among the sites that the operator allows: ${sites.join(', ')}`);
  }

  #isAllowed(url: string): boolean {
    const { sites } = this.#options.bounds;
    return sites === null || isWithin(hostnameOf(url), sites);
  }
}

function isWithin(host: string, sites: readonly string[]): boolean {
  return sites.some((site) => host === site || host.endsWith(`.${site}`));
}
