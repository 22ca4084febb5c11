/** The error of commands on a crawl that was created and never started. */
import { CrawlstreamError } from '../../../topology/errors.ts';

export function noPolicy(): CrawlstreamError {
  return new CrawlstreamError(
    'INVALID_ARGUMENT',
    'the crawl has no policy yet: start it with crawlstream crawl, or add seeds with crawlstream inject',
  );
}
