/**
 * Returns single pages. A copy is returned if a crawl that the caller may see has a recent one. Otherwise the page is
 * fetched now, by a crawl of one page. This is a crawl of the fleet like any other: it keeps the host's delay, obeys
 * robots.txt, and its page is a copy for later calls.
 */
import { createHash } from 'node:crypto';
import type { Page } from '../../../../schemas/types.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { compileNormalizer } from '../../../../topology/url/normalize.ts';
import { parseSeed } from '../../../../topology/url/seed.ts';
import { firstBarred, type Use } from '../../../../topology/usage/statement.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Fleet } from '../fleet.ts';
import type { CrawlAnswer } from '../fleet-schemas.ts';
import { type CrawlReads, idOf, readCrawl, whileThere } from '../read-crawl.ts';
import { isMissing } from '../turns.ts';
import { type ExplainLines, nextAtMsIn, reasonsIn } from './no-page.ts';
import { type FoundPage, PageFinder } from './page-finder.ts';
import { scrapeLimits } from './scrape-limits.ts';

/** A caller that requests pages. */
export interface Requester {
  /** Two callers with different ids get separate crawls of the same page. */
  readonly id: string;
  /** Owner of the caller's crawls of single pages. */
  readonly owner: string;
  /** Intended uses: a page is not returned if its site bars one of them. */
  readonly uses: readonly Use[];
  /** Returns the crawls with pages that the caller may see. */
  crawls(): readonly CrawlAnswer[];
  /** Creates a crawl. Throws if the caller may have no further crawl. */
  create(seed: string, policy: Readonly<Record<string, unknown>>, name: string): Promise<unknown>;
}

/** A page, or the reason why there is none. */
export type ReadAnswer = { readonly page: Page; readonly crawl: string; readonly isFetched: boolean } | NoPage;

export interface NoPage {
  readonly page: null;
  readonly crawl: string;
  readonly why: string;
  readonly isUnderWay: boolean;
  /** Earliest time of the next request, ms since the Unix epoch. null: it is unknown, or there is none. */
  readonly nextAtMs: number | null;
}

export interface PageScraperOptions extends CrawlReads {
  readonly fleet: Fleet;
  readonly clock: Clock;
  /** Returns how a crawl treats each URL: names and values. */
  explain(path: string, urls: readonly string[]): Promise<readonly ExplainLines[]>;
}

/** The normal form of URLs in crawls of single pages. */
const normalize = compileNormalizer(defaultPolicy().normalize);
export const restStates: ReadonlySet<string> = new Set(['ended', 'failed', 'paused', 'held']);
/** Names of crawls that fetch a single page. Calls that create crawls cannot use such a name. */
const pageCrawlName = /^page-[0-9a-f]{24}$/;

export function isPageCrawl(name: string): boolean {
  return pageCrawlName.test(name);
}

export class PageScraper {
  readonly #options: PageScraperOptions;
  readonly #finder = new PageFinder();
  /** Names of crawls that calls wait for or read from: they are not deleted. */
  readonly #used = new Map<string, number>();
  /** Crawls of single pages that are being created, by name. */
  readonly #starting = new Map<string, Promise<void>>();

  constructor(options: PageScraperOptions) {
    this.#options = options;
  }

  /** Throws INVALID_SEED. */
  static urlOf(url: string): string {
    const seed = parseSeed(url);
    return normalize(seed) ?? seed;
  }

  /** Returns a page. `url`: as returned by `urlOf`. */
  async read(requester: Requester, url: string, ageMsMax: number, waitMs: number): Promise<ReadAnswer> {
    const kept =
      ageMsMax === 0 ? undefined : await this.#newest(requester, url, this.#options.clock.nowMs() - ageMsMax);
    if (kept !== undefined) return kept;
    const name = `page-${createHash('sha256').update(`${requester.id}\n${url}`).digest('hex').slice(0, 24)}`;
    return this.using(name, () => this.#fetched(requester, url, name, waitMs));
  }

  /** Returns all pages of a crawl, in the order in which they were found. */
  pages(crawl: CrawlAnswer): Promise<ReadonlyMap<string, FoundPage>> {
    return readCrawl(this.#options, crawl, (reads) => this.#finder.pages(idOf(crawl), reads));
  }

  /**
   * Deletes the oldest crawls of single pages, so that with one more there are at most `keptMax`. Crawls that run or are
   * in use stay.
   */
  async dropOld(crawls: readonly CrawlAnswer[], keptMax: number): Promise<void> {
    const mine = crawls.filter(({ name }) => isPageCrawl(name));
    const resting = mine.filter(({ name, state }) => restStates.has(state) && !this.isUsed(name));
    resting.sort((a, b) => a.createdAtMs - b.createdAtMs);
    for (const { name } of resting.slice(0, Math.max(0, mine.length + 1 - keptMax)))
      await this.#options.fleet.delete(name);
  }

  isUsed(name: string): boolean {
    return this.#used.has(name);
  }

  async using<T>(name: string, act: () => Promise<T>): Promise<T> {
    this.#used.set(name, (this.#used.get(name) ?? 0) + 1);
    try {
      return await act();
    } finally {
      const left = this.#used.get(name)! - 1;
      if (left === 0) this.#used.delete(name);
      else this.#used.set(name, left);
    }
  }

  /** Waits until a crawl does not run any more, for at most `waitMs`, and returns it. undefined: it does not exist. */
  async rested(name: string, waitMs: number): Promise<CrawlAnswer | undefined> {
    const { clock, fleet } = this.#options;
    const untilMs = clock.nowMs() + Math.min(waitMs, scrapeLimits.waitMsMax);
    for (;;) {
      const crawl = fleet.find(name);
      if (crawl === undefined || restStates.has(crawl.state) || clock.nowMs() >= untilMs) return crawl;
      await clock.sleepUntil(Math.min(untilMs, clock.nowMs() + scrapeLimits.lookMs));
    }
  }

  async #fetched(requester: Requester, seed: string, name: string, waitMs: number): Promise<ReadAnswer> {
    // Concurrent callers wait for the same fetch: a page is fetched once.
    if (this.#used.get(name) === 1) {
      const starting = this.#begin(requester, seed, name).finally(() => this.#starting.delete(name));
      this.#starting.set(name, starting);
    }
    await this.#starting.get(name);
    const crawl = await this.rested(name, waitMs);
    const gone = { page: null, crawl: name, why: 'the crawl was deleted meanwhile', ...isOver } as const;
    if (crawl === undefined) return gone;
    const hold = this.#options.fleet.file(name)?.hold ?? null;
    if (hold !== null) return { page: null, crawl: name, why: hold, ...isOver };
    try {
      return await this.#answer(requester, seed, crawl);
    } catch (error) {
      if (isMissing(error)) return gone;
      throw error;
    }
  }

  /** Answers with the page of `crawl`, or with the reason why it has none. */
  async #answer(requester: Requester, seed: string, crawl: CrawlAnswer): Promise<ReadAnswer> {
    const { name } = crawl;
    const found = [...(await this.pages(crawl)).values()].at(-1);
    const page = found && (await readCrawl(this.#options, crawl, (reads) => this.#finder.read(reads, found)));
    if (page !== undefined && this.#maySee(requester, page)) return { page, crawl: name, isFetched: true };
    const isUnderWay = !restStates.has(crawl.state);
    const lines = await this.#explained(crawl, seed, isUnderWay);
    const why = reasonsIn(lines);
    if (isUnderWay)
      return {
        page: null,
        crawl: name,
        why: why || 'no request has ended yet',
        isUnderWay,
        nextAtMs: nextAtMsIn(lines),
      };
    return { page: null, crawl: name, why: crawl.failure ?? (why || 'no result'), ...isOver };
  }

  /** Returns the lines of `explain`. A crawl that is starting may have none yet. */
  async #explained(crawl: CrawlAnswer, seed: string, isUnderWay: boolean): Promise<ExplainLines> {
    try {
      const [lines] = await whileThere(this.#options, crawl, () => this.#options.explain(crawl.data, [seed]));
      return lines!;
    } catch (error) {
      if (isUnderWay && error instanceof CrawlstreamError) return [];
      throw error;
    }
  }

  async #begin(requester: Requester, seed: string, name: string): Promise<void> {
    const { fleet } = this.#options;
    const before = fleet.find(name);
    if (before !== undefined && before.owner !== requester.owner)
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `this page is fetched in crawl ${name}, which belongs to another owner: ask the operator to delete that crawl`,
      );
    // A held crawl has stopped the process, and would do so again.
    if (before !== undefined && (fleet.file(name)?.hold ?? null) !== null) return;
    // A crawl that an earlier call has started goes on; this call waits for it.
    if (before !== undefined && restStates.has(before.state)) await fleet.delete(name);
    if (fleet.find(name) === undefined)
      await requester.create(seed, { scope: { kind: 'domain' }, pageQuota: 1, maxDepth: 0 }, name);
  }

  async #newest(requester: Requester, url: string, sinceMs: number): Promise<ReadAnswer | undefined> {
    this.#finder.keep(new Set(this.#options.fleet.list().map(idOf)));
    let newest: { readonly crawl: CrawlAnswer; readonly found: FoundPage } | undefined;
    for (const crawl of requester.crawls()) {
      const found = (await this.pages(crawl).catch(noneOfGone)).get(url);
      if (found === undefined || found.fetchedAtMs < sinceMs) continue;
      if (newest === undefined || newest.found.fetchedAtMs < found.fetchedAtMs) newest = { crawl, found };
    }
    if (newest === undefined) return undefined;
    const { crawl, found } = newest;
    const page = await readCrawl(this.#options, crawl, (reads) => this.#finder.read(reads, found)).catch(
      () => undefined,
    );
    return page !== undefined && this.#maySee(requester, page)
      ? { page, crawl: crawl.name, isFetched: false }
      : undefined;
  }

  /** A preference of the site may apply only from some time on, and be in force by now. */
  #maySee({ uses }: Requester, { usage }: Page): boolean {
    return firstBarred(usage, uses, this.#options.clock.nowMs()) === undefined;
  }
}

/** A crawl that is deleted or stopped during the read counts as one without pages. */
function noneOfGone(error: unknown): ReadonlyMap<string, FoundPage> {
  if (error instanceof CrawlstreamError || isMissing(error)) return new Map();
  throw error;
}

const isOver = { isUnderWay: false, nextAtMs: null } as const;
