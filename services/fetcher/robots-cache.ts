/**
 * robots.txt per origin: fetched through the caller's paced requests, kept as RFC 9309 §2.4 has it.
 *
 * Fails closed: while robots.txt can't be had, the origin is `unreachable`, unless a copy of at most 30 days stands in.
 * What is unreachable is not remembered: every lease asks anew, and the frontier's back-off decides how often that is.
 * Leases that want the same file at once share one fetch. Bounded by entries and by bytes, least recently used first.
 */
import { hash } from 'node:crypto';
import { fetcherLimits, robotsLimits } from '../../topology/limits.ts';
import { noRules, parseRobots, type RobotsRules } from '../../topology/robots/rules.ts';
import { needsRefetch, robotsVerdict } from '../../topology/robots/verdict.ts';
import type { Clock } from '../runtime/clock.ts';

export interface Robots {
  readonly status: 'rules' | 'allowAll' | 'unreachable';
  readonly rules: RobotsRules;
  /** SHA-256 of the body, first 16 bytes, hexadecimal. Empty: there is none. */
  readonly hash: string;
  /** ms since the Unix epoch. */
  readonly fetchedAtMs: number;
  /** It stands in for a newer one that can't be had. */
  readonly stale: boolean;
  /** unreachable: why, in plain words. */
  readonly detail: string;
  /** unreachable: the address guard refused the host itself, so no retry helps. */
  readonly blockedAddress: boolean;
  /** unreachable: what Retry-After asked for, ms. 0: nothing. */
  readonly retryAfterMs: number;
}

export interface RobotsResponse {
  /** 0: no complete response. */
  readonly status: number;
  readonly location: string | null;
  readonly body: Uint8Array;
  readonly retryAfterMs: number;
  readonly blockedAddress: boolean;
  readonly detail: string;
}

/** Asks for one URL of a robots.txt chain, paced by its own host. Null: not in time, ask again with another lease. */
export type RobotsFetch = (url: string, hop: number) => Promise<RobotsResponse | null>;

export interface RobotsAnswer {
  readonly robots: Robots;
  /** It was fetched for this call, or while it waited. */
  readonly fresh: boolean;
}

export interface RobotsCache {
  /** `origin`: scheme, host and port. Null: `fetch` gave up. */
  get(origin: string, fetch: RobotsFetch): Promise<RobotsAnswer | null>;
  readonly size: number;
}

interface Entry {
  readonly robots: Robots;
  readonly bytes: number;
  /** A stale copy is used without asking until then, ms since the Unix epoch. */
  readonly staleUntilMs: number;
}

export function createRobotsCache(clock: Clock, productToken: string): RobotsCache {
  /** In order of last use. */
  const entries = new Map<string, Entry>();
  const underWay = new Map<string, Promise<Robots | null>>();
  let bytesKept = 0;

  const forget = (origin: string) => {
    bytesKept -= entries.get(origin)?.bytes ?? 0;
    entries.delete(origin);
  };
  const keep = (origin: string, entry: Entry) => {
    forget(origin);
    entries.set(origin, entry);
    bytesKept += entry.bytes;
    const { robotsEntriesMax, robotsEntriesBytesMax } = fetcherLimits;
    while (entries.size > robotsEntriesMax || (bytesKept > robotsEntriesBytesMax && entries.size > 1)) {
      forget(entries.keys().next().value!);
    }
  };

  /** What may be used now without asking. */
  const usable = (origin: string): Robots | undefined => {
    const entry = entries.get(origin);
    if (entry === undefined) return undefined;
    const nowMs = clock.nowMs();
    if (needsRefetch(nowMs - entry.robots.fetchedAtMs) && nowMs >= entry.staleUntilMs) return undefined;
    entries.delete(origin);
    entries.set(origin, entry);
    return entry.robots;
  };

  const fetchAnew = async (origin: string, fetch: RobotsFetch): Promise<Robots | null> => {
    const asked = [`${origin}/robots.txt`];
    for (;;) {
      const url = asked[asked.length - 1]!;
      const response = await fetch(url, asked.length - 1);
      if (response === null) return null;
      const nowMs = clock.nowMs();
      const old = entries.get(origin);
      const cachedAgeMs = old === undefined ? null : nowMs - old.robots.fetchedAtMs;
      const verdict = robotsVerdict({ url, status: response.status, location: response.location, asked, cachedAgeMs });
      switch (verdict.kind) {
        case 'follow':
          asked.push(verdict.url);
          continue;
        case 'parse': {
          const body = response.body.subarray(0, robotsLimits.bodyBytesMax);
          const rules = parseRobots(body, productToken, url);
          const robots = { ...open(nowMs), status: 'rules', rules, hash: shortHash(body) } as const;
          keep(origin, { robots, bytes: body.length, staleUntilMs: 0 });
          return robots;
        }
        case 'allow_all': {
          const robots = open(nowMs);
          keep(origin, { robots, bytes: 0, staleUntilMs: 0 });
          return robots;
        }
        case 'use_cached': {
          const robots = { ...old!.robots, stale: true };
          keep(origin, { ...old!, robots, staleUntilMs: nowMs + fetcherLimits.robotsStaleRecheckMs });
          return robots;
        }
        case 'disallow_all':
          return unreachable(response, nowMs, asked.length > 1);
      }
    }
  };

  return {
    async get(origin, fetch) {
      const known = usable(origin);
      if (known !== undefined) return { robots: known, fresh: false };
      for (;;) {
        const others = underWay.get(origin);
        if (others === undefined) break;
        const robots = await others;
        if (robots !== null) return { robots, fresh: true };
      }
      const mine = fetchAnew(origin, fetch).finally(() => underWay.delete(origin));
      underWay.set(origin, mine);
      const robots = await mine;
      return robots === null ? null : { robots, fresh: true };
    },
    get size() {
      return entries.size;
    },
  };
}

function open(fetchedAtMs: number): Robots {
  return {
    status: 'allowAll',
    rules: noRules,
    hash: '',
    fetchedAtMs,
    stale: false,
    detail: '',
    blockedAddress: false,
    retryAfterMs: 0,
  };
}

function unreachable(response: RobotsResponse, nowMs: number, redirected: boolean): Robots {
  const { status, retryAfterMs } = response;
  const detail = `robots.txt: ${status === 0 ? response.detail : `status ${status}`}`;
  const blockedAddress = response.blockedAddress && !redirected;
  return { ...open(nowMs), status: 'unreachable', detail, blockedAddress, retryAfterMs };
}

function shortHash(body: Uint8Array): string {
  return hash('sha256', body, 'hex').slice(0, 32);
}
