/** Number of fetchers of a crawl on Kafka: the members of their group. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Log } from '../log/log.ts';

/** null: the group is rebalancing. */
export async function fetchersOf(log: Pick<Log, 'membersOf'>, crawl: string): Promise<number | null> {
  try {
    return (await log.membersOf(`${crawl}.fetcher`)).length;
  } catch (error) {
    if (error instanceof CrawlstreamError && error.retriable) return null;
    throw error;
  }
}

/** The message for a crawl without fetchers. */
export const noFetcher = 'no fetcher: start one; until then no URLs are leased, and nothing is lost';
