/** Lists links that a crawl found, and those that it did not follow, each with the rule. */
import { type DroppedLink, droppedLinks, followedLinks } from '../../runtime/crawl/dropped-links.ts';
import type { ReadableCrawl } from '../connect/open-crawl.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import { policyOfCrawl } from './policy-of-crawl.ts';

export interface LinksFlags extends KafkaFlags {
  readonly dropped?: boolean;
  readonly host?: string;
  readonly rule?: string;
  readonly limit: number;
  readonly json?: boolean;
}

interface Listed extends Omit<DroppedLink, 'sourceUrl' | 'atMs'> {
  readonly from: string;
}

export interface LinkList {
  /** Rule → number of links that it refused; each occurrence of a link counts. */
  readonly rules: Readonly<Record<string, number>>;
  readonly links: readonly Listed[];
}

export async function listLinks(crawl: ReadableCrawl, flags: LinksFlags): Promise<LinkList> {
  const { host = '', rule: only, limit, dropped } = flags;
  const source = { ...crawl, policy: (await policyOfCrawl(crawl, flags)).policy };
  const rules = new Map<string, number>();
  const listed = new Map<string, Map<string, Listed>>();
  const take = ({ url, rule, detail, sourceUrl }: DroppedLink) => {
    if (only !== undefined && rule !== only) return;
    rules.set(rule, (rules.get(rule) ?? 0) + 1);
    let urls = listed.get(rule);
    if (urls === undefined) listed.set(rule, (urls = new Map()));
    if (urls.size < limit && !urls.has(url)) urls.set(url, { url, rule, detail, from: sourceUrl });
  };
  for await (const link of droppedLinks(source, host)) take(link);
  if (dropped !== true) for await (const link of followedLinks(source, host)) take(link);
  return {
    rules: Object.fromEntries([...rules].sort(([, a], [, b]) => b - a)),
    links: [...listed.values()].flatMap((urls) => [...urls.values()]),
  };
}

/** Notices for records that retention has removed; `pages --failed` prints the same for failures. */
export async function trimmedNotices(
  { log, topics }: Pick<ReadableCrawl, 'log' | 'topics'>,
  { dropped }: Pick<LinksFlags, 'dropped'>,
): Promise<readonly string[]> {
  const links = dropped === true ? 'dropped links' : 'links';
  const missing = {
    discovered: `older ${links} are missing`,
    'frontier-changelog': 'older URLs in traps are missing',
    results: 'older links that plugins left out are missing',
  };
  const notices: string[] = [];
  for (const [name, what] of Object.entries(missing))
    for (let partition = 0; partition < topics.partitions; partition++) {
      const topic = `${topics.crawl}.${name}`;
      const { start } = await log.offsets(topic, partition);
      if (start > 0) notices.push(`${topic}/${partition}: records before offset ${start} were trimmed, so ${what}`);
    }
  return notices;
}
