/**
 * robots.txt per origin: fetched with the caller's paced requests, and cached as in RFC 9309 §2.4.
 *
 * Fails closed: while robots.txt cannot be fetched, the origin is `unreachable`, unless there is a copy of at most 30
 * days. An unreachable file is not remembered: every lease asks again, and the frontier's back-off limits how often
 * that is. Leases that need the same file at once share one fetch.
 *
 * A redirect to another host is followed by a lease of that host (topology/frontier/decide/leases/robots-hops.ts),
 * which `hop` arranges. The lease that needs the file waits for a moment, then gives up, so that no two wait for each
 * other. That host's answer serves all redirects to it: a thousand sites with the same target cause one request.
 */
import { hash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { HostFacts, RobotsCopy } from '../../../schemas/types.ts';
import { classify } from '../../../topology/fetch/outcome.ts';
import { firstToken, type ProductTokens, tokenInForce } from '../../../topology/robots/product-token.ts';
import { robotsLimits } from '../../../topology/robots/robots-limits.ts';
import { noRules, parseRobots } from '../../../topology/robots/rules.ts';
import { robotsVerdict } from '../../../topology/robots/verdict.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { compileUsage, noUsage } from '../../../topology/usage/robots-usage.ts';
import type { Clock } from '../../runtime/clock.ts';
import { fetcherLimits } from '../fetcher-limits.ts';
import { type KeptCopy, type Robots, RobotsCopies } from './copies.ts';
import { createMovedAnswers, type MovedAnswers } from './moved-answers.ts';

export interface RobotsResponse {
  /** 0: no complete response. */
  readonly status: number;
  readonly location: string | null;
  readonly body: Uint8Array;
  readonly retryAfterMs: number;
  readonly blockedAddress: boolean;
  readonly detail: string;
  /** Age of the response, ms. Absent: new. */
  readonly ageMs?: number;
  /** Called with the time of parsing the body, ms. */
  readonly onParsed?: (readMs: number) => void;
}

/**
 * Requests the newest URL of a robots.txt chain, paced by its host. Null: no time, ask again with another lease.
 * `elsewhere`: only a lease of the URL's host may ask; it was requested.
 */
export type RobotsFetch = (asked: readonly string[]) => Promise<RobotsResponse | 'elsewhere' | null>;

export interface RobotsAnswer {
  readonly robots: Robots;
  /** True if it was fetched for this call or while it waited, or has arrived from another host since the last one. */
  readonly fresh: boolean;
}

export interface RobotsCache {
  /** `origin`: scheme, host and port. Null: `fetch` gave up. */
  get(origin: string, fetch: RobotsFetch): Promise<RobotsAnswer | null>;
  /** True if there is a copy that is still valid. */
  has(origin: string): boolean;
  /**
   * Continues a chain that began at another host, with a lease of the present one. `asked`: its URLs; the last is to be
   * requested.
   */
  hop(asked: readonly string[], fetch: RobotsFetch): Promise<void>;
  /** Hosts that another process had until now: its knowledge of moved files is missing here, and is requested again. */
  forgetMoves(isTaken: (hostKey: string) => boolean): void;
  readonly size: number;
}

/** A chain that a lease of another host is to go on with. */
interface Elsewhere {
  /** Time when a lease first asked for it in vain, and when the other host's lease was last requested. */
  readonly sinceMs: number;
  requestedAtMs: number;
  /** The failure to fetch it: reported to one lease, after which the file is requested again. */
  unreachable: Robots | undefined;
  /** Resolves when there is an answer. */
  readonly answered: Promise<void>;
  readonly answer: () => void;
}

/** `onCopy` is called with each copy that an origin gets, before it is used. */
export function createRobotsCache(
  clock: Clock,
  productToken: ProductTokens | ((origin: string) => ProductTokens),
  onCopy: (copy: RobotsCopy) => void = () => {},
): RobotsCache {
  return new KeptRobots(clock, productToken, onCopy);
}

/** Its public acts are fields, since callers wrap a cache by spreading it: `{ ...cache, get }`. */
class KeptRobots implements RobotsCache {
  readonly #clock: Clock;
  readonly #onCopy: (copy: RobotsCopy) => void;
  readonly #copies: RobotsCopies;
  readonly #tokensOf: (origin: string) => ProductTokens;
  readonly #underWay = new Map<string, Promise<Robots | null>>();
  /** By origin, in order of the last request. */
  readonly #elsewhere = new Map<string, Elsewhere>();
  readonly #moved: MovedAnswers;

  constructor(
    clock: Clock,
    productToken: ProductTokens | ((origin: string) => ProductTokens),
    onCopy: (copy: RobotsCopy) => void,
  ) {
    this.#clock = clock;
    this.#copies = new RobotsCopies(clock);
    this.#tokensOf = typeof productToken === 'function' ? productToken : () => productToken;
    this.#onCopy = onCopy;
    this.#moved = createMovedAnswers(clock);
  }

  #anyToken(origin: string) {
    return firstToken(this.#tokensOf(origin));
  }

  /** True if rules that were read for one origin are valid for the other. */
  #sameTokens(a: string, b: string) {
    return `${this.#tokensOf(a)}` === `${this.#tokensOf(b)}`;
  }

  /** Follows a chain to its end from the last of `asked`. The rules bind the origin first asked, and the last as well. */
  async #follow(asked: readonly string[], fetch: RobotsFetch): Promise<Robots | 'elsewhere' | null> {
    const origin = originOf(asked[0]!);
    const url = asked[asked.length - 1]!;
    const isTheirs = asked.length > 1 && isRobotsTxt(url) && this.#sameTokens(origin, originOf(url));
    const there = isTheirs ? this.#copies.usable(originOf(url)) : undefined;
    if (there !== undefined) {
      this.#copies.keep(origin, there);
      // Its body is on the log already, by the same hash.
      this.#onCopy(copyOf(origin, url, there.robots, 200, nothing));
      return there.robots;
    }
    const isFar = asked.length > 1 && originOf(asked[asked.length - 2]!) !== originOf(url);
    const response = (isFar ? this.#moved.get(url) : undefined) ?? (await fetch(asked));
    if (response === null || response === 'elsewhere') return response;
    if (isFar) this.#moved.add(url, response);
    const nowMs = this.#clock.nowMs();
    const old = this.#copies.last(origin);
    const cameAtMs = nowMs - (response.ageMs ?? 0);
    const cachedAgeMs = old === undefined ? null : nowMs - old.robots.fetchedAtMs;
    const verdict = robotsVerdict({ url, status: response.status, location: response.location, asked, cachedAgeMs });
    const report = (binds: string, robots: Robots, body: Uint8Array) =>
      this.#onCopy(copyOf(binds, url, robots, response.status, body));
    const keepHere = (entry: KeptCopy, body: Uint8Array): Robots => {
      this.#copies.keep(origin, entry);
      report(origin, entry.robots, body);
      // If a chain was given up for its length, the robots.txt of its last host may still lead somewhere.
      const isRedirect = response.status >= 300 && response.status < 400;
      if (isRobotsTxt(url) && originOf(url) !== origin && !isRedirect && this.#sameTokens(origin, originOf(url))) {
        this.#copies.keep(originOf(url), entry);
        report(originOf(url), entry.robots, body);
      }
      return entry.robots;
    };
    switch (verdict.kind) {
      case 'follow':
        return this.#follow([...asked, verdict.url], fetch);
      case 'parse': {
        const body = response.body.subarray(0, robotsLimits.bodyBytesMax);
        const startMs = performance.now();
        const token = tokenInForce(body, this.#tokensOf(origin));
        const rules = parseRobots(body, token, url);
        response.onParsed?.(performance.now() - startMs);
        const usage = compileUsage(rules);
        const robots = {
          ...open(cameAtMs, this.#anyToken(origin)),
          status: 'rules',
          rules,
          usage,
          token,
          hash: shortHash(body),
        } as const;
        return keepHere({ robots, bytes: body.length, staleUntilMs: 0 }, body);
      }
      case 'allow_all':
        return keepHere({ robots: open(cameAtMs, this.#anyToken(origin)), bytes: 0, staleUntilMs: 0 }, nothing);
      case 'use_cached': {
        const robots = { ...old!.robots, stale: true };
        this.#copies.keep(origin, { ...old!, robots, staleUntilMs: nowMs + fetcherLimits.robotsStaleRecheckMs });
        const { retryAfterMs } = response;
        if (classify(response) !== 'throttled' && retryAfterMs === 0) return robots;
        return { ...robots, throttled: true, detail: detailOf(response), retryAfterMs };
      }
      case 'disallow_all':
        return unreachable(response, nowMs, this.#anyToken(origin), asked.length > 1);
    }
  }

  /** To be called when a lease was requested. */
  #requested(origin: string): Elsewhere {
    const nowMs = this.#clock.nowMs();
    const chain = this.#elsewhere.get(origin) ?? newChain(nowMs);
    chain.requestedAtMs = nowMs;
    this.#elsewhere.delete(origin);
    this.#elsewhere.set(origin, chain);
    if (this.#elsewhere.size > fetcherLimits.robotsEntriesMax)
      this.#elsewhere.delete(this.#elsewhere.keys().next().value!);
    return chain;
  }

  /** Waits a moment for the answer from the other host. */
  async #awaited(origin: string, chain: Elsewhere): Promise<Robots | null> {
    const patience = new AbortController();
    const patienceEnds = this.#clock.sleepUntil(this.#clock.nowMs() + fetcherLimits.robotsHopWaitMs, patience.signal);
    await Promise.race([chain.answered, patienceEnds]);
    patience.abort();
    const known = this.#copies.usable(origin);
    if (known !== undefined) return known.robots;
    if (chain.unreachable !== undefined) this.#elsewhere.delete(origin);
    return chain.unreachable ?? null;
  }

  async #refetch(origin: string, fetch: RobotsFetch): Promise<Robots | null> {
    const chain = this.#elsewhere.get(origin);
    const nowMs = this.#clock.nowMs();
    if (chain !== undefined && nowMs - chain.requestedAtMs < fetcherLimits.robotsHopAgainMs)
      return this.#awaited(origin, chain);
    if (chain !== undefined && nowMs - chain.sinceMs >= fetcherLimits.robotsHopPatienceMs) {
      this.#elsewhere.delete(origin);
      return {
        ...open(nowMs, this.#anyToken(origin)),
        status: 'unreachable',
        detail: 'robots.txt: moved to a host that could not be asked',
      };
    }
    const robots = await this.#follow([`${origin}/robots.txt`], fetch);
    if (robots === 'elsewhere') return this.#awaited(origin, this.#requested(origin));
    this.#elsewhere.delete(origin);
    return robots;
  }

  readonly get: RobotsCache['get'] = async (origin, fetch) => {
    const known = this.#copies.usable(origin);
    if (known !== undefined) return { robots: known.robots, fresh: this.#copies.report(origin) };
    for (;;) {
      const others = this.#underWay.get(origin);
      if (others === undefined) break;
      const robots = await others;
      if (robots !== null) return { robots, fresh: true };
    }
    const mine = this.#refetch(origin, fetch).finally(() => this.#underWay.delete(origin));
    this.#underWay.set(origin, mine);
    const robots = await mine;
    this.#copies.report(origin);
    return robots === null ? null : { robots, fresh: true };
  };

  readonly has: RobotsCache['has'] = (origin) => this.#copies.usable(origin) !== undefined;
  readonly hop: RobotsCache['hop'] = async (asked, fetch) => {
    const origin = originOf(asked[0]!);
    const robots = await this.#follow(asked, fetch);
    if (robots === null) return;
    if (robots !== 'elsewhere' && robots.status !== 'unreachable') {
      this.#elsewhere.get(origin)?.answer();
      this.#elsewhere.delete(origin);
      return;
    }
    // The lease that requested it may have run in another process; the next one runs here, and finds the answer.
    const chain = this.#requested(origin);
    if (robots === 'elsewhere') return;
    chain.unreachable = robots;
    chain.answer();
  };

  readonly forgetMoves: RobotsCache['forgetMoves'] = (isTaken) => {
    for (const origin of this.#elsewhere.keys()) if (isTaken(hostKeyOf(`${origin}/`))) this.#elsewhere.delete(origin);
  };

  get size() {
    return this.#copies.size;
  }
}

const nothing = new Uint8Array();

function copyOf(
  origin: string,
  url: string,
  { hash, fetchedAtMs, rules, token }: Robots,
  status: number,
  body: Uint8Array,
): RobotsCopy {
  return { origin, url, hash, fetchedAtMs, status, token, crawlDelayMs: rules.crawlDelayMs ?? -1, body };
}

function newChain(nowMs: number): Elsewhere {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  return { sinceMs: nowMs, requestedAtMs: nowMs, unreachable: undefined, answered, answer };
}

/** Scheme, host and port of a normal URL. */
export function originOf(url: string): string {
  const end = url.indexOf('/', 8);
  return end === -1 ? url : url.slice(0, end);
}

function isRobotsTxt(url: string): boolean {
  return url === `${originOf(url)}/robots.txt`;
}

function open(fetchedAtMs: number, token: string): Robots {
  return {
    status: 'allowAll',
    token,
    rules: noRules,
    usage: noUsage,
    hash: '',
    fetchedAtMs,
    stale: false,
    detail: '',
    silent: false,
    blockedAddress: false,
    retryAfterMs: 0,
  };
}

function unreachable(response: RobotsResponse, nowMs: number, token: string, redirected: boolean): Robots {
  const { status, retryAfterMs } = response;
  const detail = detailOf(response);
  const blockedAddress = response.blockedAddress && !redirected;
  return { ...open(nowMs, token), status: 'unreachable', detail, silent: status === 0, blockedAddress, retryAfterMs };
}

function detailOf({ status, detail }: RobotsResponse): string {
  return `robots.txt: ${status === 0 ? detail : `status ${status}`}`;
}

function shortHash(body: Uint8Array): string {
  return hash('sha256', body, 'hex').slice(0, 32);
}

/** Facts of the host to report. */
export function robotsFacts({ robots, fresh }: RobotsAnswer): HostFacts {
  return {
    robotsStatus: robots.status === 'unreachable' ? 'disallowAll' : robots.status,
    robotsHash: robots.hash,
    robotsFetchedAtMs: robots.fetchedAtMs,
    crawlDelayMs: robots.rules.crawlDelayMs ?? -1,
    sitemaps: fresh && !robots.stale ? robots.rules.sitemaps : [],
    sitemapsSinceMs: 0,
    sitemapsLeft: 0,
  };
}
