/**
 * The newest record of one URL on `pages`. Purges and tombstones count: a page that is gone everywhere else is gone
 * here.
 */
import type { Page } from '../../../schemas/types.ts';
import { invalid } from '../../../topology/errors.ts';
import type { Policy } from '../../../topology/policy/policy.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { readRecord } from '../../runtime/avro/read-record.ts';
import { forgottenOf } from '../../runtime/consumer/forgotten.ts';
import { type Purges, readPurges } from '../../runtime/crawl/purges.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import type { ExplainedCrawl } from './explain-reads.ts';
import { policyOfCrawl } from './policy-of-crawl.ts';
import { stopIfGone } from './stop-if-gone.ts';
import { byEitherScheme } from './typed-scheme.ts';

const noPage = 'no page of this URL is stored';

type CrawlPlace = Pick<KafkaFlags, 'brokers' | 'data'>;

export interface StoredPage {
  /** Normal. */
  readonly url: string;
  readonly policy: Policy;
  readonly page: Page | null;
  /** The reason why there is none, in words; empty: there is one. */
  readonly missing: string;
  /** Time at which the record was appended. */
  readonly appendedAtMs: number;
  readonly purges: Purges;
}

/** `typed`: by a person, with a scheme or without. Throws INVALID_ARGUMENT for what is no URL. */
export async function pageTyped(
  crawl: ExplainedCrawl,
  flags: CrawlPlace,
  typed: string,
  signal?: AbortSignal,
): Promise<StoredPage> {
  const { policy } = await policyOfCrawl(crawl, flags);
  const purges = await readPurges(crawl.log, crawl.codec, crawl.topics);
  return byEitherScheme(
    typed,
    async (given) => {
      const url = policy.normalize(given);
      if (url === null) throw invalid(`${given} cannot be crawled: crawlstream check url shows why`);
      return { url, policy, purges, ...(await newestPage(crawl, url, purges, signal)) };
    },
    // A page that was purged or taken back is known, too.
    ({ missing }) => missing !== noPage,
  );
}

async function newestPage(
  { log, codec, topics }: ExplainedCrawl,
  url: string,
  purges: Purges,
  signal?: AbortSignal,
): Promise<Pick<StoredPage, 'page' | 'missing' | 'appendedAtMs'>> {
  const topic = `${topics.crawl}.pages`;
  const partition = partitionOf(partitionKeyOf(hostKeyOf(url), topics.keyMode), topics.partitions);
  const { start, end } = await log.offsets(topic, partition);
  const spelt = Buffer.from(url);
  let newest: Page | null = null;
  let missing = noPage;
  let appendedAtMs = 0;
  for await (const record of recordsOf(log, topic, partition, start, end)) {
    stopIfGone(signal);
    if (forgottenOf(record)?.url === url) [newest, missing] = [null, 'the page of this URL was taken back'];
    // A record that does not contain the URL is not decoded.
    if (!record.value.includes(spelt)) continue;
    const page = await readRecord(codec, 'pages', record.value);
    if (page?.url !== url) continue;
    if (purges.refuses(url, page.fetchedAtMs)) missing = 'an operator purged the page of this URL';
    else [newest, appendedAtMs] = [page, record.timestampMs];
  }
  return { page: newest, missing: newest === null ? missing : '', appendedAtMs };
}
