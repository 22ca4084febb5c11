/**
 * `npm run bench -- hostile [--hosts N] [--pages N] [--delay MS] [--runs N] [--json]`
 *
 * The cost that a tenth of hostile hosts (endless and dripping bodies, bombs, floods, mazes, silence:
 * lab/web/hostile.ts) causes for the others: ordinary pages among them, compared with the same pages alone, with the
 * crawl on a separate core. At the default delay of 0 the processor is the limit, so the rate is compared by CPU time
 * per ordinary page; also by the clock, which other work on the machine disturbs. Measured from the first tenth of the
 * pages to nine tenths of them, so that neither discovery nor the last pages count.
 */
import { parseArgs } from 'node:util';
import { build } from '../process/compiled.ts';
import { measureCrawl, type Sample } from './fetch-crawl.ts';

const share = 0.1;
/** No host waits longer. */
const stopAfterMs = 120_000;

interface Rates {
  readonly pagesPerSecond: number;
  readonly cpuMillisPerPage: number;
  readonly rssBytes: number;
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      hosts: { type: 'string', default: '1000' },
      pages: { type: 'string', default: '30' },
      delay: { type: 'string', default: '0' },
      runs: { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
    },
  });
  build();
  const hosts = Number(values.hosts);
  const ordinary = Math.round(hosts * (1 - share));
  const kept: number[] = [];
  const keptByClock: number[] = [];
  const memory: number[] = [];
  for (let n = 0; n < Number(values.runs); n++) {
    const alone = await measure(ordinary, 0, ordinary, values);
    const among = await measure(hosts, share, ordinary, values);
    kept.push(alone.cpuMillisPerPage / among.cpuMillisPerPage);
    keptByClock.push(among.pagesPerSecond / alone.pagesPerSecond);
    memory.push(among.rssBytes);
    process.stdout.write(
      `alone ${textOf(alone)}; among hostile hosts ${textOf(among)}: ${kept.at(-1)!.toFixed(2)} kept\n`,
    );
  }
  if (!values.json) return;
  const result = {
    bench: 'hostile',
    keptRate: median(kept),
    keptRates: kept,
    keptRateByClock: median(keptByClock),
    rssBytes: Math.max(...memory),
    runs: kept.length,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

interface Options {
  readonly pages: string;
  readonly delay: string;
}

async function measure(hosts: number, hostileShare: number, ordinary: number, options: Options): Promise<Rates> {
  const pages = ordinary * Number(options.pages);
  const measured = await measureCrawl({
    web: [
      '--hosts',
      `${hosts}`,
      '--pages',
      options.pages,
      '--preset',
      'plain',
      '--set',
      `hostileShare=${hostileShare}`,
    ],
    crawl: ['--delay', `${options.delay}ms`],
    report: 'delayMs=0&sitemaps=false',
    stopAfterMs,
    stopAtPages: Math.round(pages * 0.9),
  });
  const first = measured.samples.find((sample) => sample.pages >= pages * 0.1);
  const last = measured.samples.at(-1);
  if (first === undefined || last === undefined || last === first) throw new Error('too few pages for a rate');
  return { ...between(first, last), rssBytes: measured.peakRssBytes };
}

function between(first: Sample, last: Sample): Omit<Rates, 'rssBytes'> {
  const pages = last.pages - first.pages;
  return {
    pagesPerSecond: (pages * 1_000) / (last.atMs - first.atMs),
    cpuMillisPerPage: (last.cpuMillis - first.cpuMillis) / pages,
  };
}

function textOf({ pagesPerSecond, cpuMillisPerPage, rssBytes }: Rates): string {
  return `${cpuMillisPerPage.toFixed(2)} ms CPU a page, ${Math.round(pagesPerSecond)} a second, ${Math.round(rssBytes / 1e6)} MB`;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
