/**
 * `npm run bench -- workers [--runs N] [--workers N] [--hosts N] [--pages N] [--with LIST] [--json]`
 *
 * A whole crawl in a data folder by one process, and by `--workers` (2) beside the process with frontier and log, in
 * turns and on the same number of partitions, so that each pair has the same minutes of the machine. There are three
 * webs: plain pages, as in `bench crawl`; the same with answers after 300 ms; and plain pages with main text, language
 * and metadata extracted, which costs CPU in the fetchers. No process is pinned: the web uses some of the cores.
 *
 * Pages per CPU-second count all processes of the crawl, start and end included; the ratio is that of one pair. For
 * comparison, as many separate crawls as there are workers run at once, each in one process over its part of the hosts
 * and a separate web. They share only cores, caches and memory, so no division of one crawl's work can be faster.
 *
 * `--with dedup,index`: all crawls have these consumers, which run in a separate process if there are workers. On the
 * first web, a crawl by workers without consumers follows each pair. It shows the cost of the consumers in the process
 * with frontier and log.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { build } from '../process/compiled.ts';
import { startMeasured } from '../process/compiled-process.ts';
import type { Usage } from '../process/fetch-usage.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { startWebProcess } from '../process/web-process.ts';

interface Options {
  readonly runs: number;
  readonly workers: number;
  readonly hosts: number;
  readonly pages: number;
  /** Names, separated by commas. */
  readonly with?: string | undefined;
}

interface Measured {
  readonly pages: number;
  readonly complete: boolean;
  readonly pagesPerSecond: number;
  readonly cpuMillisPerPage: number;
  /** Figures of the process with frontier and log. */
  readonly ownCpuMillisPerPage: number;
  readonly peakRssBytes: readonly number[];
}

const latencyMs = 300;
const webs = {
  plain: { web: [], crawl: [] },
  [`answers after ${latencyMs} ms`]: { web: ['--set', 'slow=1', '--set', `slowMs=${latencyMs}`], crawl: [] },
  'costly pages': { web: [], crawl: ['--extract'] },
} as const;

export async function run(args: readonly string[]): Promise<void> {
  const { json, ...options } = optionsOf(args);
  build();
  const results: Record<string, object> = {};
  for (const [name, { web, crawl }] of Object.entries(webs)) {
    const pairs: { readonly one: Measured; readonly more: Measured; readonly apart: Measured }[] = [];
    for (let n = 0; n < options.runs; n++) {
      const one = await measureWorkers(options, web, crawl, 1);
      const more = await measureWorkers(options, web, crawl, options.workers);
      const parts = Array.from({ length: options.workers }, () =>
        measureWorkers({ ...options, hosts: Math.ceil(options.hosts / options.workers) }, web, crawl, 1),
      );
      const apart = together(await Promise.all(parts));
      pairs.push({ one, more, apart });
      show(name, 'one process', one);
      show(name, `${options.workers} workers`, more);
      show(name, `${options.workers} crawls apart`, apart);
      if (options.with !== undefined && name === 'plain') {
        const bare = await measureWorkers({ ...options, with: undefined }, web, crawl, options.workers);
        show(name, `${options.workers} workers without ${options.with}`, bare);
        const ratio = round(more.ownCpuMillisPerPage / bare.ownCpuMillisPerPage, 2);
        process.stdout.write(`${name}: the first process takes ${ratio} times the CPU with ${options.with}\n`);
      }
    }
    const pagesPerSecond = spread(pairs.map(({ one, more }) => more.pagesPerSecond / one.pagesPerSecond));
    const pagesPerCpuSecond = spread(pairs.map(({ one, more }) => one.cpuMillisPerPage / more.cpuMillisPerPage));
    const ofApart = spread(pairs.map(({ one, apart }) => one.cpuMillisPerPage / apart.cpuMillisPerPage));
    const said = (figures: Spread) => `${figures.min} ${figures.median} ${figures.max}`;
    process.stdout.write(
      `${name}: ${options.workers} workers to one process, min median max: pages a second ${said(pagesPerSecond)}, pages per CPU-second ${said(pagesPerCpuSecond)}, of crawls apart ${said(ofApart)}\n`,
    );
    results[name] = { pairs, pagesPerSecond, pagesPerCpuSecond, pagesPerCpuSecondApart: ofApart };
  }
  if (json) process.stdout.write(`${JSON.stringify({ name: 'workers', ...options, results })}\n`);
}

export function measureWorkers(
  { hosts, pages, workers, with: consumers }: Options,
  webOptions: readonly string[],
  crawlOptions: readonly string[],
  count: number,
): Promise<Measured> {
  return inTemporaryFolder(async (folder) => {
    const usages = join(folder, 'usages');
    await mkdir(usages);
    const rules = join(folder, 'extract.yaml');
    await writeFile(rules, 'mainText: true\nlanguage: true\nmetadata: true\n');
    const web = await startWebProcess(
      ['--preset', 'plain', '--hosts', `${hosts}`, '--pages', `${pages}`, ...webOptions],
      null,
    );
    try {
      const resolve = web.resolve.flatMap((one) => ['--resolve', one]);
      const where = ['--data', join(folder, 'crawl'), '--partitions', `${workers}`, '--workers', `${count}`];
      const beside = consumers === undefined ? [] : ['--with', consumers];
      const extract = crawlOptions.flatMap((option) => [option, rules]);
      const { ended } = startMeasured(
        ['crawl', ...web.seeds, ...resolve, '--delay', '0', ...extract, ...beside, ...where],
        {
          ...{ core: null, usages },
          node: ['--max-semi-space-size=32'],
        },
      );
      const { usage } = await ended;
      const report = await web.report('delayMs=0&sitemaps=false');
      const used = await Promise.all(
        (await readdir(usages)).map(async (name) => JSON.parse(await readFile(join(usages, name), 'utf8')) as Usage),
      );
      const perPage = (millis: number) => round(millis / report.fetched, 3);
      return {
        pages: report.fetched,
        complete: report.ok,
        pagesPerSecond: Math.round(report.pagesPerSecond),
        cpuMillisPerPage: perPage(used.reduce((sum, { cpuMillis }) => sum + cpuMillis, 0)),
        ownCpuMillisPerPage: perPage(usage.cpuMillis),
        peakRssBytes: used.map(({ peakRssBytes }) => peakRssBytes).sort((a, b) => b - a),
      };
    } finally {
      await web.end();
    }
  });
}

/** Crawls that ran at once, added up as one. */
function together(parts: readonly Measured[]): Measured {
  const sum = (of: (part: Measured) => number) => parts.reduce((total, part) => total + of(part), 0);
  const pages = sum((part) => part.pages);
  return {
    pages,
    complete: parts.every(({ complete }) => complete),
    pagesPerSecond: sum((part) => part.pagesPerSecond),
    cpuMillisPerPage: round(sum((part) => part.cpuMillisPerPage * part.pages) / pages, 3),
    ownCpuMillisPerPage: round(sum((part) => part.ownCpuMillisPerPage * part.pages) / pages, 3),
    peakRssBytes: parts.flatMap(({ peakRssBytes }) => peakRssBytes),
  };
}

interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b).map((value) => round(value, 2));
  return { min: sorted[0]!, median: sorted[Math.floor(sorted.length / 2)]!, max: sorted.at(-1)! };
}

function show(web: string, who: string, { pages, complete, ...figures }: Measured): void {
  const { pagesPerSecond, cpuMillisPerPage, ownCpuMillisPerPage, peakRssBytes } = figures;
  const rss = peakRssBytes.map((bytes) => Math.round(bytes / 2 ** 20)).join(' + ');
  const found = complete ? '' : ', with findings';
  process.stdout.write(
    `${web}, ${who}: ${pages} pages${found}, ${pagesPerSecond} a second, ${cpuMillisPerPage} ms of CPU a page (${ownCpuMillisPerPage} of the first process), ${rss} MB\n`,
  );
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

function optionsOf(args: readonly string[]): Options & { readonly json: boolean } {
  const text = { type: 'string' } as const;
  const names = { runs: text, workers: text, hosts: text, pages: text, with: text };
  let values: { readonly [name in keyof typeof names]?: string } & { json: boolean };
  try {
    values = parseArgs({ args: [...args], options: { ...names, json: { type: 'boolean', default: false } } }).values;
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', (error as Error).message);
  }
  const number = (name: 'runs' | 'workers' | 'hosts' | 'pages', byDefault: number, least = 1) => {
    const value = Number(values[name] ?? byDefault);
    if (Number.isSafeInteger(value) && value >= least) return value;
    throw new CrawlstreamError('INVALID_ARGUMENT', `--${name} ${values[name]}: give a whole number from ${least} on`);
  };
  return {
    runs: number('runs', 3),
    workers: number('workers', 2, 2),
    hosts: number('hosts', 200),
    pages: number('pages', 50),
    ...(values.with !== undefined && { with: values.with }),
    json: values.json,
  };
}
