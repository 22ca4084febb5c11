/** The URLs of a crawl without a page, by reason, for the dashboard: those that `pages --failed` lists. */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { placeText } from '../../../hosting/connect/place-text.ts';
import { FailedUrls, type ReadFailures } from '../../../hosting/inspect/failed-urls.ts';
import { readsUntilGone } from '../../../hosting/inspect/stop-if-gone.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import { ownName } from '../../../runtime/own-name.ts';
import { dashboardLimits } from '../limits.ts';
import type { FailuresStatus } from '../status.ts';

type Reason = FailuresStatus['reasons'][number];

/** `signal`: aborted when its caller leaves. Throws INVALID_ARGUMENT if the crawl has too many records for a page. */
export function failureReader(crawl: ReadFailures, flags: Pick<KafkaFlags, 'brokers' | 'data' | 'registry'>) {
  return async (signal?: AbortSignal): Promise<FailuresStatus> => {
    const { failureRecordsMax, failureReasons } = dashboardLimits;
    const place = placeText({ ...flags, crawl: crawl.topics.crawl });
    if ((await recordsOf(crawl)) > failureRecordsMax)
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `this crawl has too many records for a page: ${ownName()} pages --failed ${place} lists its URLs without a page`,
      );
    const all = new FailedUrls({ ...crawl, log: readsUntilGone(crawl.log, signal) }, () => {});
    const reasons = await byReason(all);
    const sorted = reasons.sort((a, b) => b.count - a.count);
    return { reasons: sorted.slice(0, failureReasons), reasonsLeftOut: Math.max(0, sorted.length - failureReasons) };
  };
}

async function recordsOf({ log, topics: { crawl, partitions } }: ReadFailures): Promise<number> {
  let records = 0;
  for (let partition = 0; partition < partitions; partition++)
    for (const topic of ['results', 'frontier-changelog']) {
      const { start, end } = await log.offsets(`${crawl}.${topic}`, partition);
      records += end - start;
    }
  return records;
}

/** With the first URLs of each. */
async function byReason(all: FailedUrls): Promise<Reason[]> {
  const reasons = new Map<
    string,
    { count: number; urls: Reason['urls'][number][]; first: Omit<Reason, 'count' | 'urls'> }
  >();
  for await (const { url, kind, status, detail, place } of all.rows()) {
    const waits = place === 'queued';
    const key = `${waits} ${kind} ${status}`;
    const reason = reasons.get(key) ?? { count: 0, urls: [], first: { kind, status, waits } };
    reasons.set(key, reason);
    reason.count += 1;
    if (reason.urls.length < dashboardLimits.failureUrls)
      reason.urls.push({ url, detail: detail.slice(0, dashboardLimits.failureDetailChars) });
  }
  return [...reasons.values()].map(({ count, urls, first }) => ({ ...first, count, urls }));
}
