/**
 * `npm run bench -- crawlee-queue [--requests N] [--hosts N] [--own N] [--json]`
 *
 * Requests with userData are queued through Crawlee's queue on our leases; then the client and the crawl are killed
 * with -9. Prints the time from the crawl's restart to the next request, the size of the queue when all was decided,
 * and the client's memory at the beginning and at the end. For comparison, the same for Crawlee's own queue with
 * `--own` requests.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { type Running, startCommand } from '../../process/command.ts';
import { makeCrawleeProject } from '../../process/crawlee-project.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';

const adder = fileURLToPath(new URL('crawlee-adder.mjs', import.meta.url));
/** A port below the system's ephemeral ports, because the server is stopped and started again. */
const crawlPort = 23_911;
/** Time limit of one step: ten million requests take most of an hour. ms */
const patienceMs = 3 * 3_600_000;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      requests: { type: 'string', default: '10000000' },
      hosts: { type: 'string', default: '10000' },
      own: { type: 'string', default: '100000' },
      json: { type: 'boolean', default: false },
    },
  });
  const [requests, hosts, own] = [values.requests, values.hosts, values.own].map(Number) as [number, number, number];
  const ours = await inTemporaryFolder((folder) => measureOurs(folder, requests, hosts));
  const theirs = await inTemporaryFolder((folder) => measureOwn(folder, own, hosts));
  console.table({ 'on our leases': ours, 'Crawlee’s own': theirs });
  if (values.json) process.stdout.write(`${JSON.stringify({ name: 'crawlee-queue', ours, own: theirs })}\n`);
}

interface Measured {
  readonly requests: number;
  readonly addedPerSecond: number;
  /** Times in the client's process: when a twentieth of the requests was added, and when all were. */
  readonly rssMbFirst: number;
  readonly rssMbLast: number;
  /** From the restart after kill -9 to the next request. */
  readonly nextMs: number;
  /** URLs in the queue at that time. */
  readonly held: number;
}

async function measureOurs(folder: string, requests: number, hosts: number): Promise<Measured> {
  // Hosts without a robots.txt, from which nothing else is requested.
  const web = createServer((_, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const { port } = web.address() as AddressInfo;
  const base = `http://127.0.0.1:${crawlPort}`;
  const reach = ['--resolve', `*.test:${port}:127.0.0.1`, '--address-delay', '0', '--scope', 'all'];
  const listen = ['--clients', 'only', '--http', `127.0.0.1:${crawlPort}`, '--contact', 'me@example.org'];
  const start = () => startCommand(['crawl', ...listen, ...reach, '--data', join(folder, 'data')], { patienceMs });
  let crawl = start();
  try {
    await untilReady(crawl, base);
    const added = await addAll(folder, ['ours', `${requests}`, `${hosts}`, `${port}`], base);
    crawl.child.kill('SIGKILL');
    await crawl.ended;
    const restartMs = performance.now();
    crawl = start();
    await firstLease(crawl, base);
    const nextMs = Math.round(performance.now() - restartMs);
    return { requests, ...added, nextMs, held: await heldBy(crawl, base, requests) };
  } finally {
    crawl.child.kill('SIGKILL');
    await crawl.ended;
    web.close();
  }
}

async function measureOwn(folder: string, requests: number, hosts: number): Promise<Measured> {
  const added = await addAll(folder, ['own', `${requests}`, `${hosts}`, '80'], '');
  const restartMs = performance.now();
  const child = startAdder(folder, ['next', '0', '0', '0'], { CRAWLEE_PURGE_ON_START: 'false' });
  for await (const line of createInterface({ input: child.stdout! })) {
    const { next, total } = JSON.parse(line) as { next: string | null; total: number };
    if (next === null) throw new CrawlstreamError('INVALID_ARGUMENT', 'Crawlee’s own queue has nothing any more');
    child.kill('SIGKILL');
    return { requests, ...added, nextMs: Math.round(performance.now() - restartMs), held: total };
  }
  throw new CrawlstreamError('INVALID_ARGUMENT', 'Crawlee’s own queue gave no request: its process has ended');
}

/** Adds all requests, and kills the client. */
async function addAll(folder: string, args: readonly string[], url: string) {
  const project = makeCrawleeProject(join(folder, 'project'));
  copyFileSync(adder, join(project, 'adder.mjs'));
  const startedMs = performance.now();
  const child = startAdder(folder, args, { CRAWLSTREAM_URL: url });
  let rssMbFirst = 0;
  for await (const line of createInterface({ input: child.stdout! })) {
    const { added, rssMb, done } = JSON.parse(line) as { added: number; rssMb: number; done?: boolean };
    // The first calls fill caches of a bounded size.
    if (added > Number(args[1]) / 20 && rssMbFirst === 0) rssMbFirst = rssMb;
    if (done !== true) continue;
    child.kill('SIGKILL');
    const seconds = (performance.now() - startedMs) / 1_000;
    return { addedPerSecond: Math.round(added / seconds), rssMbFirst, rssMbLast: rssMb };
  }
  throw new CrawlstreamError('INVALID_ARGUMENT', 'not all was added: the adding process has ended');
}

function startAdder(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const cwd = join(folder, 'project');
  const flags = ['--expose-gc', join(cwd, 'adder.mjs'), ...args];
  return spawn(process.execPath, flags, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function firstLease(crawl: Running, base: string): Promise<void> {
  const ask = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ count: 1 }) };
  const asked = async () => {
    const response = await fetch(`${base}/v1/leases`, ask);
    return response.ok ? ((await response.json()) as { leases: readonly object[] }).leases.length : 0;
  };
  for (;;) {
    if ((await asked().catch(() => 0)) > 0) return;
    if (crawl.child.exitCode !== null) throw new CrawlstreamError('INVALID_ARGUMENT', crawl.output());
    await sleep(20);
  }
}

async function untilReady(crawl: Running, base: string): Promise<void> {
  const isReady = () =>
    fetch(`${base}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  while (!(await isReady())) {
    if (crawl.child.exitCode !== null) throw new CrawlstreamError('INVALID_ARGUMENT', crawl.output());
    await sleep(50);
  }
}

/** URLs that wait or are leased, once there are `wanted` of them, or their number stops growing. */
async function heldBy(crawl: Running, base: string, wanted: number): Promise<number> {
  let [held, stillMs] = [-1, 0];
  while (stillMs < 30_000) {
    const text = await (await fetch(`${base}/metrics`)).text();
    const lines = text.matchAll(/^crawlstream_frontier_urls\{[^}]*place="(?:queued|leased|retrying)"[^}]*\} (\S+)$/gm);
    const now = [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
    if (now >= wanted) return now;
    stillMs = now === held ? stillMs + 500 : 0;
    held = now;
    if (crawl.child.exitCode !== null) throw new CrawlstreamError('INVALID_ARGUMENT', crawl.output());
    await sleep(500);
  }
  return held;
}
