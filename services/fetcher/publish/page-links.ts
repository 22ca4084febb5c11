/** Makes link groups of the links of a page, one per target host and place on the page, without those published lately. */
import type { FoundIn, Link, LinkGroup } from '../../../schemas/types.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { spellingOf } from '../../../topology/url/spelling.ts';
import type { LeftOut } from '../../runtime/crawl/left-out.ts';
import { fetcherLimits } from '../fetcher-limits.ts';
import type { LinkHooks } from '../hooks/run-hooks.ts';
import type { LinkCache, LinkSource } from './link-cache.ts';

export interface LinkOrigin {
  /** URL that held the links. */
  readonly url: string;
  /** Partition key of that URL. */
  readonly sourceKey: string;
  readonly source: LinkSource;
  readonly atMs: number;
  /** Trace context of the fetch, as in LinkGroup. */
  readonly traceparent: string;
  /** Links inherit them. */
  readonly tags: readonly string[];
}

export interface LinkMaker {
  readonly normalize: (url: string) => string | null;
  readonly cache: LinkCache;
  /** Asked before and after `normalize`. Absent: there is no plugin. */
  readonly hooks?: LinkHooks | undefined;
  /** Are links to say how they were spelt? Absent: they are not. */
  readonly spellings?: () => boolean;
}

export interface PageLinks {
  readonly groups: LinkGroup[];
  /** Links to remember once they are acked. */
  readonly pending: number[];
  /** Distinct links that passed the normaliser, published now or lately. */
  readonly count: number;
  /** Links that plugins do not want, by the plugin that said so first. */
  readonly leftOut: LinksLeftOut;
}

/** By the name of the plugin. */
export type LinksLeftOut = ReadonlyMap<string, Omit<LeftOut, 'plugin'>>;

/** A link as it is to be published; null: not at all. `leftOut` gets those that plugins do not want. Throws HookFailed. */
export function readLink(
  { normalize, hooks }: LinkMaker,
  raw: string,
  from: { readonly depth: number; readonly sourceUrl: string },
  leftOut: Map<string, Omit<LeftOut, 'plugin'>>,
): string | null {
  if (hooks === undefined) return normalize(raw);
  const read = hooks.normalize(raw);
  const url = read === null ? null : normalize(read);
  if (url === null) return null;
  const by = hooks.refuses({ url, ...from });
  if (by === null) return url;
  const { links, urls } = leftOut.get(by) ?? { links: 0, urls: [] };
  const isNamed = urls.length < fetcherLimits.leftOutNamedMax && url.length <= fetcherLimits.leftOutCharsMax;
  leftOut.set(by, { links: links + 1, urls: isNamed ? [...urls, url] : urls });
  return null;
}

/** Attributes of links. `intent`: absent, they are discovered. */
type LinkManner = Pick<LinkGroup, 'depth' | 'hop' | 'front' | 'share'> & Partial<Pick<LinkGroup, 'intent'>>;

/**
 * Groups links by host. `depth`: of the links. `places`: their places on the page, if known. `hop`, `front`, `share`:
 * as in LinkGroup. Links with cash must all arrive.
 */
export function gatherLinks(
  maker: LinkMaker,
  origin: LinkOrigin,
  urls: readonly string[],
  { depth, hop, front, share, intent = 'discover' }: LinkManner,
  places?: ReadonlyMap<string, FoundIn>,
): PageLinks {
  const groups: LinkGroup[] = [];
  /** Links of each group, by place on the page and host key. */
  const made = new Map<FoundIn, Map<string, Link[]>>();
  const pending: number[] = [];
  const leftOut = new Map<string, Omit<LeftOut, 'plugin'>>();
  // For the target of a redirect, hooks are asked when it is fetched.
  const reader = hop === 0 ? maker : { ...maker, hooks: undefined };
  const from = { depth, sourceUrl: origin.url };
  const isSpelt = maker.spellings?.() === true;
  let count = 0;
  for (const raw of urls) {
    const url = readLink(reader, raw, from, leftOut);
    if (url === null) continue;
    count += 1;
    // Redirect targets must be published even if they were published before, or the chain would end here.
    if (hop === 0 && share === 0 && !maker.cache.isNews(origin.source, url, depth, pending)) continue;
    const hostKey = hostKeyOf(url);
    const foundIn = places?.get(raw) ?? 'unknown';
    const spelling = isSpelt ? spellingOf(raw, url) : '';
    const priority = reader.hooks?.priority({ url, ...from }) ?? -1;
    const link: Link = { url, lastModifiedMs: 0, priority, spelling };
    let ofPlace = made.get(foundIn);
    if (ofPlace === undefined) made.set(foundIn, (ofPlace = new Map()));
    const others = ofPlace.get(hostKey);
    if (others !== undefined) {
      others.push(link);
      continue;
    }
    const links = [link];
    ofPlace.set(hostKey, links);
    groups.push({
      hostKey,
      sourceUrl: origin.url,
      sourceKey: origin.sourceKey,
      depth,
      hop,
      front,
      intent,
      discoveredAtMs: origin.atMs,
      share,
      traceparent: origin.traceparent,
      payload: '',
      foundIn,
      tags: origin.tags,
      links,
    });
  }
  return { groups, pending, count, leftOut };
}
