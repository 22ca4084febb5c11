/**
 * The newest record of one URL on `pages`, and the links that were published from its page. Purges and tombstones count:
 * a page that is gone everywhere else is gone here.
 */
import type { Page } from '../../../schemas/types.ts';
import { invalid } from '../../../topology/errors.ts';
import type { Policy } from '../../../topology/policy/policy.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { dashboardLimits } from '../../dashboard/limits.ts';
import type { RecordStatus } from '../../dashboard/status.ts';
import { readRecord } from '../../runtime/avro/read-record.ts';
import { forgottenOf } from '../../runtime/consumer/forgotten.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import type { ExplainedCrawl } from './explain-reads.ts';
import { policyOfCrawl } from './policy-of-crawl.ts';
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
}

/** `typed`: by a person, with a scheme or without. Throws INVALID_ARGUMENT for what is no URL. */
export async function pageTyped(crawl: ExplainedCrawl, flags: CrawlPlace, typed: string): Promise<StoredPage> {
  const { policy } = await policyOfCrawl(crawl, flags);
  return byEitherScheme(
    typed,
    async (given) => {
      const url = policy.normalize(given);
      if (url === null) throw invalid(`${given} cannot be crawled: crawlstream check url shows why`);
      return { url, policy, ...(await newestPage(crawl, url)) };
    },
    // A page that was purged or taken back is known, too.
    ({ missing }) => missing !== noPage,
  );
}

/** For the dashboard. */
export function recordReader(crawl: ExplainedCrawl, flags: CrawlPlace) {
  return async (typed: string): Promise<RecordStatus> => {
    const { url, policy, page, missing } = await pageTyped(crawl, flags, typed);
    const { links, linkCount } = await linksFrom(crawl, policy, url);
    const text = page?.text ?? '';
    return {
      ...{ url, missing, links, linkCount },
      facts: page === null ? [] : factsOf(page),
      text: text.slice(0, dashboardLimits.textChars),
      textChars: text.length,
    };
  };
}

async function newestPage(
  { log, codec, topics }: ExplainedCrawl,
  url: string,
): Promise<Pick<StoredPage, 'page' | 'missing'>> {
  const purges = await readPurges(log, codec, topics);
  const topic = `${topics.crawl}.pages`;
  const partition = partitionOf(partitionKeyOf(hostKeyOf(url), topics.keyMode), topics.partitions);
  const { start, end } = await log.offsets(topic, partition);
  const spelt = Buffer.from(url);
  let newest: Page | null = null;
  let missing = noPage;
  for await (const record of recordsOf(log, topic, partition, start, end)) {
    if (forgottenOf(record)?.url === url) [newest, missing] = [null, 'the page of this URL was taken back'];
    // A record that does not contain the URL is not decoded.
    if (!record.value.includes(spelt)) continue;
    const page = await readRecord(codec, 'pages', record.value);
    if (page?.url !== url) continue;
    if (purges.refuses(url, page.fetchedAtMs)) missing = 'an operator purged the page of this URL';
    else newest = page;
  }
  return { page: newest, missing: newest === null ? missing : '' };
}

/** Links that fetchers had published from other pages shortly before are not among them. */
async function linksFrom({ log, codec, topics }: ExplainedCrawl, policy: Policy, sourceUrl: string) {
  const verdicts = new Map<string, string>();
  const spelt = Buffer.from(sourceUrl);
  for (let partition = 0; partition < topics.partitions; partition++) {
    const topic = `${topics.crawl}.discovered`;
    const { start, end } = await log.offsets(topic, partition);
    for await (const { value } of recordsOf(log, topic, partition, start, end)) {
      if (!value.includes(spelt)) continue;
      const message = await readRecord(codec, 'discovered', value);
      for (const { links, hostKey: _, discoveredAtMs: __, ...facts } of message?.groups ?? []) {
        if (facts.sourceUrl !== sourceUrl) continue;
        for (const { url, lastModifiedMs } of links) {
          const verdict = policy.admit(url, facts.depth, facts.hop, { ...facts, lastModifiedMs });
          verdicts.set(url, verdict.ok ? 'followed' : `refused by ${verdict.rule}: ${verdict.detail}`);
        }
      }
    }
  }
  const links = [...verdicts].slice(0, dashboardLimits.linksShownMax).map(([url, verdict]) => ({ url, verdict }));
  return { links, linkCount: verdicts.size };
}

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
