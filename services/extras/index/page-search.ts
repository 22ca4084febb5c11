/** The search of an index in a data folder, for dashboards. */
import type { CrawlPart } from '../../application/extension/crawl-part.ts';
import { searchBeside } from './search-beside.ts';
import { hasIndex } from './sqlite-index.ts';

export const searchPart: CrawlPart = {
  search(part) {
    const folder = part('index');
    return hasIndex(folder) ? (words, limit, signal) => searchBeside({ folder, words, limit }, signal) : null;
  },
};
