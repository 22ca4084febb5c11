/**
 * `npm run bench -- urlfrontier [--urls N] [--hosts N] [--target HOST:PORT] [--streams N] [--batch N] [--queues N]
 * [--runs N] [--json]`
 *
 * URLFrontier's API under load: URLs put one by one and in batches, new and known, then got and reported one per queue
 * at a time. The server is ours, started for the bench on a new data folder, or any new and empty server with --target.
 * Client and server share the machine.
 *
 * Each figure of our server has its lower limit beside it: the rate of @grpc/grpc-js with the same messages and no
 * frontier, with each ack written separately, and with pending acks written together.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { cpuMillisOf } from '../process/thread-cpu.ts';
import { type BenchClient, connectBench } from './urlfrontier-client.ts';
import { getAndDone, type LoadOptions, putBatches, putUrls, type Rate } from './urlfrontier-load.ts';

interface Options extends LoadOptions {
  readonly target: string | undefined;
  readonly runs: number;
  readonly json: boolean;
}

/** URLFrontier 2.6 on both cores of such a machine, with a Java client: URLs/s. */
const peers = {
  putNew: 34_238,
  putKnown: 76_702,
  batchNew: 58_213,
  batchKnown: 114_027,
  getAndDone: 9_834,
} as const;
type Load = keyof typeof peers;

export async function run(args: readonly string[]): Promise<void> {
  const options = optionsOf(args);
  const floors = options.target === undefined ? await measureFloors(options) : undefined;
  const rows: Record<string, object> = {};
  const all: Record<Load, number>[] = [];
  const cpu: Record<Load, number>[] = [];
  for (let run = 0; run < options.runs; run++) {
    const one = await withServer(options, measure);
    all.push(one.rates);
    cpu.push(one.micros);
  }
  const rates = medians(all);
  const micros = medians(cpu);
  for (const load of Object.keys(peers) as Load[]) {
    const floor = floors === undefined ? {} : floorOf(load, floors, options.batch);
    const own = micros[load] > 0 ? { 'server CPU µs/URL': micros[load] } : {};
    rows[load] = {
      'URLs/s': rates[load],
      'URLFrontier 2.6': peers[load],
      ratio: ratio(rates[load], peers[load]),
      ...own,
      ...floor,
    };
  }
  console.table(rows);
  const { urls, hosts, streams, batch, queues, runs } = options;
  if (options.json) {
    const figures = {
      urls,
      hosts,
      streams,
      batch,
      queues,
      runs,
      rates,
      cpuMicrosPerUrl: micros,
      floors: floors ?? null,
      peers,
    };
    process.stdout.write(`${JSON.stringify({ name: 'urlfrontier', ...figures })}\n`);
  }
}

interface Server {
  readonly client: BenchClient;
  /** CPU that the server has used, µs; undefined: another server was given. */
  cpuMicros(): number | undefined;
}

async function measure(
  server: Server,
  options: Options,
): Promise<{ rates: Record<Load, number>; micros: Record<Load, number> }> {
  const { client } = server;
  const rates: Partial<Record<Load, number>> = {};
  const micros: Partial<Record<Load, number>> = {};
  const load = async (name: Load, act: () => Promise<Rate>) => {
    const before = server.cpuMicros() ?? 0;
    const { urls, seconds } = await act();
    rates[name] = Math.round(urls / seconds);

    micros[name] = Number((((server.cpuMicros() ?? 0) - before) / urls).toFixed(2));
  };
  await load('putNew', () => putUrls(client, options, 1));
  await load('putKnown', () => putUrls(client, options, 1));
  await load('batchNew', () => putBatches(client, options, 2));
  await load('batchKnown', () => putBatches(client, options, 2));
  await load('getAndDone', () => getAndDone(client, options));
  return { rates: rates as Record<Load, number>, micros: micros as Record<Load, number> };
}

interface Floors {
  /** Acks a second, each written separately. */
  readonly single: number;
  /** Acks a second, written together. */
  readonly batched: number;
}

async function measureFloors(options: Options): Promise<Floors> {
  const floors: Partial<Record<keyof Floors, number>> = {};
  for (const kind of ['single', 'batched'] as const) {
    const child = start([fileURLToPath(new URL('./urlfrontier-floor.ts', import.meta.url)), kind], 'pipe');
    const [port] = (await once(child.stdout!.setEncoding('utf8'), 'data')) as [string];
    const client = connectBench(`127.0.0.1:${Number(port)}`);
    const { urls, seconds } = await putUrls(client, { ...options, urls: Math.min(options.urls, 300_000) }, 1);
    floors[kind] = Math.round(urls / seconds);
    client.close();
    child.kill();
    await once(child, 'close');
  }
  return floors as Floors;
}

/** Messages per URL: a batch shares one, get and done take three. */
function floorOf(load: Load, { single, batched }: Floors, batch: number): object {
  const urlsPerAck = load.startsWith('batch') ? batch : load === 'getAndDone' ? 0.5 : 1;
  return {
    'floor, acks written singly': Math.round(single * urlsPerAck),
    'floor, together': Math.round(batched * urlsPerAck),
  };
}

async function withServer<T>(options: Options, act: (server: Server, options: Options) => Promise<T>): Promise<T> {
  if (options.target !== undefined) {
    const client = connectBench(options.target);
    try {
      return await act({ client, cpuMicros: () => undefined }, options);
    } finally {
      client.close();
    }
  }
  return inTemporaryFolder(async (folder) => {
    const main = fileURLToPath(new URL('../../../services/cli/main.ts', import.meta.url));
    const child = start([main, 'urlfrontier', '--port', '0', '--data', folder], 'pipe');
    try {
      const client = connectBench(`127.0.0.1:${await portOf(child)}`);
      const result = await act({ client, cpuMicros: () => 1_000 * cpuMillisOf(`/proc/${child.pid!}`).millis }, options);
      client.close();
      return result;
    } finally {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  });
}

/** A young generation as large as that of the command. */
function start(args: readonly string[], stdio: 'pipe'): ChildProcess {
  return spawn(process.execPath, ['--max-semi-space-size=32', '--import', 'tsx', ...args], { stdio });
}

function portOf(child: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      const port = /serving crawl .*:(\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(port);
    });
    child.once('close', () => reject(new Error(`the server ended: ${said}`)));
  });
}

function medians(all: readonly Record<Load, number>[]): Record<Load, number> {
  const of = (load: Load) => all.map((one) => one[load]).sort((a, b) => a - b)[all.length >> 1]!;
  return Object.fromEntries((Object.keys(peers) as Load[]).map((load) => [load, of(load)])) as Record<Load, number>;
}

function ratio(ours: number, theirs: number): number {
  return Number((ours / theirs).toFixed(2));
}

function optionsOf(args: readonly string[]): Options {
  const option = { type: 'string' } as const;
  const options = {
    urls: option,
    hosts: option,
    target: option,
    streams: option,
    batch: option,
    queues: option,
    runs: option,
    json: { type: 'boolean', default: false },
  } as const;
  let values: ReturnType<typeof parse>;
  try {
    values = parse();
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', (error as Error).message);
  }
  function parse() {
    return parseArgs({ args: [...args], options }).values;
  }
  const number = (name: 'urls' | 'hosts' | 'streams' | 'batch' | 'queues' | 'runs', byDefault: number) => {
    const value = Number(values[name] ?? byDefault);
    if (Number.isSafeInteger(value) && value > 0) return value;
    throw new CrawlstreamError('INVALID_ARGUMENT', `--${name} ${values[name]}: give a whole number above 0`);
  };
  return {
    urls: number('urls', 500_000),
    hosts: number('hosts', 10_000),
    streams: number('streams', 4),
    batch: number('batch', 100),
    queues: number('queues', 1_000),
    runs: number('runs', 1),
    target: values.target,
    json: values.json === true,
  };
}
