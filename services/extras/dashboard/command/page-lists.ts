/** Lists of a crawl's pages, as extras offer them to its dashboard: a search, clusters of duplicates, and links of hosts. */
import type {
  CrawlPart,
  DuplicateClusters,
  HostLinks,
  NamedCrawl,
  PageSearch,
  ReadCrawl,
} from '../../../application/extension/crawl-part.ts';

export interface PageLists {
  search(): PageSearch | null;
  hostLinks(): HostLinks | null;
  readonly duplicates: ((limit: number, signal?: AbortSignal) => Promise<DuplicateClusters>) | null;
}

/** `part`: path in the data folder of this process; null: it has none. */
export function pageLists(parts: readonly CrawlPart[], crawl: ReadCrawl, part: NamedCrawl['part'] | null): PageLists {
  const search = parts.find((one) => one.search !== undefined)?.search;
  const hostLinks = parts.find((one) => one.hostLinks !== undefined)?.hostLinks;
  const duplicates = parts.find((one) => one.duplicates !== undefined)?.duplicates;
  return {
    search: () => (part === null ? null : (search?.(part) ?? null)),
    hostLinks: () => (part === null ? null : (hostLinks?.(crawl, part) ?? null)),
    duplicates: duplicates === undefined ? null : (limit, signal) => duplicates(crawl, limit, signal),
  };
}
