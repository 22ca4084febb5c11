/** The name of a crawl for people: a crawl without a name of an operator is called by the host of its first seed. */
import type { CrawlStatus } from '../status.ts';

/** The name of a crawl that nobody named. */
const unnamed = 'crawl';

export function crawlName({ crawl, about }: Pick<CrawlStatus, 'crawl' | 'about'>): string {
  const [first] = about?.seeds ?? [];
  if (crawl !== unnamed || first === undefined || !URL.canParse(first)) return crawl;
  const { host } = new URL(first);
  return host === '' ? crawl : host;
}
