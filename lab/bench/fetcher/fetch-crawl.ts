/**
 * One measured crawl: the command `crawlstream crawl` in a separate process on one core, the synthetic web on another.
 *
 * Both run the compiled product, as users do. CPU time is that of the whole crawling process, all threads, start and
 * end included. The web, which sees every request, counts pages and gaps.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckReport } from '../../web/check.ts';
import type { RequestRecord } from '../../web/records.ts';
import { canPinTo, startMeasured } from '../process/compiled-process.ts';
import type { Usage } from '../process/fetch-usage.ts';
import { cpuMillisOf } from '../process/thread-cpu.ts';
import { startWebProcess, type WebProcess } from '../process/web-process.ts';

export interface CrawlBench {
  /** Options of lab/web/main.ts. */
  readonly web: readonly string[];
  /** Options of `crawlstream crawl`, beside seeds and --data. */
  readonly crawl: readonly string[];
  /** Fields of the web's report, as in lab/web/control.ts. */
  readonly report: string;
  /** Ends the crawl politely after this time, ms. */
  readonly stopAfterMs?: number;
  /** … or once the web has served this many ordinary pages; `samples` then shows the progress. */
  readonly stopAtPages?: number;
  /** Flags of Node for the crawl. */
  readonly node?: readonly string[];
  /** The command, run in the project's root; by default the product's. */
  readonly entry?: string;
  /** Folder for a CPU profile of the crawl. */
  readonly profile?: string;
  /** Receives the crawl's data folder before it is deleted. */
  readonly inspect?: (data: string) => Promise<void>;
}

export interface MeasuredCrawl extends Usage {
  readonly report: CheckReport;
  readonly requests: readonly RequestRecord[];
  /** The crawl's own report (`--json`). */
  readonly said: Readonly<Record<string, unknown>>;
  readonly pinned: boolean;
  readonly samples: readonly Sample[];
}

/** Progress of a crawl at one moment. */
export interface Sample {
  readonly atMs: number;
  readonly pages: number;
  /** CPU time of the crawl so far; NaN if the system does not report it. */
  readonly cpuMillis: number;
}

const webCore = 1;
const crawlCore = 0;

export async function measureCrawl(bench: CrawlBench): Promise<MeasuredCrawl> {
  const pinned = canPinTo([crawlCore, webCore]);
  const data = await mkdtemp(join(tmpdir(), 'crawlstream-bench-'));
  const web = await startWebProcess(bench.web, pinned ? webCore : null);
  try {
    const resolve = web.resolve.flatMap((one) => ['--resolve', one]);
    const trust = web.certificate === undefined ? [] : ['--ca', web.certificate];
    const { child, ended } = startMeasured(
      ['crawl', ...web.seeds, ...resolve, ...trust, ...bench.crawl, '--data', join(data, 'crawl'), '--json'],
      { core: pinned ? crawlCore : null, node: bench.node ?? [], profile: bench.profile, entry: bench.entry },
    );
    const stop =
      bench.stopAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGINT'), bench.stopAfterMs);
    const sampling = bench.stopAtPages === undefined ? [] : sample(child, web, bench.stopAtPages);
    const { stdout, usage } = await ended;
    clearTimeout(stop);
    await bench.inspect?.(join(data, 'crawl'));
    return {
      ...usage,
      report: await web.report(bench.report),
      requests: await web.requests(),
      said: JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as Record<string, unknown>,
      pinned,
      samples: await sampling,
    };
  } finally {
    await web.end();
    await rm(data, { recursive: true, force: true });
  }
}

/** Asks now and then for the number of pages, and ends the crawl when it has its pages. */
async function sample(crawl: ChildProcess, web: WebProcess, pagesMax: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  while (crawl.exitCode === null && crawl.signalCode === null) {
    const { fetched } = await web.report('sitemaps=false');
    samples.push({ atMs: performance.now(), pages: fetched, cpuMillis: cpuMillisOf(`/proc/${crawl.pid!}`).millis });
    if (fetched >= pagesMax) {
      crawl.kill('SIGINT');
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return samples;
}
