/** From the links of a page to link groups, one per target host, without those published lately. */
import type { Link, LinkGroup } from '../../../schemas/types.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import type { LinkCache, LinkSource } from './link-cache.ts';

export interface LinkOrigin {
  /** URL that held the links. */
  readonly url: string;
  /** Partition key of that URL. */
  readonly sourceKey: string;
  readonly source: LinkSource;
  readonly atMs: number;
  /** Of the fetch, as in LinkGroup. */
  readonly traceparent: string;
}

export interface LinkMaker {
  readonly normalize: (url: string) => string | null;
  readonly cache: LinkCache;
}

export interface PageLinks {
  readonly groups: LinkGroup[];
  /** What to remember of them once they are acked. */
  readonly pending: number[];
  /** Distinct links that passed the normaliser, published now or lately. */
  readonly count: number;
}

/** `depth`: of the links. `hop`, `front`, `share`: as in LinkGroup. Links that bring cash must all arrive. */
export function gatherLinks(
  maker: LinkMaker,
  origin: LinkOrigin,
  urls: readonly string[],
  { depth, hop, front, share }: Pick<LinkGroup, 'depth' | 'hop' | 'front' | 'share'>,
): PageLinks {
  const byHost = new Map<string, Link[]>();
  const pending: number[] = [];
  let count = 0;
  for (const raw of urls) {
    const url = maker.normalize(raw);
    if (url === null) continue;
    count += 1;
    // Hops must arrive, whatever was seen before: the frontier waits for nothing, but a chain would end here.
    if (hop === 0 && share === 0 && !maker.cache.isNews(origin.source, url, depth, pending)) continue;
    const hostKey = hostKeyOf(url);
    const links = byHost.get(hostKey);
    const link: Link = { url: detached(url), lastModifiedMs: 0, priority: -1 };
    if (links === undefined) byHost.set(hostKey, [link]);
    else links.push(link);
  }
  const groups: LinkGroup[] = [];
  for (const [hostKey, links] of byHost) {
    groups.push({
      hostKey,
      sourceUrl: origin.url,
      sourceKey: origin.sourceKey,
      depth,
      hop,
      front,
      intent: 'discover',
      discoveredAtMs: origin.atMs,
      share,
      traceparent: origin.traceparent,
      links,
    });
  }
  return { groups, pending, count };
}

/** A copy: a piece cut out of a page keeps all of the page in memory until it is published. */
function detached(url: string): string {
  return ` ${url}`.slice(1);
}
