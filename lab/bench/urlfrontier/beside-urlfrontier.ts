/**
 * `npm run bench -- beside-urlfrontier --original CHECKOUT [--urls N] [--hosts N] [--runs N] [--json]`
 *
 * The server's cost of a URL, with URLFrontier's own command-line client (PutURLs, GetURLs), for our server and for
 * URLFrontier's own server on RocksDB, which is built from a checkout of crawler-commons/url-frontier. Each run
 * measures both, in turns; each has an empty folder, the first core for itself, and the client on the others. URLs are
 * put one by one and in batches of a hundred, new and known, then got with up to `--urls` / `--hosts` of a queue at
 * once, and reported as done.
 *
 * CPU is user and system time of the server, all threads, until it is idle. Goal: a fifth of URLFrontier's.
 */
import { type ChildProcess, execFile, execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { startServed } from '../../urlfrontier/served.ts';
import { buildUpstream, startUpstream, type Upstream } from '../../urlfrontier/upstream.ts';
import { canPinTo } from '../process/compiled-process.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { cpuMillisOf } from '../process/thread-cpu.ts';

const exec = promisify(execFile);
const verbs = ['put new', 'put known', 'batch new', 'batch known', 'get', 'done'] as const;
type Costs = Record<(typeof verbs)[number], number>;

interface Server {
  readonly port: number;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

interface Options {
  readonly original: string;
  readonly urls: number;
  readonly hosts: number;
  readonly runs: number;
  readonly json: boolean;
}

const batch = 100;
const clientMs = 600_000;
/** A server that uses less of a core than this for this long is idle. */
const quiet = { cpuMs: 20, forMs: 500, lookMax: 40 } as const;

export async function run(args: readonly string[]): Promise<void> {
  const options = optionsOf(args);
  const upstream = await buildUpstream(options.original);
  const servers: readonly (readonly [name: string, start: (folder: string) => Promise<Server>])[] = [
    ['crawlstream', (folder) => startServed(folder)],
    [`URLFrontier ${upstream.version}`, (folder) => startUpstream(upstream, folder)],
  ];
  const all = new Map<string, Costs[]>(servers.map(([name]) => [name, []]));
  for (let turn = 0; turn < options.runs; turn++) {
    for (const [name, start] of turn % 2 === 0 ? servers : [...servers].reverse()) {
      const costs = await inTemporaryFolder((folder) => measure(upstream, options, folder, start));
      process.stdout.write(`${name}, µs of CPU a URL: ${verbs.map((verb) => `${verb} ${costs[verb]}`).join(', ')}\n`);
      all.get(name)!.push(costs);
    }
  }
  const [ours, theirs] = [...all.values()] as [Costs[], Costs[]];
  const rows = verbs.map((verb) => {
    const [own, other] = [ours, theirs].map((runs) => runs.map((costs) => costs[verb]).sort((a, b) => a - b));
    const shares = ours.map((costs, turn) => costs[verb] / theirs[turn]![verb]).sort((a, b) => a - b);
    const [least, most] = [shares[0]!, shares.at(-1)!];
    const share = `${shares[shares.length >> 1]!.toFixed(2)} (${least.toFixed(2)}-${most.toFixed(2)})`;
    return { verb, 'µs/URL here': spread(own!), 'at URLFrontier': spread(other!), share };
  });
  console.table(rows);
  if (options.json)
    process.stdout.write(`${JSON.stringify({ name: 'beside-urlfrontier', ...options, ours, theirs })}\n`);
}

const spread = (sorted: readonly number[]) => `${sorted[sorted.length >> 1]} (${sorted[0]}-${sorted.at(-1)})`;

async function measure(
  { clientJar }: Upstream,
  { urls, hosts }: Options,
  folder: string,
  start: (folder: string) => Promise<Server>,
): Promise<Costs> {
  const [single, batched, done] = ['single.txt', 'batched.txt', 'done.jsonl'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(single, urlsOf(urls, hosts, 'one'));
  await writeFile(batched, urlsOf(urls, hosts, 'two'));
  await mkdir(join(folder, 'server'));
  const server = await start(join(folder, 'server'));
  try {
    const client = async (...command: readonly string[]) => {
      const java = ['java', '-Xmx512m', '-jar', clientJar, '-t', '127.0.0.1', '-p', `${server.port}`, ...command];
      const [program, ...rest] = canPinTo([0, 1]) ? ['taskset', '-c', '1', ...java] : java;
      return (await exec(program!, rest, { timeout: clientMs, maxBuffer: 2 ** 30 })).stdout;
    };
    if (canPinTo([0, 1])) execFileSync('taskset', ['-a', '-c', '-p', '0', `${server.child.pid}`], { stdio: 'ignore' });
    const costs: Partial<Costs> = {};
    const cost = async (verb: keyof Costs, act: () => Promise<number>) => {
      const before = await quietCpuMs(server.child.pid!);
      const count = await act();
      const after = await quietCpuMs(server.child.pid!);
      costs[verb] = Number(((1_000 * (after - before)) / count).toFixed(1));
    };
    const put = async (file: string, ...flags: readonly string[]) => {
      const said = await client('PutURLs', '-f', file, '-t', '4', ...flags);
      const acked = Number(/^Acked: (\d+)$/m.exec(said)?.[1]);
      if (/^Failed: 0$/m.test(said) && acked > 0) return acked;
      throw new Error(`PutURLs: ${said}`);
    };
    await cost('put new', () => put(single));
    await cost('put known', () => put(single));
    await cost('batch new', () => put(batched, '-b', `${batch}`));
    await cost('batch known', () => put(batched, '-b', `${batch}`));
    let got: string[] = [];
    await cost('get', async () => {
      const said = await client('GetURLs', '-q', `${hosts}`, '-m', `${Math.ceil(urls / hosts)}`, '-d', '600');
      got = [...said.matchAll(/^url: "(.*)"$/gm)].map(([, url]) => url!);
      return got.length;
    });
    await writeFile(done, got.map((url) => doneLine(url)).join(''));
    await cost('done', () => put(done));
    return costs as Costs;
  } finally {
    await server.stop();
  }
}

function urlsOf(urls: number, hosts: number, section: string): string {
  const lines: string[] = [];
  for (let n = 0; n < urls; n++)
    lines.push(`https://host-${n % hosts}.example.org/${section}/page-${Math.floor(n / hosts)}.html\n`);
  return lines.join('');
}

/** As JSON of a URLItem: fetched, and not to be fetched again. */
function doneLine(url: string): string {
  const info = { url, key: new URL(url).hostname, crawlID: 'DEFAULT' };
  return `${JSON.stringify({ ID: url, known: { info, refetchable_from_date: 0 } })}\n`;
}

const cpuMsOf = (pid: number) => cpuMillisOf(`/proc/${pid}`).millis;

/** User and system time of a process once it is idle, ms. */
async function quietCpuMs(pid: number): Promise<number> {
  let before = cpuMsOf(pid);
  for (let look = 0; look < quiet.lookMax; look++) {
    await sleep(quiet.forMs);
    const now = cpuMsOf(pid);
    if (now - before <= quiet.cpuMs) return now;
    before = now;
  }
  return before;
}

function optionsOf(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const options = {
    original: text,
    urls: text,
    hosts: text,
    runs: text,
    json: { type: 'boolean', default: false },
  } as const;
  let values: ReturnType<typeof parse>;
  function parse() {
    return parseArgs({ args: [...args], options }).values;
  }
  try {
    values = parse();
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', (error as Error).message);
  }
  const number = (name: 'urls' | 'hosts' | 'runs', byDefault: number) => {
    const value = Number(values[name] ?? byDefault);
    if (Number.isSafeInteger(value) && value > 0) return value;
    throw new CrawlstreamError('INVALID_ARGUMENT', `--${name} ${values[name]}: give a whole number above 0`);
  };
  if (values.original === undefined)
    throw new CrawlstreamError('INVALID_ARGUMENT', '--original: give a checkout of crawler-commons/url-frontier');
  return {
    original: values.original,
    urls: number('urls', 200_000),
    hosts: number('hosts', 10_000),
    runs: number('runs', 3),
    json: values.json === true,
  };
}
