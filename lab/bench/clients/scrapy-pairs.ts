/**
 * `npm run bench -- scrapy-pairs [--pairs N] [--hosts N] [--pages N] [--delay MS] [--json]`
 *
 * Pages per second of one spider, with Scrapy's own scheduler and with ours, in turns on one web. Both are polite:
 * robots.txt, the same delay, one request at a time per host. The web counts the pages, from the first to the last.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { startCommand } from '../../process/command.ts';
import { pythonEnvironment } from '../content/python-environment.ts';
import { build } from '../process/compiled.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { startWebProcess } from '../process/web-process.ts';

const spider = fileURLToPath(new URL('pairs_spider.py', import.meta.url));
const clients = fileURLToPath(new URL('../../../clients/python/', import.meta.url));
const patienceMs = 3_600_000;

interface Run {
  readonly pages: number;
  readonly pagesPerSecond: number;
  /**
   * Gaps below the delay between two requests of a host, from end to start. Scrapy's own delay counts from start to
   * start.
   */
  readonly shortGaps: number;
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      pairs: { type: 'string', default: '5' },
      hosts: { type: 'string', default: '50' },
      pages: { type: 'string', default: '60' },
      delay: { type: 'string', default: '250' },
      json: { type: 'boolean', default: false },
    },
  });
  build();
  const rows: { own: number; ours: number; ratio: number; pages: number; shortGaps: number }[] = [];
  for (let pair = 0; pair < Number(values.pairs); pair++) {
    const turn = (isOurs: boolean) => inTemporaryFolder((folder) => crawl(folder, isOurs, values));
    // Each goes first in turn, so that a machine that slows down affects both alike.
    const first = await turn(pair % 2 === 0);
    const second = await turn(pair % 2 !== 0);
    const [ours, own] = pair % 2 === 0 ? [first, second] : [second, first];
    if (ours.pages !== own.pages)
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `${ours.pages} pages with ours, and ${own.pages} with Scrapy’s own`,
      );
    const ratio = Number((ours.pagesPerSecond / own.pagesPerSecond).toFixed(3));
    const { pages, shortGaps } = ours;
    rows.push({ own: own.pagesPerSecond, ours: ours.pagesPerSecond, ratio, pages, shortGaps });
  }
  console.table(rows);
  const ratios = rows.map(({ ratio }) => ratio).sort((a, b) => a - b);
  process.stdout.write(`pages per second, ours to Scrapy’s own: median ${ratios[ratios.length >> 1]}\n`);
  if (values.json) process.stdout.write(`${JSON.stringify({ name: 'scrapy-pairs', ...values, rows })}\n`);
}

interface Size {
  readonly hosts: string;
  readonly pages: string;
  readonly delay: string;
}

async function crawl(folder: string, isOurs: boolean, { hosts, pages, delay }: Size): Promise<Run> {
  const shape = ['--preset', 'plain', '--hosts', hosts, '--pages', pages, '--addresses'];
  const web = await startWebProcess(shape, null);
  try {
    if (isOurs) await withOurs(folder, web.seeds, delay);
    else await scrape(folder, web.seeds, ownSettings(delay), {});
    const requests = (await web.requests()).filter(({ path, status }) => path !== '/robots.txt' && status === 200);
    const firstMs = requests.reduce((least, { startMs }) => Math.min(least, startMs), Number.POSITIVE_INFINITY);
    const lastMs = requests.reduce((most, { endMs }) => Math.max(most, endMs), 0);
    const { shortGaps } = await web.report(`delayMs=${delay}&sitemaps=false`);
    const perSecond = (requests.length * 1_000) / (lastMs - firstMs);
    return { pages: requests.length, pagesPerSecond: Number(perSecond.toFixed(1)), shortGaps: shortGaps.count };
  } finally {
    await web.end();
  }
}

function ownSettings(delay: string): Record<string, string> {
  return {
    ROBOTSTXT_OBEY: 'True',
    DOWNLOAD_DELAY: `${Number(delay) / 1_000}`,
    RANDOMIZE_DOWNLOAD_DELAY: 'False',
    CONCURRENT_REQUESTS_PER_DOMAIN: '1',
  };
}

async function withOurs(folder: string, seeds: readonly string[], delay: string): Promise<void> {
  const reach = ['--allow-private', '--address-delay', '0', '--delay', `${delay}ms`, '--contact', 'me@example.org'];
  const listen = ['--clients', 'only', '--http', '0', '--data', join(folder, 'data')];
  const running = startCommand(['crawl', ...listen, ...reach], { patienceMs });
  try {
    let base: string | undefined;
    while (base === undefined) {
      base = /listening on (http:\/\/\S+)/.exec(running.output())?.[1];
      if (running.child.exitCode !== null) throw new CrawlstreamError('INVALID_ARGUMENT', running.output());
      await sleep(20);
    }
    while ((await fetch(`${base}/readyz`)).status !== 200) await sleep(20);
    const settings = { ADDONS: '{"crawlstream.scrapy.Addon": 500}', CRAWLSTREAM_URL: base };
    await scrape(folder, seeds, settings, { PYTHONPATH: clients });
  } finally {
    running.child.kill('SIGINT');
    await running.ended;
  }
}

async function scrape(
  folder: string,
  seeds: readonly string[],
  settings: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const environment = pythonEnvironment('scrapy-2.19.0', ['scrapy==2.19.0', 'openapi-spec-validator==0.9.0']);
  const all = { LOG_LEVEL: 'ERROR', TELNETCONSOLE_ENABLED: 'False', CONCURRENT_REQUESTS: '200', ...settings };
  const set = Object.entries(all).flatMap(([name, value]) => ['-s', `${name}=${value}`]);
  const child = spawn(join(environment, 'bin/python'), ['-m', 'scrapy', 'runspider', spider, ...set], {
    cwd: folder,
    env: { ...process.env, SEEDS: JSON.stringify(seeds), ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new CrawlstreamError('INVALID_ARGUMENT', `scrapy ended with ${code}`);
}
