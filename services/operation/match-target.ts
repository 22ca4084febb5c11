/**
 * Finds the target of a command: the host or the URL as the crawl knows it, or similar names. A purge that matches
 * nothing must not look like one that did.
 *
 * In a data folder the partition's state is queried, like by `hosts`; on Kafka a frontier that listens. Without one,
 * only the whole changelog would show it, and the command says so.
 */
import { closest, distance } from 'fastest-levenshtein';
import { CrawlstreamError } from '../../topology/errors.ts';
import { type HostRow, HostScan } from '../../topology/frontier/ask/list-hosts.ts';
import type { UrlAnswer } from '../../topology/frontier/ask/queries.ts';
import { frontierLimits } from '../../topology/frontier/frontier-limits.ts';
import { hostKeyOf, withoutPort } from '../../topology/url/host-key.ts';
import { askFrontiers } from '../hosting/inspect/ask-frontiers.ts';
import { askPartition, askUrl } from '../hosting/inspect/ask-url.ts';
import { listOf } from '../hosting/inspect/hosts.ts';
import { partitionsOf, type StateSource } from '../hosting/state/state-source.ts';

/** The host, as `hosts` lists it. `unchecked`: no process could be asked. */
export type HostMatch = HostRow | 'unchecked';

const unchecked = 'the number of matches is unknown';
const listed = frontierLimits.queryPageMax;

/** Throws NO_MATCH, with names near it, for a host that the crawl does not know. */
export async function matchHost(source: StateSource, hostKey: string): Promise<HostMatch> {
  // Clients name the queues of a served crawl, and may refer to them before they fill them.
  if (source.manifest.sink === 'pull') return 'unchecked';
  const found = await findHost(source, hostKey);
  if (found === 'unchecked') return found;
  if (found !== undefined && (urlsOf(found) > 0 || found.hold !== '')) return found;
  const near = await nearHosts(source, hostKey);
  throw noMatch(`the crawl has no URL of host ${hostKey}`, near);
}

/** Throws NO_MATCH for a URL that the crawl never admitted. */
export async function matchUrl(source: StateSource, url: string): Promise<UrlAnswer | 'unchecked'> {
  const answer = await findUrl(source, url);
  if (answer === 'unchecked' || answer.place !== null || answer.seen !== false) return answer;
  const near: string[] = [];
  for (const other of otherSpellings(url)) {
    const found = await findUrl(source, other);
    if (found !== 'unchecked' && found.place !== null) near.push(other);
  }
  const hostKey = hostKeyOf(url);
  const host = await findHost(source, hostKey);
  const ofHosts = host === undefined ? await nearHosts(source, hostKey) : [];
  throw noMatch(`the crawl has never admitted ${url}`, [...near, ...ofHosts]);
}

export function matchText(match: HostMatch | UrlAnswer): string {
  if (match === 'unchecked') return 'the number of matches is unknown: no process of the crawl answered';
  if ('url' in match) return urlMatchText(match);
  const { host, queued, deferred, leases, fetched, hold } = match;
  const parts = [`${count(queued)} URLs queued`, `${count(deferred)} deferred`, `${count(fetched)} fetched`];
  if (leases > 0) parts.push(`${count(leases)} leased`);
  if (hold !== '') parts.push(`on hold: ${hold}`);
  return `1 host, ${host}: ${parts.join(', ')}`;
}

function urlMatchText({ place }: UrlAnswer): string {
  if (place === null) return '1 URL: it was admitted, but its state is no longer stored';
  if (place.in === 'end') return `1 URL: done, ${place.status}`;
  return `1 URL: ${place.in === 'lease' ? `on lease ${place.lease}` : 'queued'}`;
}

function urlsOf({ queued, deferred, leases, fetched }: HostRow): number {
  return queued + deferred + leases + fetched;
}

async function findHost(source: StateSource, hostKey: string): Promise<HostRow | undefined | 'unchecked'> {
  const wanted = { search: hostKey, sort: 'name', limit: listed } as const;
  const query = new URLSearchParams({ ...wanted, limit: String(listed) });
  const asked = (await askFrontiers(source, `/hosts?${query}`, unchecked)) as { readonly hosts: HostRow[] } | undefined;
  const exact = (hosts: readonly HostRow[]) => hosts.find(({ host }) => host === hostKey);
  if (asked !== undefined) return exact(asked.hosts);
  if (source.brokersLog !== null) return 'unchecked';
  return askPartition(source, hostKey, function* (state) {
    const scan = new HostScan(wanted);
    for (;;) {
      const list = yield* scan.slice(state);
      if (list !== undefined) return exact(list.hosts);
    }
  });
}

async function findUrl(source: StateSource, url: string): Promise<UrlAnswer | 'unchecked'> {
  return (await askUrl(source, url, unchecked)) ?? 'unchecked';
}

/** Returns hosts with the same name and another port or prefix, else the most similar name. */
async function nearHosts(source: StateSource, hostKey: string): Promise<string[]> {
  if (partitionsOf(source, {}).length > nearPartitionsMax && source.brokersLog === null) return [];
  const name = withoutPort(hostKey).replace(/^www\./, '');
  const { hosts } = await listOf(source, {
    crawl: source.manifest.crawl,
    search: name,
    sort: 'queued',
    limit: nearMax,
  });
  const known = hosts.filter((one) => one.host !== hostKey && urlsOf(one) > 0).map(({ host }) => host);
  if (known.length > 0) return known;
  const all = await listOf(source, { crawl: source.manifest.crawl, sort: 'queued', limit: listed });
  const names = all.hosts.map(({ host }) => host).filter((host) => host !== hostKey);
  if (names.length === 0) return [];
  const near = closest(hostKey, names);
  return distance(hostKey, near) <= Math.max(2, Math.floor(hostKey.length / 4)) ? [near] : [];
}

/** Most partitions that are opened to find similar names. */
const nearPartitionsMax = 16;
const nearMax = 5;

function otherSpellings(url: string): string[] {
  const slash = url.endsWith('/') ? url.slice(0, -1) : `${url}/`;
  const scheme = (one: string) => (one.startsWith('https:') ? `http:${one.slice(6)}` : `https:${one.slice(5)}`);
  return [slash, scheme(url), scheme(slash)].filter((one) => new URL(one).href === one);
}

function noMatch(what: string, near: readonly string[]): CrawlstreamError {
  const guess = near.length === 0 ? 'crawlstream hosts lists its hosts' : `did you mean ${near.join(', ')}?`;
  return new CrawlstreamError('NO_MATCH', `${what}: nothing was done; ${guess} (--force sends the order anyway)`);
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
