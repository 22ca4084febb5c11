/**
 * A small crawl inside another program: its own `fetch`, its own clock, nothing on disk.
 *
 * Leases of hosts are worked on side by side, the URLs of each one after another with the delay from completion. robots.txt
 * is asked first and fails closed (RFC 9309). For crawls that must survive a crash, or fill a machine: `crawlstream crawl`.
 */
import { classify } from '../../topology/fetch/outcome.ts';
import { redirectTarget } from '../../topology/fetch/redirect.ts';
import type { Counters } from '../../topology/frontier/changes/counters.ts';
import { parseLimits, robotsLimits } from '../../topology/limits.ts';
import { type ParsedPage, parsePage } from '../../topology/parse/page.ts';
import type { PolicyConfig } from '../../topology/policy/policy.ts';
import { isAllowed, noRules, parseRobots, type RobotsRules } from '../../topology/robots/rules.ts';
import { robotsVerdict } from '../../topology/robots/verdict.ts';
import { scopeOf } from '../../topology/url/scope.ts';
import { parseSeed } from '../../topology/url/seed.ts';
import { type Clock, SystemClock } from '../runtime/clock.ts';
import { createFrontier, type HostLease, type UrlOutcome } from './frontier.ts';

export interface CrawlOptions {
  readonly seeds: readonly string[];
  /** Who we are to a host: name/version (+contact). Its first word is the token that robots.txt is read for. */
  readonly userAgent: string;
  /** As the standard's; must not follow redirects when asked so. Absent: this Node's. */
  readonly fetch?: (url: string, init: FetchInit) => Promise<Response>;
  readonly clock?: Pick<Clock, 'nowMs' | 'sleepUntil'>;
  /** Absent: the default policy, on the registrable domains of the seeds. */
  readonly policy?: Partial<PolicyConfig>;
  /** Hosts fetched from at once. Absent: 10. */
  readonly concurrency?: number;
  /** Called for each page, before its links are followed. What it throws ends the crawl. */
  readonly onPage?: (page: CrawledPage) => void | Promise<void>;
  /** Aborted: no more leases; those under way end. */
  readonly signal?: AbortSignal;
}

export interface FetchInit {
  readonly redirect: 'manual';
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface CrawledPage extends Pick<ParsedPage, 'title' | 'description' | 'text' | 'links' | 'canonical'> {
  readonly url: string;
  readonly status: number;
  readonly depth: number;
  readonly body: Uint8Array;
}

/** A request that takes longer has failed. */
const requestMs = 30_000;
const bodyBytesMax = 4 * 2 ** 20;
const linksMax = 5_000;

/** Resolves when nothing is left to fetch, with what the frontier has counted. Throws INVALID_SEED. */
export async function crawl(options: CrawlOptions): Promise<Readonly<Counters>> {
  const { clock = new SystemClock(), concurrency = 10, signal } = options;
  const seeds = options.seeds.map(parseSeed);
  const policy = { scope: scopeOf('domain', seeds), ...options.policy };
  const frontier = createFrontier({ policy, clock, leasesMax: concurrency });
  const robots = new Map<string, Robots>();
  frontier.add(seeds);
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  while (failure === undefined) {
    const lease = signal?.aborted ? null : frontier.next();
    if (lease !== null) {
      const work = new LeaseWork({ ...options, clock }, frontier, robots, lease).run().catch((error) => {
        failure ??= { error };
      });
      const ended = work.finally(() => running.delete(ended));
      running.add(ended);
      continue;
    }
    const waitMs = signal?.aborted ? null : frontier.waitMs();
    if (waitMs === null && running.size === 0) break;
    const pause = new AbortController();
    const slept = waitMs === null ? [] : [clock.sleepUntil(clock.nowMs() + Math.max(1, waitMs), pause.signal)];
    await Promise.race([...running, ...slept]);
    pause.abort();
  }
  await Promise.all(running);
  if (failure !== undefined) throw failure.error;
  return frontier.counters;
}

interface Robots {
  /** null: everything is disallowed. */
  readonly rules: RobotsRules | null;
  readonly atMs: number;
}

/** One lease, from robots.txt to its report. */
class LeaseWork {
  readonly #options: CrawlOptions & { readonly clock: Pick<Clock, 'nowMs' | 'sleepUntil'> };
  readonly #frontier: ReturnType<typeof createFrontier>;
  readonly #robots: Map<string, Robots>;
  readonly #lease: HostLease;
  #endedAtMs = 0;
  #delayMs: number;

  constructor(
    options: CrawlOptions & { readonly clock: Pick<Clock, 'nowMs' | 'sleepUntil'> },
    frontier: ReturnType<typeof createFrontier>,
    robots: Map<string, Robots>,
    lease: HostLease,
  ) {
    this.#options = options;
    this.#frontier = frontier;
    this.#robots = robots;
    this.#lease = lease;
    this.#delayMs = lease.delayMs;
  }

  async run(): Promise<void> {
    const { clock } = this.#options;
    const outcomes: UrlOutcome[] = [];
    const rules = await this.#rulesOf(new URL(this.#lease.urls[0]!.url).origin);
    const crawlDelayMs = rules?.crawlDelayMs ?? -1;
    this.#delayMs = Math.max(this.#delayMs, crawlDelayMs);
    for (const [index, { url, depth, hop }] of this.#lease.urls.entries()) {
      // What does not fit goes back into the queue.
      if (clock.nowMs() + this.#delayMs + requestMs > this.#lease.deadlineMs && index > 0) break;
      if (rules === null) outcomes.push({ index, kind: 'robotsUnreachable' });
      else if (!isAllowed(rules, url)) outcomes.push({ index, kind: 'robotsDenied' });
      else outcomes.push({ index, ...(await this.#fetchPage(url, depth, hop)) });
    }
    this.#frontier.done(this.#lease, outcomes, crawlDelayMs);
  }

  async #fetchPage(url: string, depth: number, hop: number): Promise<Omit<UrlOutcome, 'index'>> {
    const answer = await this.#request(url);
    if (answer === null) return { kind: 'connectionFailed' };
    const { status, headers, body } = answer;
    const redirectUrl = redirectTarget(url, status, headers.get('location'));
    const kind = classify({ status, redirectUrl });
    if (kind === 'redirect') {
      this.#frontier.add([redirectUrl!], { url, depth, hop: hop + 1 });
      return { kind, status, redirectUrl: redirectUrl! };
    }
    if (kind !== 'fetched') return { kind, status };
    const contentType = headers.get('content-type');
    if (!/html/i.test(contentType ?? 'text/html')) return { kind, status };
    const page = parsePage(body, {
      ...{ url, contentType, robotsTags: [headers.get('x-robots-tag') ?? ''], productToken: this.#token },
      ...{ linksMax, textCharsMax: parseLimits.textCharsMax, byteBudget: bodyBytesMax },
      expired: () => false,
    });
    await this.#options.onPage?.({ ...page, url, status, depth, body });
    if (page.links.length > 0) this.#frontier.add(page.links, { url, depth });
    return { kind, status };
  }

  /** null: nothing may be fetched. */
  async #rulesOf(origin: string): Promise<RobotsRules | null> {
    const there = this.#robots.get(origin);
    if (there !== undefined && this.#options.clock.nowMs() - there.atMs < robotsLimits.cacheMsMax) return there.rules;
    const rules = await this.#readRobots(`${origin}/robots.txt`);
    this.#robots.set(origin, { rules, atMs: this.#options.clock.nowMs() });
    return rules;
  }

  async #readRobots(url: string): Promise<RobotsRules | null> {
    const answer = await this.#request(url);
    const location = answer?.headers.get('location') ?? null;
    const verdict = robotsVerdict({ url, status: answer?.status ?? 0, location, asked: [url], cachedAgeMs: null });
    if (verdict.kind === 'parse') return parseRobots(answer!.body, this.#token, url);
    // A redirect of a robots.txt may lead to another host, whose turn it is not: closed, as for one that is away.
    return verdict.kind === 'allow_all' ? noRules : null;
  }

  /** null: no answer. */
  async #request(url: string) {
    const { clock, userAgent, fetch: ask = fetch } = this.#options;
    await clock.sleepUntil(this.#endedAtMs === 0 ? 0 : this.#endedAtMs + this.#delayMs);
    try {
      const signal = AbortSignal.timeout(requestMs);
      const response = await ask(url, { redirect: 'manual', headers: { 'user-agent': userAgent }, signal });
      const body = new Uint8Array(await response.arrayBuffer()).subarray(0, bodyBytesMax);
      return { status: response.status, headers: response.headers, body };
    } catch {
      return null;
    } finally {
      this.#endedAtMs = clock.nowMs();
    }
  }

  get #token(): string {
    return this.#options.userAgent.split(/[/\s]/)[0]!;
  }
}
