/** Why a crawl requests no URL now, whichever host the URL has. */
import { pagesFetched, sumCounters } from '../../../topology/frontier/changes/counters.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { counted } from '../../runtime/counted.ts';
import { lookAt } from '../../runtime/crawl/look.ts';
import type { CrawlTopics } from '../../runtime/crawl/requests.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { ReadableCrawl } from '../connect/open-crawl.ts';
import { idleOf } from './idle-folder.ts';

export interface CrawlObstacle {
  /** For a cell of a table. */
  readonly short: string;
  readonly text: string;
  /** The crawl's policy holds it, so no host's pace matters. Otherwise only a process is missing. */
  readonly byPolicy: boolean;
}

/** The crawl; `folder` and `brokersLog` absent: whether a process runs it is not asked. */
export interface ObstructedCrawl extends Partial<Pick<ReadableCrawl, 'folder' | 'brokersLog'>> {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly topics: Pick<CrawlTopics, 'crawl' | 'partitions'>;
}

/** null: there is none. `data`: the folder, as it was typed. */
export async function crawlObstacle(
  { log, topics: { crawl, partitions }, folder = null, brokersLog = null }: ObstructedCrawl,
  { pageQuota, paused }: Pick<PolicyConfig, 'pageQuota' | 'paused'>,
  data: string | undefined,
  nowMs: number,
): Promise<CrawlObstacle | null> {
  if (paused === true) return { short: 'paused', text: 'the crawl is paused', byPolicy: true };
  if (pageQuota !== null) {
    const look = await lookAt(log, crawl, partitions, pageQuota);
    const pages = pagesFetched(sumCounters(look.partitions.map(({ counters }) => counters)));
    const most = counted(pageQuota, 'page', pageQuota.toLocaleString('en-US'));
    if (pages >= pageQuota)
      return { short: 'page quota spent', text: `the crawl has its ${most} (--max-pages)`, byPolicy: true };
  }
  const idle = await idleOf({ folder, brokersLog }, data, nowMs);
  return idle === null ? null : { short: 'not running', text: 'no process runs the crawl', byPolicy: false };
}
