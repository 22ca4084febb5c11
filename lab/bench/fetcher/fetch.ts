/**
 * `npm run bench -- fetch [--web plain|messy] [--set NAME=VALUE] [--pages N] [--hosts N] [--runs N] [--no-stages]
 * [--node=--FLAG] [--json]`
 *
 * The cost of a page: a whole `crawlstream crawl --delay 0` of a synthetic web (200 hosts × 100 pages of 12.6 KB with
 * 42 links, gzip), with one core for the crawl and the other for the web. One more crawl under the CPU profiler shows
 * where the time goes; its shares are put on the unprofiled cost.
 *
 * `--web messy`: a web of redirects, missing and denied URLs, spellings, pages of 100 KB and tiny ones, with a request
 * as the unit. `--set tls=1`: the same web over TLS, `--set tls=2`: also by HTTP/2 (lab/web/options.ts).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../process/compiled.ts';
import { type CrawlBench, type MeasuredCrawl, measureCrawl } from './fetch-crawl.ts';
import { stageShares } from './fetch-stages.ts';

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      web: { type: 'string', default: 'plain' },
      set: { type: 'string', multiple: true, default: [] },
      pages: { type: 'string', default: '100' },
      hosts: { type: 'string', default: '200' },
      runs: { type: 'string', default: '3' },
      'no-stages': { type: 'boolean', default: false },
      node: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
    },
  });
  build();
  const bench: CrawlBench = {
    web: [
      ...['--preset', values.web, '--hosts', values.hosts, '--pages', values.pages],
      ...values.set.flatMap((one) => ['--set', one]),
    ],
    crawl: ['--delay', '0'],
    report: 'delayMs=0&sitemaps=false',
    node: values.node,
  };
  const runs: MeasuredCrawl[] = [];
  for (let i = 0; i < Number(values.runs); i++) {
    const measured = await measureCrawl(bench);
    runs.push(measured);
    const { report, cpuMillis, peakRssBytes, requests } = measured;
    const each = (count: number) => (cpuMillis / count).toFixed(3);
    const costs = `${each(report.fetched)} ms CPU a page, ${each(requests.length)} a request, ${Math.round(peakRssBytes / 1e6)} MB`;
    say(`${report.fetched} of ${report.expected} pages, ${Math.round(report.pagesPerSecond)} a second, ${costs}`);
  }
  const middle = runs.sort((a, b) => a.cpuMillis - b.cpuMillis)[runs.length >> 1]!;
  const cpuMillisPerPage = middle.cpuMillis / middle.report.fetched;
  const stages = values['no-stages'] ? {} : await stagesOf(bench, cpuMillisPerPage);
  for (const [stage, millis] of Object.entries(stages)) say(`  ${millis.toFixed(4)} ms  ${stage}`);
  if (!values.json) return;
  const result = {
    bench: 'fetch',
    pages: middle.report.fetched,
    complete: runs.every(({ report }) => report.ok),
    pagesPerSecond: median(runs.map(({ report }) => report.pagesPerSecond)),
    cpuMillisPerPage,
    cpuMillisPerRequest: middle.cpuMillis / middle.requests.length,
    stages,
    rssBytes: median(runs.map((one) => one.peakRssBytes)),
    runs: runs.length,
    pinned: middle.pinned,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

async function stagesOf(bench: CrawlBench, cpuMillisPerPage: number): Promise<Record<string, number>> {
  const profile = await mkdtemp(join(tmpdir(), 'crawlstream-profile-'));
  try {
    await measureCrawl({ ...bench, profile });
    const shares = await stageShares(profile);
    return Object.fromEntries(Object.entries(shares).map(([stage, share]) => [stage, share * cpuMillisPerPage]));
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
