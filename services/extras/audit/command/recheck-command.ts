/**
 * `crawlstream recheck`: evaluates the permitted uses of pages without requests, and lists the files that must be
 * fetched again.
 */

import type { Command } from 'commander';
import type { Use } from '../../../../topology/usage/statement.ts';
import { duration, useList } from '../../../cli/flags/arguments.ts';
import { addCrawlOptions, addSkipDamaged } from '../../../cli/flags/kafka-flags.ts';
import { print } from '../../../cli/terminal/print.ts';
import { type ReadableCrawl, withCrawl } from '../../../hosting/connect/open-crawl.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import { counted } from '../../../runtime/counted.ts';
import { writingLines } from '../../../runtime/lines/line-writer.ts';
import { rows } from '../../../runtime/rows-text.ts';
import { type RecheckedPage, recheck } from '../recheck.ts';

interface RecheckFlags extends KafkaFlags {
  readonly uses: Use[];
  readonly robotsAge: number;
  readonly pageAge: number;
  readonly list?: string;
  readonly json?: boolean;
}

const dayMs = 86_400_000;
/** RFC 9309 §2.4: a copy should not be used for longer. */
const robotsAgeMs = dayMs;
/** Time for which this command relies on a page's statements, which are valid until it is fetched again. */
const pageAgeMs = 30 * dayMs;
const mostMs = 3_650 * dayMs;

export function addRecheckCommand(program: Command): void {
  addSkipDamaged(addCrawlOptions(program.command('recheck')))
    .description('report which uses of its pages each site permits, from stored data; sends no requests')
    .requiredOption('--uses <list>', 'uses to check, as in ai-train,search', useList('--uses'))
    .option(
      '--robots-age <duration>',
      'list robots.txt files read longer ago than this, to be refetched',
      duration('--robots-age', { mostMs }),
      robotsAgeMs,
    )
    .option(
      '--page-age <duration>',
      'list pages fetched longer ago than this, to be refetched',
      duration('--page-age', { mostMs }),
      pageAgeMs,
    )
    .option('--list <file>', 'write one JSON line per page: permitted uses, withdrawn uses, what to refetch')
    .option('--json', 'print one JSON object')
    .action((flags: RecheckFlags) => withCrawl(flags, (crawl) => goThrough(crawl, flags)));
}

/** Most pages printed of each kind; the list has all of them. */
const shownMax = 20;

async function goThrough({ log, codec, topics }: ReadableCrawl, flags: RecheckFlags): Promise<void> {
  const { uses, list } = flags;
  const { crawl, partitions } = topics;
  const withdrawn: RecheckedPage[] = [];
  const pagesToAsk: string[] = [];
  let pagesExpired = 0;
  const { robotsToAsk, ...counts } = await writingLines(list, (file) =>
    recheck(
      { log, codec, crawl, partitions },
      {
        ...{ uses, nowMs: Date.now(), robotsAgeMs: flags.robotsAge, pageAgeMs: flags.pageAge },
        async onPage(page) {
          if (page.withdrawn.length > 0 && withdrawn.length < shownMax) withdrawn.push(page);
          if (page.askAgain.includes('page')) {
            pagesExpired += 1;
            if (pagesToAsk.length < shownMax) pagesToAsk.push(page.url);
          }
          file?.write(lineOf(page));
          await file?.flush();
        },
      },
    ),
  );
  const robots = [...robotsToAsk].map(([origin, atMs]) => ({ origin, atMs }));
  const text = [
    ...withdrawn.map(
      (page) => `withdrawn  ${page.url}\n  ${page.withdrawn.map((use) => whyOf(page, use)).join('\n  ')}`,
    ),
    ...robots.slice(0, shownMax).map(({ origin, atMs }) => `refetch  ${origin}/robots.txt  ${readAt(atMs)}`),
    ...pagesToAsk.map((url) => `refetch  ${url}`),
    rows([
      ['pages', counts.pages],
      ...uses.map((use): [string, string] => {
        const { allow, deny, unknown } = counts.byUse[use]!;
        return [use, `${allow} allowed, ${deny} barred, ${unknown} without a stated preference`];
      }),
      ['withdrawn', counts.withdrawn],
      ['to refetch', `${robots.length} robots.txt, ${counted(pagesExpired, 'page')}`],
      ['unreadable', counts.unreadable === 0 ? null : `${counted(counts.unreadable, 'record')}`],
      ['list', list ?? null],
    ]),
  ].join('\n');
  const output = {
    ...counts,
    pagesToAsk: pagesExpired,
    robotsToAsk: robots.map(({ origin }) => `${origin}/robots.txt`),
  };
  print({ json: output, text }, flags.json);
}

function whyOf({ uses }: RecheckedPage, use: string): string {
  return `${use} is disallowed by ${uses[use]!.by}`;
}

function readAt(atMs: number): string {
  return atMs === 0 ? 'no copy is stored' : `read ${new Date(atMs).toISOString()}`;
}

function lineOf({ fetchedAtMs, ...page }: RecheckedPage): string {
  return JSON.stringify({ ...page, fetchedAt: new Date(fetchedAtMs).toISOString() });
}
