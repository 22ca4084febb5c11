/**
 * `crawlstream pages`: lists the fetched pages of a crawl, each URL once, from a data folder or Kafka, during the crawl
 * and after.
 *
 * For people it prints a line each; for programs (or with --long, --fields, --json) JSON lines. For a page that a
 * browser rendered, it prints the rendered record. `--failed` lists the URLs without a page, each with the reason;
 * `--url` prints the page of one URL.
 */
import { type Command, Option } from 'commander';
import type { Page } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { type ReadableCrawl, withCrawl } from '../../hosting/connect/open-crawl.ts';
import { placeText } from '../../hosting/connect/place-text.ts';
import { pageTyped } from '../../hosting/inspect/page-record.ts';
import { all, nothing, onePerUrl, pagesOf, takenBackIn } from '../../hosting/inspect/pages-of.ts';
import { printFailures } from '../../hosting/inspect/print-failures.ts';
import type { WriteLine } from '../../hosting/inspect/write-line.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import { printNotice } from '../../hosting/progress/restore-text.ts';
import { plainPage } from '../../runtime/crawl/plain-page.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import { hasUses } from '../../runtime/crawl/taken-back.ts';
import { inShell } from '../../runtime/in-shell.ts';
import { bad } from '../../runtime/option-text.ts';
import { ownName } from '../../runtime/own-name.ts';
import { addKafkaOptions, addSkipDamaged } from '../flags/kafka-flags.ts';
import { addPagerOption, type PagerFlags, paged } from '../terminal/pager.ts';

interface PagesFlags extends KafkaFlags, PagerFlags {
  readonly json?: boolean;
  readonly all?: boolean;
  readonly long?: boolean;
  readonly fields?: readonly PageField[];
  readonly failed?: boolean;
  readonly url?: string;
}

const pageFields = [
  ...(['url', 'hostKey', 'status', 'fetchedAtMs', 'depth', 'contentType', 'charset', 'title', 'description'] as const),
  ...(['text', 'canonical', 'contentHash', 'etag', 'lastModified', 'bytes', 'truncated', 'noindex'] as const),
  ...([
    'nofollow',
    'links',
    'linksDropped',
    'mainText',
    'markdown',
    'language',
    'metadata',
    'fields',
    'outlinks',
  ] as const),
  ...(['rendered', 'tags', 'screenshot'] as const),
] satisfies readonly (keyof Page)[];

type PageField = (typeof pageFields)[number];

export function addPagesCommand(program: Command): void {
  const command = program
    .command('pages')
    .description('print the pages of a crawl, each URL once: a line each on a terminal, JSON lines elsewhere');
  addPagerOption(addSkipDamaged(addKafkaOptions(command, 'data folder of the crawl')))
    .option('--long', 'print whole records as JSON lines, on a terminal too (same as --json)')
    .option('--fields <list>', 'print only these fields, as JSON lines, as in url,title,text', fieldList)
    .option('--failed', 'print URLs without a page, with reasons, instead of pages')
    .addOption(
      new Option('--url <url>', 'print only the newest page of this URL, as in example.org/about').conflicts([
        'failed',
        'all',
      ]),
    )
    .option('--all', 'print every record, including repeats after a crash')
    .option('--json', 'print JSON lines on a terminal too; with --failed, JSON needs this option')
    .action((flags: PagesFlags) =>
      withCrawl(flags, (crawl) =>
        paged(flags, (write) => {
          if (flags.url !== undefined) return printPage(crawl, flags, flags.url, write);
          return flags.failed === true
            ? printFailures(crawl, flags.json === true, write, placeText(flags))
            : printPages(crawl, flags, write);
        }),
      ),
    );
}

function fieldList(value: string): PageField[] {
  return value.split(',').map((name) => {
    const field = pageFields.find((one) => one === name.trim());
    if (field === undefined) throw bad('--fields', value, `use some of ${pageFields.join(',')}`);
    return field;
  });
}

async function printPages(crawl: ReadableCrawl, flags: PagesFlags, write: WriteLine): Promise<void> {
  const { log, codec, topics } = crawl;
  const purges = await readPurges(log, codec, topics);
  const mayBeWithheld = await hasUses(log, codec, topics.crawl);
  for (let partition = 0; partition < topics.partitions; partition++) {
    const takenBack = mayBeWithheld ? await takenBackIn(crawl, partition) : nothing;
    const wanted = flags.all === true ? all : await onePerUrl(crawl, partition, purges);
    for await (const { offset, page } of pagesOf(crawl, partition, printNotice)) {
      if (offset < (takenBack.get(page.url) ?? 0)) continue;
      if (!wanted(offset, page) || purges.refuses(page.url, page.fetchedAtMs)) continue;
      if (!(await write(printed(page, flags)))) return;
    }
  }
}

async function printPage(crawl: ReadableCrawl, flags: PagesFlags, typed: string, write: WriteLine): Promise<void> {
  const { url, page, missing } = await pageTyped(crawl, flags, typed);
  if (page === null) {
    const why = `${ownName()} explain ${inShell(url)} ${placeText(flags)} says why`;
    throw new CrawlstreamError('NO_MATCH', `${url}: ${missing}; ${why}`);
  }
  await write(printed(page, flags));
}

function printed(page: Page, { long, fields, json }: PagesFlags): string {
  const asText = process.stdout.isTTY && !long && fields === undefined && !json;
  return asText ? lineOf(page) : JSON.stringify(picked(page, fields));
}

function picked(page: Page, fields: readonly PageField[] | undefined): object {
  const plain = plainPage(page);
  return fields === undefined ? plain : Object.fromEntries(fields.map((field) => [field, plain[field]]));
}

function lineOf({ fetchedAtMs, depth, url, title, truncated, bytes }: Page): string {
  const width = Math.max(40, process.stdout.columns ?? 80);
  const time = new Date(fetchedAtMs).toISOString().slice(0, 19).replace('T', ' ');
  const cut = truncated ? `  [cut after ${bytes.toLocaleString('en-US')} bytes: --max-body]` : '';
  const line = `${time}  ${String(depth).padStart(2)}  ${url}${cut}  ${title.replaceAll(/\s+/g, ' ')}`;
  // URLs are never cut, so that they can be copied.
  return line.slice(0, Math.max(width - 1, time.length + 6 + url.length + cut.length));
}
