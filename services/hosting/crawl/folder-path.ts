/** Decides on the data folder of a crawl. */
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';

/** `seeds`: as parseSeed returns them. Throws INVALID_SEED if neither option nor seed names the folder. */
export function folderPath(data: string | undefined, seeds: readonly string[]): string {
  if (data !== undefined) return data;
  const [first] = seeds;
  if (first === undefined) throw noSeed();
  return join('crawl-data', new URL(first).host.replaceAll(/[^A-Za-z0-9.-]/g, '_'));
}

export function noSeed(): CrawlstreamError {
  const remedy = 'add a URL to start from, such as https://example.org/, or the --data folder of a crawl to continue';
  return new CrawlstreamError('INVALID_SEED', `no seed is given: ${remedy}`);
}
