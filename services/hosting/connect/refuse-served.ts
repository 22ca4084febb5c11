/** Refuses what cannot be done with a crawl that is served to clients of the pull API. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';

/** Throws INVALID_ARGUMENT for a served crawl. `why`: the reason, and what to do instead. */
export function refuseServed({ sink, crawl }: Manifest, what: string, why: string): void {
  if (sink === 'pull')
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `${what}: crawl "${crawl}" is served to clients (crawlstream urlfrontier); ${why}`,
    );
}
