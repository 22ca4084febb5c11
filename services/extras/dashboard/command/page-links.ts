/**
 * The links that were published with one page. A fetcher appends both at the same time, the links in the partitions of
 * their hosts: so of `discovered`, only what was appended about then is read, and at most `linkReadBytes` of it.
 */
import type { Page } from '../../../../schemas/types.ts';
import type { StoredPage } from '../../../hosting/inspect/page-record.ts';
import { stopIfGone } from '../../../hosting/inspect/stop-if-gone.ts';
import { readRecord } from '../../../runtime/avro/read-record.ts';
import { recordsOf } from '../../../runtime/log/records-of.ts';
import { dashboardLimits } from '../limits.ts';
import type { RecordStatus } from '../status.ts';
import type { RecordedCrawl } from './record-reader.ts';

interface PageWithLinks extends Omit<StoredPage, 'missing'> {
  readonly page: Page;
}

/** Links that fetchers had published from other pages shortly before are not among them, nor links to purged pages. */
export async function linksOfPage(
  { log, codec, topics }: RecordedCrawl,
  { url: sourceUrl, policy, purges, page, appendedAtMs }: PageWithLinks,
  signal?: AbortSignal,
): Promise<Pick<RecordStatus, 'links' | 'linkCount' | 'areAllLinksRead'>> {
  const verdicts = new Map<string, string>();
  const spelt = Buffer.from(sourceUrl);
  const { linkReadBytes, linksShownMax, linksApartMs } = dashboardLimits;
  const topic = `${topics.crawl}.discovered`;
  let bytes = 0;
  for (let partition = 0; partition < topics.partitions && bytes < linkReadBytes; partition++) {
    const [{ start }, from, to] = await Promise.all([
      log.offsets(topic, partition),
      log.offsetAt(topic, partition, appendedAtMs - linksApartMs),
      log.offsetAt(topic, partition, appendedAtMs + linksApartMs),
    ]);
    for await (const { value } of recordsOf(log, topic, partition, Math.max(start, from), to)) {
      stopIfGone(signal);
      bytes += value.length;
      if (bytes >= linkReadBytes) break;
      if (!value.includes(spelt)) continue;
      const message = await readRecord(codec, 'discovered', value);
      for (const { links, hostKey: _, discoveredAtMs: __, ...facts } of message?.groups ?? []) {
        if (facts.sourceUrl !== sourceUrl) continue;
        for (const { url, lastModifiedMs } of links) {
          if (purges.refuses(url, page.fetchedAtMs)) continue;
          const verdict = policy.admit(url, facts.depth, facts.hop, { ...facts, lastModifiedMs });
          verdicts.set(url, verdict.ok ? 'admitted' : `refused by ${verdict.rule}: ${verdict.detail}`);
        }
      }
    }
  }
  const links = [...verdicts].slice(0, linksShownMax).map(([url, verdict]) => ({ url, verdict }));
  return { links, linkCount: verdicts.size, areAllLinksRead: bytes < linkReadBytes };
}
