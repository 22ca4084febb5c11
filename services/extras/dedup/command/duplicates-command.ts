/** `crawlstream duplicates`: clusters of duplicate pages that the dedup found, with the page that represents each. */
import type { Command } from 'commander';
import { contentLimits } from '../../../../topology/content/content-limits.ts';
import { wholeNumber } from '../../../cli/flags/arguments.ts';
import { addCrawlOptions, addSkipDamaged } from '../../../cli/flags/kafka-flags.ts';
import { print } from '../../../cli/terminal/print.ts';
import { withCrawl } from '../../../hosting/connect/open-crawl.ts';
import { placeText } from '../../../hosting/connect/place-text.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import { hostArgument } from '../../../hosting/options/url-argument.ts';
import { counted } from '../../../runtime/counted.ts';
import { duplicatePagesText } from '../../../runtime/crawl/duplicate-counts.ts';
import { ownName } from '../../../runtime/own-name.ts';
import { type DuplicateList, listDuplicates, sizeOf } from './list-duplicates.ts';

interface DuplicatesFlags extends KafkaFlags {
  readonly host?: string;
  readonly limit: number;
  readonly json?: boolean;
}

export function addDuplicatesCommand(program: Command): void {
  addSkipDamaged(addCrawlOptions(program.command('duplicates')))
    .description('list clusters of duplicate pages, largest first: exact, near, or syndicated on other domains')
    .option('--host <host>', 'only clusters with a page on this host', hostArgument)
    .option(
      '--limit <n>',
      'most clusters to list',
      wholeNumber('--limit', 0, contentLimits.clustersMax),
      contentLimits.clusters,
    )
    .option('--json', 'print one JSON object')
    .action((flags: DuplicatesFlags) =>
      withCrawl(flags, async (crawl) => {
        const { host: hostKey = '', limit } = flags;
        const list = await listDuplicates(crawl, { hostKey, limit });
        print(
          { json: list, text: listText(list, flags, placeText({ ...flags, crawl: crawl.topics.crawl })) },
          flags.json,
        );
      }),
    );
}

function listText(list: DuplicateList, { host }: DuplicatesFlags, place: string): string {
  const { clusters, duplicates, listed, similarHost, unreadable, isDeduped } = list;
  if (!isDeduped) return `no verdicts: crawl with --with dedup, or run ${ownName()} dedup ${place}`;
  const where = host === undefined ? '' : ` of ${host}`;
  if (clusters === 0)
    return `no page${where} is a duplicate${similarHost === null ? '' : `; did you mean --host ${similarHost}?`}`;
  const lines = listed.flatMap(({ representative, counts, pages }) => {
    const rest = sizeOf(counts) - pages.length;
    return [
      `${representative}  ${counted(sizeOf(counts), 'duplicate')}`,
      ...pages.map(({ url, kind }) => `  ${kind.padEnd(10)}  ${url}`),
      ...(rest === 0 ? [] : [`  … and ${rest.toLocaleString('en-US')} more: ${ownName()} export duplicates ${place}`]),
    ];
  });
  const sums = `${counted(clusters, 'cluster')}${where}, ${listed.length} listed; ${duplicatePagesText(duplicates)}`;
  return [...lines, sums, ...(unreadable === 0 ? [] : [`${unreadable} unreadable records skipped`])].join('\n');
}
