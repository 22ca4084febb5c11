/** Offers of the extras of this program. */
import { installed } from '../extras/installed.ts';
import type { CrawlFacts } from './extension/crawl-facts.ts';
import type { CrawlPart } from './extension/crawl-part.ts';
import { crawlPartsOf } from './extension/offers.ts';

/** Parts of a process with a frontier. */
export function installedParts(): Promise<CrawlPart[]> {
  return crawlPartsOf(installed);
}

export function installedFacts(): Promise<CrawlFacts[]> {
  return Promise.all(installed.flatMap(({ facts }) => (facts === undefined ? [] : [facts()])));
}
