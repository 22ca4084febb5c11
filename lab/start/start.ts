/**
 * `npm start`: a whole crawl of a synthetic web, with a dashboard, and a report of what the web's servers recorded.
 *
 *   npm start                               80 hosts of 50 pages, in about half a minute; the dashboard's address is printed
 *   npm start -- --hosts 20 --pages 10      a smaller one
 *   npm start -- https://example.org …      other arguments go to `crawlstream crawl`
 *
 * The web runs in a separate process, which the terminal's Ctrl-C does not reach, and ends with this process. The crawl
 * is the command `crawlstream crawl`, in this process. On a terminal, the dashboard of the finished crawl stays until
 * Ctrl-C.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { CheckReport, Findings } from '../web/check.ts';

/** Slow enough to watch, quick enough to wait for. ms */
const delayMs = 200;
/** The delay in robots.txt of the politest hosts. ms */
const crawlDelayMs = 400;
/** The default address of `--dashboard`. */
const dashboardPort = 9465;

interface Web {
  readonly port: number;
  readonly control: string;
  readonly resolve: readonly string[];
  readonly seeds: readonly string[];
  end(): Promise<void>;
}

const args = process.argv.slice(2);
const size = sizeOf(args);
if (size === undefined) await crawl(args);
else await showCrawl(size);

/** Undefined if the arguments are for `crawl`. */
function sizeOf(given: readonly string[]): { readonly hosts: number; readonly pages: number } | undefined {
  const wanted = { hosts: 80, pages: 50 };
  for (let i = 0; i < given.length; i += 2) {
    const name = given[i];
    if (name !== '--hosts' && name !== '--pages') return undefined;
    const number = Number(given[i + 1]);
    if (!Number.isInteger(number) || number < 2 || number > 10_000) {
      process.stderr.write(`${name} ${given[i + 1] ?? ''}: give a whole number from 2 to 10000\n`);
      process.exit(2);
    }
    wanted[name === '--hosts' ? 'hosts' : 'pages'] = number;
  }
  return wanted;
}

/** Runs `crawlstream crawl`; `process.exitCode` is then its own. */
async function crawl(crawlArguments: readonly string[]): Promise<void> {
  process.argv = [process.argv[0]!, 'crawlstream', 'crawl', ...crawlArguments];
  await import('../../services/cli/main.ts');
}

async function showCrawl({ hosts, pages }: { readonly hosts: number; readonly pages: number }): Promise<void> {
  const web = await startWeb(hosts, pages);
  try {
    const data = join(await mkdtemp(join(tmpdir(), 'crawlstream-')), 'data');
    say(
      `A synthetic web of ${count(hosts)} hosts runs on 127.0.0.1:${web.port}. The crawl sends at most one request per`,
    );
    say(`host in ${delayMs} ms. Some hosts ask for ${crawlDelayMs} ms, forbid paths, redirect, fail or are down.\n`);
    const address = `127.0.0.1:${await freePort(dashboardPort)}`;
    const flags = [
      '--delay',
      `${delayMs}ms`,
      '--retries',
      '0.3,0.6,1.2',
      '--with',
      'index',
      '--data',
      data,
      '--dashboard',
      address,
    ];
    await crawl([...web.seeds, ...web.resolve.flatMap((one) => ['--resolve', one]), ...flags]);
    if (process.exitCode === 130) {
      say('\nThe synthetic web ends with this crawl: npm start begins a new one.');
      return;
    }
    if (process.exitCode) return;
    const report = await reportOf(web);
    if (!report.ok) process.exitCode = 1;
    say(verdict(report));
    say(`
Next:
  npm run -s crawlstream -- pages --data ${data}
  npm run -s crawlstream -- stats --data ${data}
  npm run -s crawlstream -- search "quiet harbor" --data ${data}
  npm run -s crawlstream -- dashboard --data ${data}
  npm start -- https://example.org --max-pages 100 --contact me@example.org --dashboard`);
    await web.end();
    if (process.stdin.isTTY && process.stdout.isTTY) await stay(data, address);
  } finally {
    await web.end();
  }
}

/** The dashboard of the finished crawl, at the address where it was open. */
async function stay(data: string, address: string): Promise<void> {
  say('\nThe dashboard runs until Ctrl-C.');
  const { createProgram } = await import('../../services/cli/program.ts');
  const words = ['dashboard', '--data', data, '--http', address];
  await (await createProgram(words)).parseAsync(words, { from: 'user' });
}

/** The address `wished`, or another if that is in use. */
async function freePort(wished: number): Promise<number> {
  const server = createServer().listen(wished, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return freePort(0);
  }
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startWeb(hosts: number, pages: number): Promise<Web> {
  const main = fileURLToPath(
    new URL(import.meta.url.endsWith('.ts') ? '../web/main.ts' : '../web/main.js', import.meta.url),
  );
  const size = ['--hosts', `${hosts}`, '--pages', `${pages}`];
  const pace = ['--set', `crawlDelayMs=${crawlDelayMs}`, '--set', 'slowMs=300'];
  const child = spawn(process.execPath, [...process.execArgv, main, ...size, ...pace, '--exit-with-stdin'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const exited = once(child, 'exit');
  const line = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited.then(() => [''])]);
  if (line[0] === '') throw new Error('the synthetic web did not start; its error is above');
  return {
    ...(JSON.parse(line[0] as string) as Omit<Web, 'end'>),
    async end() {
      child.stdin.end();
      await exited;
    },
  };
}

async function reportOf(web: Web): Promise<CheckReport> {
  const response = await fetch(`${web.control}report?delayMs=${delayMs}`, { method: 'POST' });
  return (await response.json()) as CheckReport;
}

function verdict(report: CheckReport): string {
  const { expected, fetched, requests, hosts, smallestGapMs, shortGaps, concurrency, robotsViolations } = report;
  const { duplicates, missing, unexpected } = report;
  const rows: readonly (readonly [string, string])[] = [
    ['pages that may be fetched', count(expected)],
    ['pages fetched', count(fetched)],
    ['fetched twice', found(duplicates)],
    ['missed', found(missing)],
    ['requests, hosts', `${count(requests)}, ${count(hosts)}`],
    ['shortest delay on a host', smallestGapMs === null ? 'none' : `${smallestGapMs.toFixed(1)} ms`],
    ['delays too short', found(shortGaps)],
    ['two requests at once', found(concurrency)],
    ['robots.txt violated', found(robotsViolations)],
    ['unexpected requests', found(unexpected)],
  ];
  const table = rows.map(([label, value]) => `  ${label.padEnd(28)}${value.padStart(10)}`).join('\n');
  const end = report.ok
    ? 'Every allowed page was fetched once, and politely.'
    : 'The crawl made the errors that are counted above.';
  return `\nThe servers recorded:\n${table}\n\n${end}`;
}

function found({ count: number, details }: Findings): string {
  return number === 0 ? 'none' : `${count(number)}, such as ${details[0]}`;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
