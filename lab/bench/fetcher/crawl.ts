/**
 * `npm run bench -- crawl [--hosts N] [--pages N] [--kafka] [--fetchers N] [--partitions P] [--latency MS]
 * [--concurrency N] [--no-stages] [--json]`
 *
 * End to end: a whole crawl of the synthetic web (pages of 12.6 KB with 42 links, gzip, delay 0) on the embedded log,
 * in one process. With `--kafka`, also as deployed there: a broker, a frontier and a fetcher in separate processes, and
 * once more with `--fetchers` (2). Pages a second are measured by the web's clock and hold for this machine; CPU per
 * page is given for each process.
 *
 * If a crawl fills the machine, a second fetcher cannot add pages. `--latency` shows what it adds if fetchers wait for
 * the web: every page then answers after this time, and a fetcher has at most `--concurrency` hosts in progress.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { startBroker, type TestBroker } from '../../kafka/broker.ts';
import { build } from '../process/compiled.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { measureCrawl } from './fetch-crawl.ts';
import { stageShares } from './fetch-stages.ts';
import { type KafkaCrawl, measureKafkaCrawl } from './kafka-crawl.ts';

interface CrawlOptions {
  readonly hosts: number;
  readonly pages: number;
  readonly kafka: boolean;
  readonly fetchers: number;
  readonly partitions: number;
  readonly latencyMs: number;
  readonly concurrency: number;
  readonly stages: boolean;
  readonly json: boolean;
}

interface Figures {
  readonly log: 'embedded' | 'kafka';
  readonly fetchers: number;
  readonly pages: number;
  readonly complete: boolean;
  readonly pagesPerSecond: number;
  /** Figures by process. */
  readonly cpuMillisPerPage: Readonly<Record<string, number>>;
  readonly rssBytes: Readonly<Record<string, number>>;
}

type Stages = Readonly<Record<string, Readonly<Record<string, number>>>>;

export async function run(args: readonly string[]): Promise<void> {
  const options = optionsOf(args);
  build();
  const embedded = await crawlEmbedded(options);
  const all = [show(embedded.figures)];
  let stages: Stages = embedded.stages;
  if (options.kafka) {
    const broker = await startBroker();
    try {
      for (const fetchers of new Set([1, options.fetchers])) {
        all.push(show(figuresOf(await crawlOnKafka(options, broker, fetchers), fetchers)));
      }
      if (options.stages) stages = { ...stages, ...(await stagesOnKafka(options, broker, all[1]!)) };
    } finally {
      await broker.stop();
    }
  }
  for (const [service, of] of Object.entries(stages)) {
    process.stdout.write(`${service}, ms of CPU a page by stage:\n`);
    for (const [stage, millis] of Object.entries(of)) process.stdout.write(`  ${millis.toFixed(4)}  ${stage}\n`);
  }
  if (!options.json) return;
  const { hosts, latencyMs, partitions } = options;
  const result = { name: 'crawl', hosts, latencyMs, partitions, all, scaling: scalingOf(all), stages };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

async function crawlEmbedded(options: CrawlOptions): Promise<{ readonly figures: Figures; readonly stages: Stages }> {
  const bench = {
    web: webOf(options),
    crawl: ['--delay', '0', '--concurrency', `${options.concurrency}`],
    report: 'delayMs=0&sitemaps=false',
    node: ['--max-semi-space-size=32'],
  };
  const { report, cpuMillis, peakRssBytes } = await measureCrawl(bench);
  const perPage = round(cpuMillis / report.fetched);
  const figures: Figures = {
    ...{ log: 'embedded', fetchers: 1, pages: report.fetched, complete: report.ok },
    pagesPerSecond: Math.round(report.pagesPerSecond),
    cpuMillisPerPage: { crawl: perPage },
    rssBytes: { crawl: peakRssBytes },
  };
  if (!options.stages) return { figures, stages: {} };
  return inTemporaryFolder(async (profile) => {
    await measureCrawl({ ...bench, profile });
    return { figures, stages: { crawl: await stagesOf(profile, perPage) } };
  });
}

function crawlOnKafka(
  options: CrawlOptions,
  broker: TestBroker,
  fetchers: number,
  profile?: string,
): Promise<KafkaCrawl> {
  const { partitions, concurrency } = options;
  const crawl = `crawl-${Date.now().toString(36)}`;
  const bench = { broker, crawl, partitions, fetchers, concurrency, web: webOf(options) };
  return measureKafkaCrawl({ ...bench, ...(profile !== undefined && { profile }) });
}

function figuresOf({ report, frontier, fetchers, brokerCpuMillis, webCpuMillis }: KafkaCrawl, count: number): Figures {
  const perPage = (millis: number) => round(millis / report.fetched);
  const ofFetchers = fetchers.reduce((sum, { cpuMillis }) => sum + cpuMillis, 0);
  return {
    ...{ log: 'kafka', fetchers: count, pages: report.fetched, complete: report.ok },
    pagesPerSecond: Math.round(report.pagesPerSecond),
    cpuMillisPerPage: {
      frontier: perPage(frontier.cpuMillis),
      fetchers: perPage(ofFetchers),
      broker: perPage(brokerCpuMillis),
      web: perPage(webCpuMillis),
    },
    rssBytes: {
      frontier: frontier.peakRssBytes,
      fetcher: Math.max(...fetchers.map(({ peakRssBytes }) => peakRssBytes)),
    },
  };
}

/** One more crawl under the profiler; its shares are put on the unprofiled cost. */
function stagesOnKafka(options: CrawlOptions, broker: TestBroker, { cpuMillisPerPage }: Figures): Promise<Stages> {
  return inTemporaryFolder(async (folder) => {
    const services = ['frontier', 'fetcher'] as const;
    for (const service of services) await mkdir(join(folder, service));
    await crawlOnKafka(options, broker, 1, folder);
    return {
      frontier: await stagesOf(join(folder, 'frontier'), cpuMillisPerPage['frontier']!),
      fetcher: await stagesOf(join(folder, 'fetcher'), cpuMillisPerPage['fetchers']!),
    };
  });
}

async function stagesOf(profile: string, millisPerPage: number): Promise<Record<string, number>> {
  const shares = await stageShares(profile);
  return Object.fromEntries(Object.entries(shares).map(([stage, share]) => [stage, round(share * millisPerPage, 4)]));
}

/** From one fetcher to several, on Kafka: the factor in pages, and the factor in CPU per page. */
function scalingOf(all: readonly Figures[]) {
  const [one, more] = all.filter(({ log }) => log === 'kafka');
  if (one === undefined || more === undefined) return null;
  return {
    fetchers: more.fetchers,
    pagesPerSecond: round(more.pagesPerSecond / one.pagesPerSecond, 2),
    fetcherCpuPerPage: round(more.cpuMillisPerPage['fetchers']! / one.cpuMillisPerPage['fetchers']!, 2),
  };
}

function webOf({ hosts, pages, latencyMs }: CrawlOptions): string[] {
  const late = latencyMs === 0 ? [] : ['--set', 'slow=1', '--set', `slowMs=${latencyMs}`];
  return ['--preset', 'plain', '--hosts', `${hosts}`, '--pages', `${pages}`, ...late];
}

function show(figures: Figures): Figures {
  const { log, fetchers, pages, complete, pagesPerSecond, cpuMillisPerPage } = figures;
  const costs = Object.entries(cpuMillisPerPage).map(([name, millis]) => `${name} ${millis}`);
  const what = `${log}, ${fetchers} ${fetchers === 1 ? 'fetcher' : 'fetchers'}`;
  const said = complete ? `${pages} pages` : `${pages} pages, with findings`;
  process.stdout.write(`${what}: ${said}, ${pagesPerSecond} a second; ms of CPU a page: ${costs.join(', ')}\n`);
  return figures;
}

function round(value: number, digits = 3): number {
  return Number(value.toFixed(digits));
}

function optionsOf(args: readonly string[]): CrawlOptions {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const names = { hosts: text, pages: text, fetchers: text, partitions: text, latency: text, concurrency: text };
  const options = { ...names, kafka: flag, 'no-stages': flag, json: flag };
  let values: { readonly [name in keyof typeof names]?: string } & {
    kafka: boolean;
    'no-stages': boolean;
    json: boolean;
  };
  try {
    values = parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', (error as Error).message);
  }
  const number = (name: keyof typeof names, byDefault: number, least = 1) => {
    const value = Number(values[name] ?? byDefault);
    if (Number.isSafeInteger(value) && value >= least) return value;
    throw new CrawlstreamError('INVALID_ARGUMENT', `--${name} ${values[name]}: give a whole number from ${least} on`);
  };
  return {
    hosts: number('hosts', 200),
    pages: number('pages', 100),
    kafka: values.kafka,
    fetchers: number('fetchers', 2),
    partitions: number('partitions', 4),
    latencyMs: number('latency', 0, 0),
    concurrency: number('concurrency', 1_000),
    stages: !values['no-stages'],
    json: values.json,
  };
}
