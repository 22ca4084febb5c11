/**
 * Sees the requests of all crawls of a fleet where they arrive. It checks that each host has one request at a time, and
 * that all crawls together keep its delay (docs/fleet.md). A crawl's own judge passes its observations to this one.
 */

import type { FleetWorld, SimCrawl } from './fleet-world.ts';
import type { Contact, Judge } from './judge.ts';
import type { SimProcess } from './process.ts';

export interface FleetJudge {
  /** Requests of a crawl. `crawlOf`: the crawl of the requesting process. */
  of(crawl: SimCrawl): Judge;
  /** Hosts of the web that all crawls share. */
  readonly all: Judge;
  /** A process of the fleet, and the crawl that it acts for. */
  register(process: SimProcess, crawl: SimCrawl, generation: number): void;
}

interface HostSeen {
  busy: number;
  /** End of the last contact of any crawl, and that crawl. */
  endMs: number;
  by: SimCrawl | undefined;
  readonly endsOf: Map<SimCrawl, number>;
  askedUntilMs: number;
  /** The generation of the fleet's process that has read the robots.txt of the host. */
  readonly robotsOf: Set<number>;
  /**
   * Crawls with an unanswered newest page there: robots.txt is requested again, to find out whether the host answers at
   * all.
   */
  readonly unanswered: Set<SimCrawl>;
}

const never = Number.NEGATIVE_INFINITY;

export function createFleetJudge({ web, hostDelayMs }: FleetWorld, violate: (what: string) => void): FleetJudge {
  const hosts = new Map<string, HostSeen>();
  const actors = new Map<SimProcess, { readonly crawl: SimCrawl; readonly generation: number }>();
  const fetches = new Map<SimCrawl, Map<string, number>>();
  const seen = (name: string): HostSeen => {
    let host = hosts.get(name);
    if (host === undefined) {
      host = {
        busy: 0,
        endMs: never,
        by: undefined,
        endsOf: new Map(),
        askedUntilMs: 0,
        robotsOf: new Set(),
        unanswered: new Set(),
      };
      hosts.set(name, host);
    }
    return host;
  };
  const fetchesOf = (crawl: SimCrawl) => {
    const own = fetches.get(crawl) ?? new Map<string, number>();
    fetches.set(crawl, own);
    return own;
  };

  const arrives = ({ hostName, url, kind, process, startMs }: Contact) => {
    const { crawl, generation } = actors.get(process)!;
    const host = seen(hostName);
    const { crawlDelayMs } = web.byName.get(hostName)!;
    if (host.busy > 0) violate(`${crawl.name} asked for ${url} while another request was under way there`);
    const ownMs = crawl.world.delayMs;
    const betweenMs = host.by === undefined || host.by === crawl ? ownMs : Math.min(ownMs, host.by.world.delayMs);
    const owedMs = Math.max(hostDelayMs, betweenMs, kind === 'page' ? crawlDelayMs : 0);
    const waitedMs = startMs - host.endMs;
    if (waitedMs < owedMs)
      violate(`${crawl.name} asked for ${url} ${waitedMs} ms after ${host.by?.name} was there, not ${owedMs}`);
    const sinceOwnMs = startMs - (host.endsOf.get(crawl) ?? never);
    if (sinceOwnMs < ownMs) violate(`${crawl.name} asked for ${url} ${sinceOwnMs} ms after itself, not ${ownMs}`);
    if (startMs < host.askedUntilMs)
      violate(`${crawl.name} asked for ${url} ${host.askedUntilMs - startMs} ms before ${hostName} wanted it`);
    if (kind === 'page') {
      fetchesOf(crawl).set(url, (fetchesOf(crawl).get(url) ?? 0) + 1);
      if (web.byUrl.get(url)?.forbidden) violate(`${crawl.name} fetched ${url}, which robots.txt forbids`);
      if (!host.robotsOf.has(generation))
        violate(`${crawl.name} fetched ${url}, and nobody of its process knew the host's robots.txt`);
      host.unanswered.delete(crawl);
    } else if (!host.unanswered.delete(crawl) && host.robotsOf.has(generation))
      violate(`${crawl.name} asked for ${url}, which its process has read`);
    host.busy += 1;
    let ended = false;
    return (endMs: number, isUnanswered = false) => {
      if (ended) return;
      ended = true;
      if (isUnanswered && kind === 'page') host.unanswered.add(crawl);
      host.busy -= 1;
      host.endMs = Math.max(host.endMs, endMs);
      host.by = crawl;
      host.endsOf.set(crawl, endMs);
    };
  };

  const judge: Omit<Judge, 'fetches'> = {
    arrives,
    readRobots: (process, hostName) => void seen(hostName).robotsOf.add(actors.get(process)!.generation),
    asked(hostName, pauseMs, endMs) {
      const host = seen(hostName);
      host.askedUntilMs = Math.max(host.askedUntilMs, endMs + pauseMs);
    },
    // In this world no clock is set, and operators give no orders.
    clockWrong() {},
    clockRight() {},
    ordered() {},
  };
  return {
    of: (crawl) => ({ ...judge, fetches: fetchesOf(crawl) }),
    all: { ...judge, fetches: new Map() },
    register: (process, crawl, generation) => void actors.set(process, { crawl, generation }),
  };
}
