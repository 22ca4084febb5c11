/**
 * Keeps the sitemaps of each host that are still to be read, and those read since its robots.txt was.
 *
 * It is in memory, like the robots.txt copies that list the sitemaps: a fetcher that is new to a host reads its
 * robots.txt again, and its sitemaps after it. So a crash loses nothing. A host's sitemaps are read once for each time
 * its robots.txt is, or for each round of the frontier, if the policy has rounds.
 *
 * Bounded over all hosts: those with nothing to read are forgotten, least recently listed first. While all that fit
 * are unread, no more are taken.
 */

import { parseLimits } from '../../../topology/parse/parse-limits.ts';
import { robotsLimits } from '../../../topology/robots/robots-limits.ts';
import { fetcherLimits } from '../fetcher-limits.ts';
import type { Headers } from '../http/headers.ts';

/** A sitemap to be read. */
export interface SitemapTask {
  readonly url: string;
  /** The host with the lease that reads the sitemap. */
  readonly hostKey: string;
  /** Depth of its links. */
  readonly depth: number;
  /** Origin of the robots.txt that lists the sitemap, or the index that contains it. */
  readonly origin: string;
  /**
   * Time when that robots.txt was read, or the round began. The sitemap is read unless it was noted for this time or a
   * later one.
   */
  readonly namedAtMs: number;
  /** The policy lists it, so it may contain URLs of any host. */
  readonly trusted: boolean;
  /** Number of redirects that led to it. */
  readonly hop: number;
  /** Number of indexes above it. */
  readonly nesting: number;
  /** Number of failed requests. */
  readonly tries: number;
}

export interface SitemapAgenda {
  /** Takes note of a sitemap, unless it is known for the same robots.txt, or too far from it. */
  add(clientUrl: SitemapTask): void;
  /** The next one to be read with a lease of the host; undefined: none. */
  next(hostKey: string): SitemapTask | undefined;
  /** Puts a sitemap back as the next one, since no time was left to read it. */
  putBack(clientUrl: SitemapTask): void;
  /** Reports a failure: the sitemap is tried again with a later lease, unless it has failed too often. */
  failed(clientUrl: SitemapTask): void;
  /**
   * Reports a sitemap that was read whole; `condition` makes its next request conditional. An index has none, since its
   * sitemaps must be checked again.
   */
  readWhole(clientUrl: SitemapTask, condition: Headers): void;
  /** Headers of a conditional request: names and values alternate. */
  conditionOf(clientUrl: SitemapTask): Headers;
  /** Unread sitemaps of a host. */
  waiting(hostKey: string): number;
  /** The one that `next` would return. */
  first(hostKey: string): SitemapTask | undefined;
  /** Sitemaps remembered. */
  readonly size: number;
}

/** Hosts that are looked at for room. */
const oldestLooked = 100;

interface HostAgenda {
  /** By URL, the next one first: one that is named again before it was read is read once. */
  waiting: Map<string, SitemapTask>;
  /** URL → the time of the robots.txt it was last noted for. */
  readonly known: Map<string, number>;
  /** URL → condition of the next request for it. */
  readonly conditions: Map<string, Headers>;
}

export function createSitemapAgenda(): SitemapAgenda {
  /** In the order they were last named. */
  const hosts = new Map<string, HostAgenda>();
  let size = 0;

  const agendaOf = (hostKey: string): HostAgenda => {
    const agenda = hosts.get(hostKey) ?? { waiting: new Map(), known: new Map(), conditions: new Map() };
    hosts.delete(hostKey);
    hosts.set(hostKey, agenda);
    return agenda;
  };
  /** False: the oldest hosts all have unread sitemaps. The next call looks at others. */
  const hasRoom = (): boolean => {
    for (let looks = 0; size >= fetcherLimits.sitemapsKnownMax && looks < oldestLooked; looks++) {
      const [hostKey, agenda] = hosts.entries().next().value!;
      hosts.delete(hostKey);
      if (agenda.waiting.size > 0) hosts.set(hostKey, agenda);
      else size -= agenda.known.size;
    }
    return size < fetcherLimits.sitemapsKnownMax;
  };

  return {
    add(clientUrl) {
      if (clientUrl.hop > robotsLimits.redirectsMax || clientUrl.nesting > parseLimits.sitemapNestingMax) return;
      const before = hosts.get(clientUrl.hostKey)?.known.get(clientUrl.url);
      if (before === undefined && !hasRoom()) return;
      const { waiting, known } = agendaOf(clientUrl.hostKey);
      if (before === undefined ? known.size >= fetcherLimits.sitemapsPerHostMax : before >= clientUrl.namedAtMs) return;
      if (before === undefined) size += 1;
      known.set(clientUrl.url, clientUrl.namedAtMs);
      waiting.set(clientUrl.url, clientUrl);
    },
    next(hostKey) {
      const waiting = hosts.get(hostKey)?.waiting;
      const first = waiting?.values().next().value;
      if (first !== undefined) waiting!.delete(first.url);
      return first;
    },
    putBack(clientUrl) {
      const agenda = hosts.get(clientUrl.hostKey);
      if (agenda === undefined) return;
      const { url } = clientUrl;
      // It may have been named again meanwhile.
      const newest = agenda.waiting.get(url) ?? clientUrl;
      agenda.waiting.delete(url);
      agenda.waiting = new Map([[url, newest], ...agenda.waiting]);
    },
    failed(clientUrl) {
      const waiting = hosts.get(clientUrl.hostKey)?.waiting;
      if (waiting === undefined || waiting.has(clientUrl.url) || clientUrl.tries + 1 >= fetcherLimits.sitemapTriesMax)
        return;
      waiting.set(clientUrl.url, { ...clientUrl, tries: clientUrl.tries + 1 });
    },
    readWhole({ hostKey, url }, condition) {
      if (condition.length > 0) hosts.get(hostKey)?.conditions.set(url, condition);
    },
    conditionOf: ({ hostKey, url }) => hosts.get(hostKey)?.conditions.get(url) ?? [],
    waiting: (hostKey) => hosts.get(hostKey)?.waiting.size ?? 0,
    first: (hostKey) => hosts.get(hostKey)?.waiting.values().next().value,
    get size() {
      return size;
    },
  };
}
