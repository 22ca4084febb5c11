/** `crawlstream size`: estimates the machines and costs of a crawl. */
import type { Command } from 'commander';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { busyShare } from '../../planning/coefficients.ts';
import { costsOf, defaultPrices, type PriceName, prices } from '../../planning/size-costs.ts';
import { type SizeInput, sizeDefaults, sizeOf } from '../../planning/size-model.ts';
import { bad } from '../../runtime/option-text.ts';
import { duration, wholeNumber } from '../flags/arguments.ts';
import { print } from '../terminal/print.ts';
import { sizeText } from './size-text.ts';

interface SizeFlags {
  readonly urls: number;
  readonly hosts: number;
  readonly rate: number;
  readonly delay: number;
  readonly fetch: number;
  readonly links: number;
  readonly replication: number;
  readonly keepDays?: number;
  readonly price: readonly PriceGiven[];
  readonly json?: boolean;
}

export function addSizeCommand(program: Command): void {
  const { fetchMs, linksPerPage, replication } = sizeDefaults;
  program
    .command('size')
    .description('estimate cores, memory, disk, partitions and brokers of a crawl, from measurements')
    .requiredOption('--urls <n>', 'URLs to be fetched in all, as in 100M or 10B', amount('--urls', 1))
    .requiredOption('--hosts <n>', 'hosts of these URLs, as in 1M', amount('--hosts', 1))
    .requiredOption('--rate <n>', 'pages fetched a second', amount('--rate', 0))
    .requiredOption(
      '--delay <duration>',
      'delay between requests to a host, as in 2s',
      duration('--delay', { mostMs: crawlLimits.delayMsMax }),
    )
    .option('--fetch <duration>', 'duration of a request, as in 1s', duration('--fetch', { mostMs: 600_000 }), fetchMs)
    .option('--links <n>', 'links per page that are sent to the frontier', amount('--links', 0), linksPerPage)
    .option(
      '--replication <n>',
      'copies of each partition on the brokers',
      wholeNumber('--replication', 1),
      replication,
    )
    .option(
      '--keep-days <n>',
      'days that a page stays on its topic (default: until a limit of the topic, by time or bytes)',
      wholeNumber('--keep-days', 1),
    )
    .option(
      '--price <name=number>',
      `price that replaces an example price (repeatable): ${Object.keys(prices).join(', ')}`,
      (value: string, before: readonly PriceGiven[]) => [...before, priceGiven(value)],
      [],
    )
    .option('--json', 'print one line of JSON; names of fields give units, as in days, delayMs, diskBytes')
    .action((flags: SizeFlags) => {
      const input: SizeInput = {
        urls: Math.round(flags.urls),
        hosts: Math.round(flags.hosts),
        rate: flags.rate,
        delayMs: flags.delay,
        fetchMs: flags.fetch,
        linksPerPage: flags.links,
        replication: flags.replication,
        pagesKeptDays: flags.keepDays ?? null,
      };
      const sizing = sizeOf(input);
      const of = { ...defaultPrices, ...Object.fromEntries(flags.price) };
      const costs = costsOf(input, sizing, busyShare, of);
      print({ json: { wish: input, ...sizing, prices: of, costs }, text: sizeText(input, sizing, costs) }, flags.json);
    });
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9, B: 1e9, T: 1e12 };

type PriceGiven = readonly [name: PriceName, price: number];

function priceGiven(value: string): PriceGiven {
  const [, name, price] = /^([a-z-]+)=(\d+(?:\.\d+)?)$/.exec(value) ?? [];
  if (name === undefined || !Object.hasOwn(prices, name)) {
    throw bad('--price', value, `give one of ${Object.keys(prices).join(', ')}, as in core-hour=0.04`);
  }
  return [name as PriceName, Number(price)];
}

/** A number above `least`, or equal to it if `least` is above 0. */
function amount(option: string, least: number): (value: string) => number {
  return (value) => {
    const [, digits, unit] = /^(\d+(?:\.\d+)?)([kKMGBT]?)$/.exec(value.replaceAll(/[,_]/g, '')) ?? [];
    const number = Number(digits) * (units[unit ?? ''] ?? Number.NaN);
    if (!(number >= least && number > 0 && number <= 1e15))
      throw bad(option, value, 'give a number above 0, as in 20, 1.5k, 100M, 10B or 1T');
    return number;
  };
}
