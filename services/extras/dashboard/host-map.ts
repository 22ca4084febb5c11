/** The map of hosts: those with most pages, those they link to if there is room, and the links between all of them. */
import type { LinksOfHost } from '../../application/extension/crawl-part.ts';
import type { HostListStatus, HostMapStatus, HostStatus } from './status.ts';

/** Returns the hosts with pages, most first. */
export function withMostPages({ hosts }: Pick<HostListStatus, 'hosts'>, most: number): HostStatus[] {
  return hosts
    .filter(({ pages }) => pages > 0)
    .sort((a, b) => b.pages - a.pages || (a.host < b.host ? -1 : 1))
    .slice(0, most);
}

/** `listed`: the hosts with most finished URLs. `links`: those of its hosts with most pages. */
export function hostMapOf(
  listed: HostListStatus,
  links: readonly LinksOfHost[],
  hostsMax: number,
  edgesMax: number,
): HostMapStatus {
  const withPages = withMostPages(listed, Number.POSITIVE_INFINITY);
  const others = targetsBeside(new Set(withPages.map(({ host }) => host)), links);
  const hasAll = hasAllWithPages(listed);
  const room = hasAll ? hostsMax : 0;
  const hosts = [
    ...withPages.slice(0, hostsMax).map(({ host, pages }) => ({ host, pages })),
    ...others.slice(0, Math.max(0, room - withPages.length)).map((host) => ({ host, pages: 0 })),
  ];
  const all = room === 0 ? listed.known : withPages.length + others.length;
  const edges = edgesBetween(hosts, links);
  return {
    hosts,
    hostsLeftOut: Math.max(0, all - hosts.length),
    edges: edges.slice(0, edgesMax),
    edgesLeftOut: Math.max(0, edges.length - edgesMax),
    isEstimate:
      !(hasAll || areFirst(listed, withPages[hostsMax - 1])) ||
      links.length < withPages.length ||
      links.some(({ isWhole }) => !isWhole),
  };
}

/** True if no host beside the list can have more pages than `last`: such a host has fewer finished URLs than those in it. */
function areFirst({ hosts, missing }: HostListStatus, last: HostStatus | undefined): boolean {
  return missing.length === 0 && last !== undefined && hosts.some(({ fetched }) => fetched <= last.pages);
}

/** A host that is not listed has no page, then. */
function hasAllWithPages({ hosts, matched, missing }: HostListStatus): boolean {
  return missing.length === 0 && (hosts.length === matched || hosts.some(({ fetched }) => fetched === 0));
}

/** Returns linked hosts that are not in `known`: first those that most hosts link to. */
function targetsBeside(known: ReadonlySet<string>, links: readonly LinksOfHost[]): string[] {
  const counts = new Map<string, { sources: number; links: number }>();
  for (const { host, links: number } of links.flatMap(({ targets }) => targets)) {
    if (known.has(host)) continue;
    const count = counts.get(host) ?? { sources: 0, links: 0 };
    count.sources += 1;
    count.links += number;
    counts.set(host, count);
  }
  return [...counts]
    .sort(([a, x], [b, y]) => y.sources - x.sources || y.links - x.links || (a < b ? -1 : 1))
    .map(([host]) => host);
}

function edgesBetween(
  hosts: readonly { readonly host: string }[],
  links: readonly LinksOfHost[],
): HostMapStatus['edges'][number][] {
  const positions = new Map(hosts.map(({ host }, at) => [host, at]));
  const edges = links.flatMap(({ host, targets }) =>
    targets.flatMap(({ host: target, links: number }) => {
      const [from, to] = [positions.get(host), positions.get(target)];
      return from === undefined || to === undefined ? [] : [{ from, to, links: number }];
    }),
  );
  return edges.sort((a, b) => b.links - a.links || a.from - b.from || a.to - b.to);
}
