/** The search of an index in a data folder, for dashboards. */
import type { CrawlPart } from '../../application/extension/crawl-part.ts';
import { hasIndex, searchFolder } from './sqlite-index.ts';

export const searchPart: CrawlPart = {
  search(part) {
    const folder = part('index');
    return hasIndex(folder) ? async (words, limit) => searchFolder(folder, words, { limit }) : null;
  },
};
