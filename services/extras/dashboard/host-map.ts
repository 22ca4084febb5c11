/** The map of hosts: those with most pages, those they link to if there is room, and the links between all of them. */
import type { LinksOfHost } from '../../application/extension/crawl-part.ts';
import type { HostListStatus, HostMapStatus, HostStatus } from './status.ts';

/** Returns the hosts of a list that have pages, in its order. */
export function withPages({ hosts }: Pick<HostListStatus, 'hosts'>): HostStatus[] {
  return hosts.filter(({ pages }) => pages > 0);
}

/** `listed`: the hosts with most pages of all, most first, at most `hostsMax`. `links`: those of its hosts with pages. */
export function hostMapOf(
  listed: HostListStatus,
  links: readonly LinksOfHost[],
  hostsMax: number,
  edgesMax: number,
): HostMapStatus {
  const shown = withPages(listed);
  const others = targetsBeside(new Set(shown.map(({ host }) => host)), links);
  const hasAll = hasAllWithPages(listed);
  const room = hasAll ? hostsMax - shown.length : 0;
  const hosts = [
    ...shown.map(({ host, pages }) => ({ host, pages })),
    ...others.slice(0, room).map((host) => ({ host, pages: 0 })),
  ];
  const all = hasAll ? shown.length + others.length : listed.known;
  const edges = edgesBetween(hosts, links);
  return {
    hosts,
    hostsLeftOut: Math.max(0, all - hosts.length),
    edges: edges.slice(0, edgesMax),
    edgesLeftOut: Math.max(0, edges.length - edgesMax),
    isEstimate: listed.missing.length > 0 || links.length < shown.length || links.some(({ isWhole }) => !isWhole),
  };
}

/** A host that is not listed has no page, then. */
function hasAllWithPages({ hosts, matched, missing }: HostListStatus): boolean {
  return missing.length === 0 && (hosts.length === matched || hosts.some(({ pages }) => pages === 0));
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
