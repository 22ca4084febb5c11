/** The parts of extras in processes with a frontier. */
import { installed } from '../extras/installed.ts';
import type { CrawlPart } from './extension/crawl-part.ts';
import { crawlPartsOf } from './extension/offers.ts';

export function installedParts(): Promise<CrawlPart[]> {
  return crawlPartsOf(installed);
}
