/** A crawl of a fleet on Kafka is run by the fleet alone, which knows when its hosts were contacted. */
import { CrawlstreamError } from '../../../topology/errors.ts';

/** Throws INVALID_ARGUMENT if the name is that of a fleet's crawl, which contains a dot. */
export function refuseOfFleet(crawl: string): void {
  if (!crawl.includes('.')) return;
  const [fleet, name] = crawl.split('.');
  const message = `--crawl ${crawl} is crawl ${name} of fleet ${fleet}, and only the fleet may run it: use the API of the fleet (POST /v1/crawls), or choose another --crawl`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}
