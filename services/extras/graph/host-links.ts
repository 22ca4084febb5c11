/** The links between hosts that a link graph in a data folder has, for the map on dashboards. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { edgesOfHost, readEdges } from '../../../topology/extras/graph/edge-row.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import type { CrawlPart, LinksOfHost } from '../../application/extension/crawl-part.ts';
import { type Purges, readPurges } from '../../runtime/crawl/purges.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { graphLimits } from './graph-limits.ts';

export const hostLinksPart: CrawlPart = {
  hostLinks({ log, codec, topics }, part) {
    const folder = part('graph');
    // Of a store that is being made, only the name is there.
    if (!existsSync(join(folder, 'CURRENT'))) return null;
    return async (hosts, signal) => {
      const purges = await readPurges(log, codec, topics);
      const store = await openStateStore(folder, { readOnly: true });
      try {
        return await linksOfHosts(store, hosts, purges, graphLimits, signal);
      } finally {
        await store.close();
      }
    };
  },
};

type LinkBounds = Readonly<Record<'pagesOfHost' | 'linksOfHost' | 'targetsOfHost', number>>;

/** Hosts among `hosts` are the first targets of each. */
export async function linksOfHosts(
  store: Pick<StateStore, 'scan'>,
  hosts: readonly string[],
  purges: Pick<Purges, 'refuses'>,
  bounds: LinkBounds,
  signal?: AbortSignal,
): Promise<LinksOfHost[]> {
  const asked = new Set(hosts);
  const read: LinksOfHost[] = [];
  for (const host of hosts) {
    // The crawl may run in this process.
    await nextTurn();
    signal?.throwIfAborted();
    const { counts, isWhole } = await countLinks(store, host, purges, bounds);
    const targets = [...counts]
      .map(([target, links]) => ({ host: target, links }))
      .sort((a, b) => Number(asked.has(b.host)) - Number(asked.has(a.host)) || b.links - a.links);
    const kept = targets.slice(0, bounds.targetsOfHost);
    read.push({ host, targets: kept, isWhole: isWhole && kept.length === targets.length });
  }
  return read;
}

async function countLinks(
  store: Pick<StateStore, 'scan'>,
  host: string,
  purges: Pick<Purges, 'refuses'>,
  { pagesOfHost, linksOfHost }: LinkBounds,
): Promise<{ readonly counts: ReadonlyMap<string, number>; readonly isWhole: boolean }> {
  const counts = new Map<string, number>();
  let [pages, links] = [0, 0];
  let isCut = false;
  for await (const [key, value] of store.scan({ ...edgesOfHost(host), limit: pagesOfHost + 1 })) {
    if (pages === pagesOfHost || links === linksOfHost) return { counts, isWhole: false };
    const { url, fetchedAtMs, targets } = readEdges(key, value);
    const counted = targets.slice(0, linksOfHost - links);
    pages += 1;
    links += counted.length;
    if (counted.length < targets.length) isCut = true;
    if (purges.refuses(url, fetchedAtMs)) continue;
    for (const target of counted) {
      const to = hostKeyOf(target);
      if (to !== host && !purges.refuses(target, fetchedAtMs)) counts.set(to, (counts.get(to) ?? 0) + 1);
    }
  }
  return { counts, isWhole: !isCut };
}
