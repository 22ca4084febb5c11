/**
 * `crawlstream links`: lists the links that a crawl found; with `--dropped` those that it did not follow, each with the
 * rule. It prints a few for each rule, and counts all.
 */
import type { Command } from 'commander';
import { withCrawl } from '../../hosting/connect/open-crawl.ts';
import { type LinkList, type LinksFlags, listLinks, trimmedNotices } from '../../hosting/inspect/list-links.ts';
import { hostArgument } from '../../hosting/options/url-argument.ts';
import { printNotice } from '../../hosting/progress/restore-text.ts';
import { counted } from '../../runtime/counted.ts';
import { wholeNumber } from '../flags/arguments.ts';
import { addCrawlOptions } from '../flags/kafka-flags.ts';
import { print } from '../terminal/print.ts';
import { inspectLimits } from './inspect-limits.ts';

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
