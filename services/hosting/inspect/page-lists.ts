/** Lists of a crawl's pages, as extras offer them to its dashboard: a search, and clusters of duplicates. */
import type { CrawlPart, NamedCrawl, ReadCrawl } from '../../application/extension/crawl-part.ts';
import type { ViewedCrawl } from '../../dashboard/crawl-view.ts';

/** `part`: path in the data folder of this process; null: it has none. */
export function pageLists(
  parts: readonly CrawlPart[],
  crawl: ReadCrawl,
  part: NamedCrawl['part'] | null,
): Pick<ViewedCrawl, 'search' | 'duplicates'> {
  const search = parts.find((one) => one.search !== undefined)?.search;
  const duplicates = parts.find((one) => one.duplicates !== undefined)?.duplicates;
  return {
    search: () => (part === null ? null : (search?.(part) ?? null)),
    duplicates: duplicates === undefined ? null : (limit) => duplicates(crawl, limit),
  };
}
