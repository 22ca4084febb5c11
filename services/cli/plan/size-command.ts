/** `crawlstream size`: what a crawl of some size needs. */
import type { Command } from 'commander';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { bad, duration, wholeNumber } from '../flags/arguments.ts';
import { print } from '../terminal/print.ts';
import { type SizeWish, sizeOf, wishDefaults } from './size-model.ts';
import { sizeText } from './size-text.ts';

interface SizeFlags {
  readonly urls: number;
  readonly hosts: number;
  readonly rate: number;
  readonly delay: number;
  readonly fetch: number;
  readonly links: number;
  readonly replication: number;
  readonly keepDays: number;
  readonly json?: boolean;
}

export function addSizeCommand(program: Command): void {
  const { fetchMs, linksPerPage, replication, pagesKeptDays } = wishDefaults;
  program
    .command('size')
    .description('what a crawl needs: cores, memory, disk, partitions, brokers; a model of measurements')
    .requiredOption('--urls <n>', 'URLs to be fetched in all, as in 100M or 10B', amount('--urls', 1))
    .requiredOption('--hosts <n>', 'hosts they are on, as in 1M', amount('--hosts', 1))
    .requiredOption('--rate <n>', 'pages a second', amount('--rate', 0))
    .requiredOption(
      '--delay <duration>',
      'between requests to a host, as in 2s; a number alone is ms',
      duration('--delay', { bare: 'ms', mostMs: crawlLimits.delayMsMax }),
    )
    .option(
      '--fetch <duration>',
      'what a request takes, as in 1s; a number alone is ms',
      duration('--fetch', { bare: 'ms', mostMs: 600_000 }),
      fetchMs,
    )
    .option('--links <n>', 'links of a page that reach the frontier', amount('--links', 0), linksPerPage)
    .option(
      '--replication <n>',
      'copies of each partition on the brokers',
      wholeNumber('--replication', 1),
      replication,
    )
    .option('--keep-days <n>', 'how long the topic of pages is kept', wholeNumber('--keep-days', 1), pagesKeptDays)
    .option('--json', 'as one line of JSON: bytes, ms, and seconds')
    .action((flags: SizeFlags) => {
      const wish: SizeWish = {
        urls: Math.round(flags.urls),
        hosts: Math.round(flags.hosts),
        rate: flags.rate,
        delayMs: flags.delay,
        fetchMs: flags.fetch,
        linksPerPage: flags.links,
        replication: flags.replication,
        pagesKeptDays: flags.keepDays,
      };
      const sizing = sizeOf(wish);
      print({ json: { wish, ...sizing }, text: sizeText(wish, sizing) }, flags.json);
    });
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9, B: 1e9, T: 1e12 };

/** Above `least`, or equal to it where that is above 0. */
function amount(option: string, least: number): (value: string) => number {
  return (value) => {
    const [, digits, unit] = /^(\d+(?:\.\d+)?)([kKMGBT]?)$/.exec(value.replaceAll(/[,_]/g, '')) ?? [];
    const number = Number(digits) * (units[unit ?? ''] ?? Number.NaN);
    if (!(number >= least && number > 0 && number <= 1e15))
      throw bad(option, value, 'give a number above 0, as in 20, 1.5k, 100M, 10B or 1T');
    return number;
  };
}
