/**
 * The record of a page for the dashboard, with the links that were published with it. A page that is gone everywhere
 * else is gone here, and so are its links and the links to it.
 */
import type { Page } from '../../../../schemas/types.ts';
import type { ExplainedCrawl } from '../../../hosting/inspect/explain-reads.ts';
import { pageTyped } from '../../../hosting/inspect/page-record.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import { base64 } from '../../../runtime/crawl/plain-page.ts';
import type { Log } from '../../../runtime/log/log.ts';
import { dashboardLimits } from '../limits.ts';
import type { RecordStatus } from '../status.ts';
import { linksOfPage } from './page-links.ts';

export interface RecordedCrawl extends ExplainedCrawl {
  readonly log: Pick<Log, 'offsets' | 'offsetAt' | 'reader'>;
}

/** `signal`: aborted when its caller leaves. */
export function recordReader(crawl: RecordedCrawl, flags: Pick<KafkaFlags, 'brokers' | 'data'>) {
  return async (typed: string, signal?: AbortSignal): Promise<RecordStatus> => {
    const stored = await pageTyped(crawl, flags, typed, signal);
    const { url, page, missing } = stored;
    const found = page === null ? noLinks : await linksOfPage(crawl, { ...stored, page }, signal);
    const text = page?.text ?? '';
    return {
      ...{ url, missing, ...found },
      facts: page === null ? [] : factsOf(page),
      text: text.slice(0, dashboardLimits.textChars),
      textChars: text.length,
      screenshot: page === null ? '' : base64(page.screenshot),
    };
  };
}

const noLinks = { links: [], linkCount: 0, areAllLinksRead: true };

function factsOf(page: Page): RecordStatus['facts'] {
  const { bytes, truncated, contentType, charset, noindex, nofollow } = page;
  const robots = [noindex ? 'noindex' : '', nofollow ? 'nofollow' : ''].filter((one) => one !== '').join(', ');
  const facts: RecordStatus['facts'] = [
    ['title', page.title],
    ['status', String(page.status)],
    ['fetched', new Date(page.fetchedAtMs).toISOString()],
    ['type', charset === '' ? contentType : `${contentType}, ${charset}`],
    ['size', `${bytes.toLocaleString('en-US')} bytes${truncated ? ', cut at --max-body' : ''}`],
    ['depth', String(page.depth)],
    ['links', String(page.links)],
    ['description', page.description],
    ['canonical', page.canonical],
    ['language', page.language || page.declaredLanguage],
    ['robots', robots],
    ['rendered', page.rendered ? 'by a browser' : ''],
    ['tags', page.tags.join(', ')],
    ['content hash', page.contentHash],
  ];
  return facts.filter(([, value]) => value !== '');
}
