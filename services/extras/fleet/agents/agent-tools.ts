/**
 * The tools of an agent in a fleet: crawl a site, read a page, search pages, list URLs, explain a URL.
 *
 * The operator sets the bounds, and no argument widens them: the sites, the number of pages, the intended uses.
 * Politeness, robots.txt, the guard of private addresses and identity are those of the fleet. The text of a page is
 * returned as data of a third party. A call that the agent makes because of a page meets the same bounds
 * (docs/agents.md).
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
import type { ExplainLines } from '../scrape/no-page.ts';
import type { FoundPage } from '../scrape/page-finder.ts';
import { PageScraper, type ReadAnswer, type Requester, restStates } from '../scrape/page-scraper.ts';
import { mcpLimits } from './mcp-limits.ts';

export interface AgentBounds {
  /** Hosts with their subdomains; null: all that the fleet may reach. */
  readonly sites: readonly string[] | null;
  /** Most pages of one crawl. */
  readonly pagesMax: number;
  /** Intended uses of pages. If a site bars one of them, its pages are neither kept nor returned. */
  readonly uses: readonly Use[];
}

/** A page that contains the words of a search. */
export interface Hit {
  readonly url: string;
  readonly title: string;
  /** Text around the words; the words are in brackets. */
  readonly snippet: string;
  /** Higher is better. */
  readonly score: number;
}

export interface AgentToolsOptions extends CrawlReads {
  readonly fleet: Fleet;
  readonly clock: Clock;
  readonly bounds: AgentBounds;
  /** Returns hits, best first. `path`: of a crawl's folder. Returns none if the crawl has no index yet. */
  search(path: string, words: string, limit: number): readonly Hit[];
  /** Returns how a crawl treats each URL: names and values. */
  explain(path: string, urls: readonly string[]): Promise<readonly ExplainLines[]>;
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

  /** Throws INVALID_SEED or INVALID_ARGUMENT, with the fault and the remedy. */
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

  /** Returns the newest copy from any crawl if it is recent enough. Otherwise it fetches the page now. */
  async read(url: string, ageMsMax: number, waitMs: number): Promise<ReadAnswer> {
    const seed = this.#allowed(url);
    const requester: Requester = {
      id: owner,
      owner,
      uses: this.#options.bounds.uses,
      crawls: () => this.list(),
      create: (page, policy, name) => this.#create(page, policy, name),
    };
    const answer = await this.#pages.read(requester, seed, ageMsMax, waitMs);
    if (answer.page === null || this.#isAllowed(answer.page.url)) return answer;
    const why = 'the URL redirects to a site that the operator does not allow';
    return { page: null, crawl: answer.crawl, why, isUnderWay: false, nextAtMs: null };
  }

  /** Returns hits, best first, each URL once. `crawl` absent: from all crawls. */
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

  /** Lists pages of a crawl in the order in which they were found. `from`: number of pages to skip. */
  async map(crawl: string, from: number, limit: number): Promise<{ readonly urls: FoundPage[]; readonly all: number }> {
    const pages = await this.#pages.pages(this.#needed(crawl));
    const urls = [...pages.values()].filter(({ url }) => this.#isAllowed(url));
    return { urls: urls.slice(from, from + limit), all: urls.length };
  }

  async explain(crawl: string, url: string): Promise<ExplainLines> {
    this.#allowed(url);
    const one = this.#needed(crawl);
    const [lines] = await whileThere(this.#options, one, () => this.#options.explain(one.data, [parseSeed(url)]));
    return lines!;
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
