/**
 * `crawlstream links`: lists the links that a crawl found; with `--dropped` those that it did not follow, each with the
 * rule. It prints a few for each rule, and counts all.
 */
import type { Command } from 'commander';
import { compilePolicy, type Policy } from '../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { counted } from '../../runtime/counted.ts';
import { readControl } from '../../runtime/crawl/control-log.ts';
import { type DroppedLink, droppedLinks, followedLinks } from '../../runtime/crawl/dropped-links.ts';
import { type ReadableCrawl, withCrawl } from '../connect/open-crawl.ts';
import { listsOfCrawl } from '../connect/policy-lists.ts';
import { wholeNumber } from '../flags/arguments.ts';
import { addCrawlOptions, type KafkaFlags } from '../flags/kafka-flags.ts';
import { hostArgument } from '../flags/url-argument.ts';
import { print } from '../terminal/print.ts';
import { printNotice } from '../terminal/restore-text.ts';
import { inspectLimits } from './inspect-limits.ts';
import { noPolicy } from './no-policy.ts';

interface LinksFlags extends KafkaFlags {
  readonly dropped?: boolean;
  readonly host?: string;
  readonly rule?: string;
  readonly limit: number;
  readonly json?: boolean;
}

interface Listed extends Omit<DroppedLink, 'sourceUrl' | 'atMs'> {
  readonly from: string;
}

interface LinkList {
  /** Rule → how many links it refused, each find of a link counted. */
  readonly rules: Readonly<Record<string, number>>;
  readonly links: readonly Listed[];
}

export function addLinksCommand(program: Command): void {
  addCrawlOptions(program.command('links'))
    .description('list links that the crawl found; with --dropped, those it did not follow, and why')
    .option('--dropped', 'only links that were not followed: by filter, scope, depth, trap or plugin')
    .option('--host <host>', 'only links to this host', hostArgument)
    .option('--rule <name>', 'only links that this rule dropped, as in scope, exclude, depth, trap, plugin')
    .option(
      '--limit <n>',
      'most different URLs to list for each rule',
      wholeNumber('--limit', 0, inspectLimits.linksMax),
      inspectLimits.links,
    )
    .option('--json', 'print one JSON object')
    .action((flags: LinksFlags) =>
      withCrawl(flags, async (crawl) => {
        const list = await listLinks(crawl, flags);
        for (const notice of await trimmedNotices(crawl, flags)) printNotice(notice);
        print({ json: list, text: linksText(list, flags) }, flags.json);
      }),
    );
}

export async function listLinks(crawl: ReadableCrawl, flags: LinksFlags): Promise<LinkList> {
  const { host = '', rule: only, limit, dropped } = flags;
  const source = { ...crawl, policy: await policyOfCrawl(crawl, flags) };
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

async function policyOfCrawl({ log, codec, topics }: ReadableCrawl, flags: LinksFlags): Promise<Policy> {
  const { policy } = await readControl(log, codec, topics.crawl);
  if (policy === null) throw noPolicy();
  const config = parsePolicy(policy.json);
  return compilePolicy(config, await listsOfCrawl(config, flags));
}

function linksText({ rules, links }: LinkList, { dropped, rule }: LinksFlags): string {
  const counts = Object.entries(rules);
  if (counts.length === 0) {
    const which = rule === undefined ? '' : ` by the rule ${rule}`;
    return dropped === true || rule !== undefined ? `no link was dropped${which}` : 'no link was found';
  }
  const lines = links.map(({ rule: by, detail, url, from }) => {
    const why = by === detail || detail === '' ? by : `${by}: ${detail}`;
    return `${why}  ${url}${from === '' ? '' : `  from ${from}`}`;
  });
  const sums = counts.map(([name, count]) => `${name} ${count.toLocaleString('en-US')}`).join(', ');
  return [...lines, `${counted(links.length, 'URL')} shown; links found, by rule: ${sums}`].join('\n');
}
