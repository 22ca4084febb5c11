/**
 * A small crawl inside another program: its own `fetch`, its own clock, nothing on disk.
 *
 * Leases of hosts are worked on side by side, the URLs of each one after another with the delay from completion. robots.txt
 * is asked first and fails closed (RFC 9309). For crawls that must survive a crash, or fill a machine: `crawlstream crawl`.
 */
import type { OutcomeKind } from '../../schemas/types.ts';
import { classify, isRetriable } from '../../topology/fetch/outcome.ts';
import { redirectTarget } from '../../topology/fetch/redirect.ts';
import { retryAfterSeconds } from '../../topology/fetch/retry-after.ts';
import type { Counters } from '../../topology/frontier/changes/counters.ts';
import { parseLimits, robotsLimits } from '../../topology/limits.ts';
import { type ParsedPage, parsePage } from '../../topology/parse/page.ts';
import type { PolicyConfig } from '../../topology/policy/policy.ts';
import { hostKeyOf } from '../../topology/url/host-key.ts';
import { scopeOf } from '../../topology/url/scope.ts';
import { parseSeed } from '../../topology/url/seed.ts';
import { checkOptions, type Field, isCount, isFunction, isObject, isStrings } from '../runtime/check-options.ts';
import { type Clock, SystemClock } from '../runtime/clock.ts';
import { createFrontier, type HostLease, type UrlOutcome } from './frontier.ts';
import { createGuardedFetch, failureOf } from './guarded-fetch.ts';
import { HostTurns } from './host-turns.ts';
import { readBody } from './read-body.ts';
import { RobotsFiles } from './robots-files.ts';

export interface CrawlOptions {
  readonly seeds: readonly string[];
  /** Who we are to a host: name/version (+contact). Its first word is the token that robots.txt is read for. */
  readonly userAgent: string;
  /**
   * As the standard's; must not follow redirects when asked so. Which addresses it reaches is then its own matter.
   * Absent: one that reaches public addresses alone.
   */
  readonly fetch?: (url: string, init: FetchInit) => Promise<Response>;
  readonly clock?: Pick<Clock, 'nowMs' | 'sleepUntil'>;
  /** Absent: the default policy, on the registrable domains of the seeds. */
  readonly policy?: Partial<PolicyConfig>;
  /** Hosts fetched from at once. Absent: 10. */
  readonly concurrency?: number;
  /** Reach loopback and private addresses too: all (true), or networks as in 10.1.0.0/16. Not with `fetch`. */
  readonly allowPrivate?: boolean | readonly string[];
  /** Called for each page, before its links are followed. What it throws ends the crawl. */
  readonly onPage?: (page: CrawledPage) => void | Promise<void>;
  /** Called for each try that gave no page, with why. What it throws ends the crawl. */
  readonly onFailed?: (failure: FailedUrl) => void | Promise<void>;
  /** Aborted: requests under way are ended, none is begun, and the crawl resolves with what it has. */
  readonly signal?: AbortSignal;
}

export interface FailedUrl {
  readonly url: string;
  readonly depth: number;
  readonly kind: OutcomeKind;
  /** 0: no answer. */
  readonly status: number;
  /** In plain words; may be empty. */
  readonly detail: string;
  /** It may be tried again, as `policy.retriesMs` says. */
  readonly retriable: boolean;
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

const optionFields: Readonly<Record<keyof CrawlOptions, Field>> = {
  seeds: { wants: "a list of URLs, as in ['https://example.org/']", fits: isStrings, needed: true },
  userAgent: {
    wants: "who you are to a host, as in 'mybot/1.0 (+me@example.org)'",
    fits: (value) => typeof value === 'string' && /^[^\s/]/.test(value),
    needed: true,
  },
  fetch: { wants: 'a function like the fetch of the standard', fits: isFunction },
  clock: { wants: 'an object with nowMs() and sleepUntil()', fits: isObject },
  policy: { wants: 'an object with fields of a policy, as in { maxDepth: 1 }', fits: isObject },
  concurrency: { wants: 'a whole number of hosts, at least 1', fits: isCount },
  allowPrivate: {
    wants: "true, or a list of networks as in ['10.1.0.0/16']",
    fits: (value) => typeof value === 'boolean' || isStrings(value),
  },
  onPage: { wants: 'a function that takes a page', fits: isFunction },
  onFailed: { wants: 'a function that takes a failure', fits: isFunction },
  signal: { wants: 'the signal of an AbortController', fits: (value) => value instanceof AbortSignal },
};

/** Resolves when nothing is left to fetch, with what the frontier has counted. Throws INVALID_SEED, INVALID_ARGUMENT. */
export async function crawl(options: CrawlOptions): Promise<Readonly<Counters>> {
  checkOptions('crawl', options, optionFields);
  const { clock = new SystemClock(), concurrency = 10, signal: given } = options;
  const stop = new AbortController();
  const signal = given === undefined ? stop.signal : AbortSignal.any([given, stop.signal]);
  const seeds = options.seeds.map(parseSeed);
  const policy = { scope: scopeOf('domain', seeds), ...options.policy };
  const frontier = createFrontier({ policy, clock, leasesMax: concurrency });
  const own = options.fetch === undefined ? createGuardedFetch(options.allowPrivate ?? false) : null;
  const run = new CrawlRun({ ...options, fetch: options.fetch ?? own!.fetch }, clock, signal, frontier);
  frontier.add(seeds);
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const pause = { now: new AbortController() };
  const wake = () => pause.now.abort();
  signal.addEventListener('abort', wake);
  try {
    while (failure === undefined) {
      const lease = signal.aborted ? null : frontier.next();
      if (lease !== null) {
        const work = run.work(lease).catch((error) => {
          failure ??= { error };
          stop.abort();
        });
        const ended = work.finally(() => running.delete(ended));
        running.add(ended);
        continue;
      }
      const waitMs = signal.aborted ? null : frontier.waitMs();
      if (waitMs === null && running.size === 0) break;
      pause.now = new AbortController();
      const slept = waitMs === null ? [] : [clock.sleepUntil(clock.nowMs() + Math.max(1, waitMs), pause.now.signal)];
      await Promise.race([...running, ...slept]);
      pause.now.abort();
    }
    await Promise.all(running);
  } finally {
    signal.removeEventListener('abort', wake);
    await own?.close();
  }
  if (failure !== undefined) throw failure.error;
  return frontier.counters;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

type Tried = Answer | { readonly status: 0; readonly failure: ReturnType<typeof failureOf> };

/** What the leases of one crawl share. */
class CrawlRun {
  readonly #options: CrawlOptions & Required<Pick<CrawlOptions, 'fetch'>>;
  readonly #clock: Pick<Clock, 'nowMs' | 'sleepUntil'>;
  readonly #signal: AbortSignal;
  readonly #frontier: ReturnType<typeof createFrontier>;
  readonly #turns: HostTurns;
  readonly #robots: RobotsFiles;

  constructor(
    options: CrawlOptions & Required<Pick<CrawlOptions, 'fetch'>>,
    clock: Pick<Clock, 'nowMs' | 'sleepUntil'>,
    signal: AbortSignal,
    frontier: ReturnType<typeof createFrontier>,
  ) {
    this.#options = options;
    this.#clock = clock;
    this.#signal = signal;
    this.#frontier = frontier;
    this.#turns = new HostTurns(clock);
    this.#robots = new RobotsFiles(clock, this.#token, (url, delayMs) => this.#askRobots(url, delayMs));
  }

  /** One lease, from robots.txt to its report. URLs that it does not come to go back into the queue. */
  async work(lease: HostLease): Promise<void> {
    const outcomes: UrlOutcome[] = [];
    let delayMs = lease.delayMs;
    let crawlDelayMs = -1;
    for (const [index, { url, depth, hop }] of lease.urls.entries()) {
      if (this.#signal.aborted) break;
      if (this.#clock.nowMs() + delayMs + requestMs > lease.deadlineMs && index > 0) break;
      const robots = await this.#robots.of(url, delayMs);
      crawlDelayMs = Math.max(crawlDelayMs, robots.crawlDelayMs);
      delayMs = Math.max(delayMs, crawlDelayMs);
      if (this.#signal.aborted) break;
      const outcome =
        robots.allowed === 'yes'
          ? await this.#fetchPage(url, depth, hop, delayMs)
          : await this.#refused(url, depth, robots.allowed);
      if (outcome === null) break;
      outcomes.push({ index, ...outcome });
      // What the host refuses to one URL now, it would refuse to the next.
      if (outcome.kind === 'throttled' || outcome.kind === 'robotsUnreachable' || outcome.status === 0) break;
    }
    this.#frontier.done(lease, outcomes, crawlDelayMs);
  }

  async #refused(url: string, depth: number, why: 'no' | 'unreachable'): Promise<Omit<UrlOutcome, 'index'>> {
    const kind = why === 'no' ? 'robotsDenied' : 'robotsUnreachable';
    if (why === 'unreachable') this.#robots.forget(url);
    await this.#tellFailed(url, depth, kind, 0, `${new URL(url).origin}/robots.txt`);
    return { kind };
  }

  /** null: it was not asked. */
  async #fetchPage(
    url: string,
    depth: number,
    hop: number,
    delayMs: number,
  ): Promise<Omit<UrlOutcome, 'index'> | null> {
    const tried = await this.#request(url, delayMs, bodyBytesMax);
    if (tried === null) return null;
    if ('failure' in tried) {
      const { kind, detail } = tried.failure;
      await this.#tellFailed(url, depth, kind, 0, detail);
      return { kind, status: 0 };
    }
    const { status, headers, body } = tried;
    const redirectUrl = redirectTarget(url, status, headers.get('location'));
    const kind = classify({ status, redirectUrl });
    if (kind === 'redirect') {
      this.#frontier.add([redirectUrl!], { url, depth, hop: hop + 1 });
      return { kind, status, redirectUrl: redirectUrl! };
    }
    if (kind !== 'fetched') {
      const retryAfterMs = 1000 * (retryAfterSeconds(headers.get('retry-after'), this.#clock.nowMs()) ?? 0);
      await this.#tellFailed(url, depth, kind, status, retryAfterMs === 0 ? '' : `Retry-After ${retryAfterMs} ms`);
      return { kind, status, retryAfterMs };
    }
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

  async #tellFailed(url: string, depth: number, kind: OutcomeKind, status: number, detail: string): Promise<void> {
    await this.#options.onFailed?.({ url, depth, kind, status, detail, retriable: isRetriable(kind) });
  }

  async #askRobots(url: string, delayMs: number) {
    const tried = await this.#request(url, delayMs, robotsLimits.bodyBytesMax);
    if (tried === null || 'failure' in tried) return { status: 0, location: null, body: new Uint8Array() };
    return { status: tried.status, location: tried.headers.get('location'), body: tried.body };
  }

  /** null: the crawl was aborted before, or in it. */
  async #request(url: string, delayMs: number, bytesMax: number): Promise<Tried | null> {
    const { userAgent, fetch: ask } = this.#options;
    const made = await this.#turns.take(hostKeyOf(url), delayMs, this.#signal, async (): Promise<Tried> => {
      try {
        const signal = AbortSignal.any([AbortSignal.timeout(requestMs), this.#signal]);
        const response = await ask(url, { redirect: 'manual', headers: { 'user-agent': userAgent }, signal });
        return { status: response.status, headers: response.headers, body: await readBody(response, bytesMax) };
      } catch (error) {
        return { status: 0, failure: failureOf(error) };
      }
    });
    return made === undefined || (this.#signal.aborted && 'failure' in made) ? null : made;
  }

  get #token(): string {
    return this.#options.userAgent.split(/[/\s]/)[0]!;
  }
}
