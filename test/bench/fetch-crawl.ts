/**
 * One measured crawl: the `crawlstream crawl` command in a process of its own on one core, the synthetic web on another.
 *
 * Both run the compiled product, as users do. CPU time is of the whole crawling process, all threads, start and end
 * included; pages and gaps are counted by the web, which saw every request.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { CheckReport } from '../web/check.ts';
import type { RequestRecord } from '../web/records.ts';
import { projectRoot } from './compiled.ts';
import type { Usage } from './fetch-usage.ts';
import { cpuMillisOf } from './thread-cpu.ts';

export interface CrawlBench {
  /** Options of test/web/main.ts. */
  readonly web: readonly string[];
  /** Options of `crawlstream crawl`, beside seeds and --data. */
  readonly crawl: readonly string[];
  /** Of the web's report, as in test/web/control.ts. */
  readonly report: string;
  /** Ends the crawl politely after this, ms. */
  readonly stopAfterMs?: number;
  /** … or once the web has given out so many of its ordinary pages; `samples` then tell how it got there. */
  readonly stopAtPages?: number;
  /** Flags of Node for the crawl. */
  readonly node?: readonly string[];
  /** Folder for a CPU profile of the crawl. */
  readonly profile?: string;
}

export interface MeasuredCrawl extends Usage {
  readonly report: CheckReport;
  readonly requests: readonly RequestRecord[];
  /** What the crawl said of itself (`--json`). */
  readonly said: Readonly<Record<string, unknown>>;
  readonly pinned: boolean;
  readonly samples: readonly Sample[];
}

/** How far a crawl was at one moment. */
export interface Sample {
  readonly atMs: number;
  readonly pages: number;
  /** CPU time of the crawl so far; NaN where the system does not tell. */
  readonly cpuMillis: number;
}

const webCore = 1;
const crawlCore = 0;

export async function measureCrawl(bench: CrawlBench): Promise<MeasuredCrawl> {
  const pinned = canPin();
  const data = await mkdtemp(join(tmpdir(), 'crawlstream-bench-'));
  const webArguments = ['dist/test/web/main.js', '--exit-with-stdin', ...bench.web];
  const web = start(pinned ? webCore : null, webArguments, ['pipe', 'pipe', 'inherit']);
  try {
    const ready = (await firstLine(web)) as { control: string; resolve: string[]; seeds: string[] };
    const profiling = bench.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${bench.profile}`];
    const crawl = start(
      pinned ? crawlCore : null,
      [
        ...profiling,
        ...(bench.node ?? []),
        '--import',
        pathToFileURL(join(projectRoot, 'dist/test/bench/fetch-usage.js')).href,
        'dist/services/cli/main.js',
        'crawl',
        ...ready.seeds,
        ...ready.resolve.flatMap((one) => ['--resolve', one]),
        ...bench.crawl,
        '--data',
        join(data, 'crawl'),
        '--json',
      ],
      ['ignore', 'pipe', 'pipe', 'pipe'],
    );
    const stop =
      bench.stopAfterMs === undefined ? undefined : setTimeout(() => crawl.kill('SIGINT'), bench.stopAfterMs);
    const sampling = bench.stopAtPages === undefined ? [] : sample(crawl, ready.control, bench.stopAtPages);
    const [said, errors, usage] = await Promise.all([...crawl.stdio.slice(1)].map((stream) => text(stream)));
    if (crawl.exitCode === null && crawl.signalCode === null) await once(crawl, 'exit');
    clearTimeout(stop);
    if (usage === '') throw new Error(`the crawl failed: ${errors}`);
    const report = (await ask(`${ready.control}report?${bench.report}`)) as string;
    const requests = (await ask(`${ready.control}requests`)) as string;
    return {
      ...(JSON.parse(usage!) as Usage),
      report: JSON.parse(report) as CheckReport,
      requests: requests
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as RequestRecord),
      said: JSON.parse(said!.trimEnd().split('\n').at(-1)!) as Record<string, unknown>,
      pinned,
      samples: await sampling,
    };
  } finally {
    web.stdin?.end();
    if (web.exitCode === null) await once(web, 'exit');
    await rm(data, { recursive: true, force: true });
  }
}

/** Looks now and then, and ends the crawl when it has its pages. */
async function sample(crawl: ChildProcess, control: string, pagesMax: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  while (crawl.exitCode === null && crawl.signalCode === null) {
    const { fetched } = JSON.parse(await ask(`${control}report?sitemaps=false`)) as CheckReport;
    samples.push({ atMs: performance.now(), pages: fetched, cpuMillis: cpuMillisOf(`/proc/${crawl.pid!}`).millis });
    if (fetched >= pagesMax) {
      crawl.kill('SIGINT');
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return samples;
}

function canPin(): boolean {
  try {
    execFileSync('taskset', ['-c', `${crawlCore},${webCore}`, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

type Stdio = ('pipe' | 'ignore' | 'inherit')[];

function start(core: number | null, args: readonly string[], stdio: Stdio): ChildProcess {
  const env = { ...process.env, CRAWLSTREAM_BENCH_USAGE: '1', NODE_OPTIONS: '' };
  const command = core === null ? process.execPath : 'taskset';
  const pinning = core === null ? [] : ['-c', `${core}`, process.execPath];
  return spawn(command, [...pinning, ...args], { cwd: projectRoot, env, stdio });
}

async function firstLine(child: ChildProcess): Promise<unknown> {
  for await (const line of createInterface({ input: child.stdout! })) return JSON.parse(line);
  throw new Error('the synthetic web did not start');
}

async function text(stream: unknown): Promise<string> {
  let all = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) all += chunk.toString();
  return all;
}

async function ask(url: string): Promise<string> {
  return (await fetch(url, { method: 'POST' })).text();
}
