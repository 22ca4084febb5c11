/** Links of a fetched page: found in it, in its header fields and meta refresh, and what it is built of. */
import type { TaskUrl } from '../../../schemas/types.ts';
import type { ParsedPage } from '../../../topology/parse/page.ts';
import { gatherLinks, type LinkOrigin, type PageLinks } from '../publish/page-links.ts';
import type { PageReader } from './page-reader.ts';

export function linksOf(reader: PageReader, from: LinkOrigin, item: TaskUrl, parsed: ParsedPage): PageLinks {
  const refreshes = parsed.metaRefresh !== null && !parsed.robots.nofollow;
  const share = item.cash / Math.max(1, parsed.links.length + (refreshes ? 1 : 0));
  const plain = { depth: item.depth + 1, hop: 0, front: false, share };
  const found = gatherLinks(reader.links, from, parsed.links, plain, parsed.places);
  if (parsed.metaRefresh === null || !refreshes) return found;
  const hop = { depth: item.depth, hop: item.hop + 1, front: true, share };
  const refresh = gatherLinks(reader.links, from, [parsed.metaRefresh.url], hop);
  return {
    ...found,
    groups: [...found.groups, ...refresh.groups],
    count: found.count + refresh.count,
  };
}
