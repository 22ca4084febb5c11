/**
 * `npm run bench -- fleet [--crawls N] [--hosts N] [--hosts-each N] [--seconds N] [--in-flight N] [--slow MS] [--delay
 * MS] [--json]`
 *
 * Many crawls of one fleet over shared hosts, with requests that take `--slow` each, and more pages than there is time
 * for. It prints:
 *
 * - how long the last twenty crawls take to start and to their first pages, each beside all earlier ones;
 * - how far the numbers of pages are from the shares by weight (1 to 4, over `--seconds`, once all have run for a
 *   quarter of that);
 * - the effect on the others of a crawl with a delay of a day, and of one with a spent quota (over half of
 *   `--seconds`);
 * - gaps below the delay as the web saw them, and the result of the audit of all crawls together;
 * - memory, threads and files while all run and when all are deleted.
 *
 * To measure shares, requests in flight should be scarce: `--in-flight` divided by `--slow` below the rate that the
 * processor can reach.
 */
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { CrawlAnswer } from '../../../services/extras/fleet/fleet-schemas.ts';
import { planWeb } from '../../web/plan.ts';
import { build } from '../process/compiled.ts';
import { startNode } from '../process/compiled-process.ts';
import { startWebProcess } from '../process/web-process.ts';

/** The last crawls: their start times are printed. */
const lastCrawls = 20;
/** Longer times are printed as this time, ms. */
const firstPageMsMax = 20_000;
const burstMsMax = 120_000;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      crawls: { type: 'string', default: '200' },
      hosts: { type: 'string', default: '2000' },
      'hosts-each': { type: 'string', default: '60' },
      seconds: { type: 'string', default: '60' },
      'in-flight': { type: 'string', default: '1' },
      slow: { type: 'string', default: '40' },
      delay: { type: 'string', default: '100' },
      json: { type: 'boolean', default: false },
    },
  });
  const [crawls, hosts, each] = [Number(values.crawls), Number(values.hosts), Number(values['hosts-each'])];
  const seconds = Number(values.seconds);
  const delayMs = Number(values.delay);
  build();
  const domains = Math.min(hosts, 1_000);
  const sets = [`domains=${domains}`, 'sameHostShare=1', 'linksPerPage=12', 'slow=1', `slowMs=${values.slow}`];
  const web = await startWebProcess(
    ['--preset', 'plain', '--hosts', `${hosts}`, '--pages', '200', ...sets.flatMap((set) => ['--set', set])],
    null,
  );
  const folder = mkdtempSync(join(tmpdir(), 'crawlstream-fleet-'));
  const resolve = web.resolve.flatMap((one) => ['--resolve', one]);
  const flags = [
    '--host-delay',
    `${delayMs}ms`,
    '--in-flight',
    values['in-flight'],
    '--seen-memory',
    '256',
    ...resolve,
  ];
  const command = ['dist/bundle/crawlstream.js', 'fleet', '--data', folder, '--http', '0', ...flags];
  const child = startNode(null, command, ['ignore', 'ignore', 'pipe']);
  try {
    const base = await addressOf(child.stderr!);
    while (!(await fetch(`${base}/readyz`)).ok) await sleep(50);
    const call = async (method: string, path: string, body?: object): Promise<unknown> => {
      const json = { 'content-type': 'application/json' };
      const init = body === undefined ? { method } : { method, headers: json, body: JSON.stringify(body) };
      const response = await fetch(`${base}${path}`, init);
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === '' ? null : JSON.parse(text);
    };
    const list = async () => ((await call('GET', '/v1/crawls')) as { readonly crawls: readonly CrawlAnswer[] }).crawls;
    const policy = { delayMs, delayFactor: 0, scope: { kind: 'host' } };
    const names = planWeb({ preset: 'plain', hosts, domains }).hosts;
    const { port } = new URL(web.seeds[0]!);
    const seedOf = (at: number) => `http://${names[at % hosts]}:${port}/`;
    const seedsOf = (n: number) => Array.from({ length: each }, (_, i) => seedOf(Math.floor((n * hosts) / crawls) + i));

    const idle = usageOf(child.pid!);
    const cpuAtMs = cpuMsOf(child.pid!);
    const startMs: number[] = [];
    const firstPageMs: number[] = [];
    const burstAtMs = performance.now();
    let burstMs = 0;
    for (let n = 0; n < crawls; n++) {
      if (n === crawls - lastCrawls) {
        // New crawls come before all others: with this many at once, the next would wait for their first pages.
        const isUnderWay = async () => (await list()).every(({ counts }) => counts.pages > 0);
        while (performance.now() < burstAtMs + burstMsMax && !(await isUnderWay())) await sleep(100);
        burstMs = performance.now() - burstAtMs;
      }
      const beginMs = performance.now();
      await call('POST', '/v1/crawls', { name: `c${n}`, seeds: seedsOf(n), policy, weight: 1 + (n % 4) });
      startMs.push(performance.now() - beginMs);
      if (n < crawls - lastCrawls) continue;
      const startedMs = performance.now();
      const hasPages = async () => ((await call('GET', `/v1/crawls/c${n}`)) as CrawlAnswer).counts.pages > 0;
      while (performance.now() < startedMs + firstPageMsMax && !(await hasPages())) await sleep(20);
      firstPageMs.push(performance.now() - startedMs);
    }
    const cpuPerStartMs = (cpuMsOf(child.pid!) - cpuAtMs) / crawls;
    const gainIn = async (ms: number) => {
      const before = await list();
      await sleep(ms);
      const after = await list();
      return after.slice(0, crawls).map(({ counts }, n) => counts.pages - before[n]!.counts.pages);
    };
    await sleep(seconds * 250);
    const cpuBeforeMs = cpuMsOf(child.pid!);
    const gained = await gainIn(seconds * 1_000);
    const cpuMs = cpuMsOf(child.pid!) - cpuBeforeMs;
    const busy = usageOf(child.pid!);
    const all = sum(gained);
    const cpuPerPageMs = cpuMs / Math.max(1, all);
    const weights = gained.map((_, n) => 1 + (n % 4));
    const shares = [1, 2, 3, 4].map((weight) => {
      const own = gained.filter((_, n) => weights[n] === weight);
      return sum(own) / all / ((weight * own.length) / sum(weights));
    });
    await call('POST', '/v1/crawls', { name: 'rude', seeds: seedsOf(0), policy: { ...policy, delayMs: 86_400_000 } });
    await call('POST', '/v1/crawls', { name: 'spent', seeds: seedsOf(1), policy: { ...policy, pageQuota: 1 } });
    const others = sum(await gainIn(seconds * 500));
    const audit = ['dist/bundle/crawlstream.js', 'audit', '--data', folder];
    const [auditCode] = await once(startNode(null, audit, ['ignore', 'ignore', 'ignore']), 'exit');

    const endMs: number[] = [];
    for (const { name } of await list()) {
      const beginMs = performance.now();
      await call('DELETE', `/v1/crawls/${name}`);
      endMs.push(performance.now() - beginMs);
    }
    await sleep(3_000);
    const freed = usageOf(child.pid!);
    const report = await web.report(`delayMs=${delayMs}&sitemaps=false`);
    const result = {
      ...{ bench: 'fleet', crawls, hosts, each, burstMs },
      ...{
        startMs: spreadOf(startMs.slice(-lastCrawls)),
        firstPageMs: spreadOf(firstPageMs),
        deleteMs: spreadOf(endMs),
      },
      ...{ cpuPerStartMs, cpuPerPageMs },
      ...{ pagesPerSecond: all / seconds, shares, poisonedRate: (2 * others) / all },
      auditPassed: auditCode === 0,
      ...{ shortGaps: report.shortGaps.count, concurrent: report.concurrency.count, requests: report.requests },
      ...{ idle, busy, freed, foldersLeft: readdirSync(join(folder, 'crawls')).length },
    };
    process.stdout.write(`${textOf(result)}\n`);
    for (const detail of [...report.shortGaps.details, ...report.concurrency.details].slice(0, 3))
      process.stdout.write(`  ${detail}\n`);
    if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  } finally {
    const ended = new Promise((settle) => child.once('exit', settle));
    if (child.exitCode === null) child.kill('SIGINT');
    await Promise.race([ended, sleep(10_000)]);
    child.kill('SIGKILL');
    await web.end();
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

interface Usage {
  readonly residentMb: number;
  readonly threads: number;
  readonly files: number;
}

interface Result {
  readonly crawls: number;
  readonly hosts: number;
  /** From the first call until all crawls but the last twenty, which are created one after another, have a page. */
  readonly burstMs: number;
  /** For the last twenty: time until the call was answered, and from then until the state had a page. */
  readonly startMs: Spread;
  readonly firstPageMs: Spread;
  /** CPU time of the fleet's process, ms: of each start with its first pages, and of each page while all run. */
  readonly cpuPerStartMs: number;
  readonly cpuPerPageMs: number;
  readonly deleteMs: Spread;
  readonly pagesPerSecond: number;
  readonly shares: readonly number[];
  readonly poisonedRate: number;
  /** Over all crawls together. */
  readonly auditPassed: boolean;
  readonly shortGaps: number;
  readonly concurrent: number;
  readonly requests: number;
  readonly idle: Usage;
  readonly busy: Usage;
  readonly freed: Usage;
}

function textOf(result: Result): string {
  const { crawls, hosts, shares, idle, busy, freed } = result;
  const whole = (ms: number) => `${Math.round(ms)} ms`;
  const spread = ({ min, median, max }: Spread) => `${whole(median)} (${whole(min)} to ${whole(max)})`;
  const used = ({ residentMb, threads, files }: Usage) => `${residentMb} MB, ${threads} threads, ${files} files`;
  return [
    `${crawls} crawls, ${hosts} hosts: ${result.pagesPerSecond.toFixed(1)} pages/s`,
    `all but the last ${lastCrawls}, made at once, had a page after ${(result.burstMs / 1_000).toFixed(1)} s`,
    `beside them, a start takes ${spread(result.startMs)}, its first page ${spread(result.firstPageMs)} more; a deletion ${spread(result.deleteMs)}`,
    `processor time: ${whole(result.cpuPerStartMs)} a start, ${result.cpuPerPageMs.toFixed(1)} ms a page`,
    `pages over the share of weights 1 to 4: ${shares.map((share) => share.toFixed(3)).join(', ')}`,
    `beside a delay of a day and a spent quota: ${result.poisonedRate.toFixed(3)} of the pages of before`,
    `${result.shortGaps} gaps too short and ${result.concurrent} requests at once, of ${result.requests}; the audit of the fleet ${result.auditPassed ? 'passed' : 'FAILED'}`,
    `before: ${used(idle)}; all running: ${used(busy)}; all deleted: ${used(freed)}`,
  ].join('\n');
}

async function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: stderr });
  for await (const line of lines) {
    const url = /listening on (http:\/\/\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    // Reads later output, so that the pipe does not fill.
    stderr.resume();
    return url;
  }
  throw new Error('the fleet did not start');
}

/** From Linux; zeros elsewhere. */
function usageOf(pid: number): Usage {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return { residentMb: 0, threads: 0, files: 0 };
  const text = readFileSync(status, 'utf8');
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  const files = readdirSync(`/proc/${pid}/fd`).length;
  return { residentMb: Math.round(field('VmRSS') / 1024), threads: field('Threads'), files };
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

function spreadOf(numbers: readonly number[]): Spread {
  const sorted = [...numbers].sort((a, b) => a - b);
  return { min: sorted[0]!, median: sorted[sorted.length >> 1]!, max: sorted.at(-1)! };
}

/** From Linux; 0 elsewhere. */
function cpuMsOf(pid: number): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return 0;
  const fields = readFileSync(path, 'utf8').split(') ')[1]!.split(' ');
  // utime and stime (proc(5)), in hundredths of a second.
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
