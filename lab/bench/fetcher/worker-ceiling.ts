/**
 * `npm run bench -- worker-ceiling [--hosts N] [--pages N] [--fetchers 1,3,7,15,63] [--cores 2,4,8,16,64] [--worker-ms
 * N] [--json]`
 *
 * The limit of `crawl --workers`. The process with frontier and log uses one core, on any machine. It is run on one
 * core with the given numbers of fetchers that answer at once (simulated-fetchers.ts): each has a partition and a
 * separate channel, and all are in one other process. The CPU per page of the process with the log is measured, after a
 * quarter of the pages has warmed it. The CPU per page of a worker comes from a whole crawl with two workers (`bench
 * workers`), or is given: `--worker-ms`. From both, cores-model.ts predicts the rate of machines with `--cores` cores,
 * with one worker less than cores (two workers on two cores).
 *
 * The bench fails if a page is missing or comes twice.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runCrawl } from '../../../services/application/crawl/run-crawl.ts';
import type { FetchWorkersStart, RunningFetcher } from '../../../services/application/workers/fetch-workers.ts';
import { createTaskShares } from '../../../services/application/workers/task-shares.ts';
import { sumStats } from '../../../services/application/workers/worker-stats.ts';
import { openCodec } from '../../../services/runtime/avro/record-codec.ts';
import { createEmbeddedRegistry, type SchemaRegistry } from '../../../services/runtime/avro/schema-registry.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { policyRecords, seedRecords } from '../../../services/runtime/crawl/requests.ts';
import { type Channel, createChannel } from '../../../services/runtime/log/channel/message-channel.ts';
import { serveLog } from '../../../services/runtime/log/channel/serve-log.ts';
import { openEmbeddedLog } from '../../../services/runtime/log/embedded-log.ts';
import type { Log } from '../../../services/runtime/log/log.ts';
import { openStateStore } from '../../../services/runtime/store/open-store.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { topicsOfCrawl } from '../../../topology/topics.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { planWeb } from '../../web/plan.ts';
import { canPinTo, startNode } from '../process/compiled-process.ts';
import { onOneCore } from '../process/one-core.ts';
import { startCost } from '../process/process-cost.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { crawlOn } from './cores-model.ts';
import { ordersFor, simulatedPort } from './simulated-fetchers.ts';
import { measureWorkers } from './workers.ts';

interface Ceiling {
  readonly fetchers: number;
  readonly pages: number;
  /** Figures of the process with frontier and log. */
  readonly cpuMillisPerPage: number;
  /** Share of its time on the CPU: for the rest it waited for fetchers, disk or its core. */
  readonly busyShare: number;
}

interface Web {
  readonly hosts: number;
  readonly pagesPerHost: number;
}

const crawl = 'bench';
const playersCore = 0;

export async function run(args: readonly string[]): Promise<void> {
  const { web, fetchers, cores, workerMillis: given, json } = optionsOf(args);
  const ceilings: Ceiling[] = [];
  for (const count of fetchers) {
    const one = await onOneCore('worker-ceiling', [...args, '--fetchers', `${count}`], () =>
      inTemporaryFolder((folder) => measure(folder, web, count)),
    );
    if (one === undefined) return;
    ceilings.push(one);
    process.stdout.write(
      `${count} fetchers: ${one.pages} pages, ${one.cpuMillisPerPage} ms a page of the process with frontier and log, which was busy for ${one.busyShare} of the time\n`,
    );
  }
  const workerMillis = given ?? (await workerPageMillis(web));
  process.stdout.write(`a page takes ${workerMillis} ms of a worker's CPU\n`);
  const expected = cores.map((count) => {
    const workers = Math.max(2, count - 1);
    const { cpuMillisPerPage: ownMillis } = nearest(ceilings, workers);
    const { pagesPerSecond, bound } = crawlOn(count, workers, { ownMillis, workerMillis });
    return { cores: count, workers, ownMillis, workerMillis, pagesPerSecond: Math.round(pagesPerSecond), bound };
  });
  console.table(expected);
  const most = ceilings.map(({ fetchers, cpuMillisPerPage: ownMillis }) => {
    const { pagesPerSecond } = crawlOn(fetchers + 1, fetchers, { ownMillis, workerMillis });
    return { fetchers, pagesPerSecond: Math.round(pagesPerSecond) };
  });
  const best = most.reduce((best, one) => (one.pagesPerSecond > best.pagesPerSecond ? one : best));
  process.stdout.write(`of those, ${best.fetchers} workers do most: ${best.pagesPerSecond} pages a second\n`);
  if (json) process.stdout.write(`${JSON.stringify({ name: 'worker-ceiling', ...web, ceilings, expected })}\n`);
}

/** The measured number of fetchers that is nearest to the wanted one. */
function nearest(ceilings: readonly Ceiling[], workers: number): Ceiling {
  const far = ({ fetchers }: Ceiling) => Math.abs(Math.log(fetchers / workers));
  return ceilings.reduce((best, one) => (far(one) < far(best) ? one : best));
}

async function workerPageMillis({ hosts, pagesPerHost }: Web): Promise<number> {
  const options = { runs: 1, workers: 2, hosts, pages: pagesPerHost };
  const { cpuMillisPerPage, ownCpuMillisPerPage } = await measureWorkers(options, [], [], 2);
  return Number((cpuMillisPerPage - ownCpuMillisPerPage).toFixed(3));
}

async function measure(folder: string, web: Web, fetchers: number): Promise<Ceiling> {
  const clock = new SystemClock();
  const manifest = { crawl, partitions: fetchers, keyMode: 'host' } as const;
  const logStore = await openStateStore(join(folder, 'log'));
  const stores = [];
  for (let n = 0; n < fetchers; n++) stores.push(await openStateStore(join(folder, `state-${n}`)));
  const log = await openEmbeddedLog(logStore, clock, { groupIntervalMs: crawlLimits.groupIntervalMs });
  await log.createTopics(topicsOfCrawl(crawl, fetchers));
  const registry = createEmbeddedRegistry(logStore);
  const codec = await openCodec(registry, crawl);
  const policy = { ...defaultPolicy(), delayMs: 0, delayFactor: 0, scope: { kind: 'all' as const, names: [] } };
  await log.append(policyRecords(codec, manifest, policy, 'bench', clock.nowMs()));
  const seeds = planWeb({ preset: 'plain', ...web }).seeds(simulatedPort);
  await log.append(seedRecords(codec, manifest, seeds, clock.nowMs()));
  const socket = join(folder, 'socket');
  const pages = web.hosts * web.pagesPerHost;
  let warm: { readonly end: ReturnType<typeof startCost>; readonly pages: number } | undefined;
  const { counters } = await runCrawl({
    ...{ log, codec, clock, manifest },
    signal: new AbortController().signal,
    processors: {
      failed: new Promise<never>(() => {}),
      settle: async () => {},
      drain: async () => {},
      stop: async () => {},
    },
    onStatus: (status) => {
      if (status.counters.page >= pages / 4) warm ??= { end: startCost(), pages: status.counters.page };
    },
    frontier: {
      ...{ key: { hi: 0x1234_5678, lo: 0x9abc_def0 }, stores, endsLeases: true },
      leasesMax: Math.max(crawlLimits.leasesMax, fetchers),
    },
    // Takes the place that the fetcher would have in a separate process.
    fetcher: { fetcherId: 'none', normalize: compileNormalizer(), config: neverUsed() },
    workers: (start) => serveFetchers({ log, registry, manifest, socket, fetchers, web }, start),
  });
  if (warm === undefined)
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `--hosts, --pages: ${pages} pages are over before they are measured`,
    );
  const { cpuSeconds, seconds } = warm.end();
  await log.close();
  for (const store of [logStore, ...stores]) await store.close();
  // A robots.txt for each host, and each page once.
  if (counters.page !== pages || counters.fetches !== pages + web.hosts)
    throw new Error(`${counters.page} pages of ${pages}, by ${counters.fetches} requests: ${JSON.stringify(counters)}`);
  return {
    fetchers,
    pages: counters.page,
    cpuMillisPerPage: Number(((1_000 * cpuSeconds) / (counters.page - warm.pages)).toFixed(3)),
    busyShare: Number((cpuSeconds / seconds).toFixed(2)),
  };
}

interface Served {
  readonly log: Log;
  readonly registry: SchemaRegistry;
  readonly manifest: { readonly crawl: string; readonly partitions: number; readonly keyMode: 'host' };
  readonly socket: string;
  readonly fetchers: number;
  readonly web: Web;
}

function serveFetchers(
  { log, registry, manifest, socket, fetchers, web }: Served,
  start: FetchWorkersStart,
): RunningFetcher {
  const shares = createTaskShares(log, manifest, fetchers, start.at);
  const channels: Channel[] = [];
  const server = createServer((stream) => {
    let channel: Channel | undefined;
    const { served, close } = serveLog(shares.logOf(channels.length), () => channel!);
    const schemas = { 'schemas.idFor': registry.idFor, 'schemas.byId': registry.schemaById };
    channel = createChannel(stream, { ...served, ...schemas }, start.onFailure);
    channels.push(channel);
    void channel.closed.then(close);
  });
  const program = fileURLToPath(new URL('./simulated-fetchers.js', import.meta.url));
  const players = shares.placed.then(async () => {
    await once(server.listen(socket), 'listening');
    const core = canPinTo([playersCore]) ? playersCore : null;
    const orders = ordersFor({ socket, count: fetchers, manifest, ...web });
    const child = startNode(core, ['--max-semi-space-size=32', program, orders], ['ignore', 'inherit', 'inherit']);
    child.once('exit', (code) => code !== 0 && start.onFailure(new Error(`the fetchers ended with ${code}`)));
    return child;
  });
  players.catch(start.onFailure);
  const stop = async () => {
    const child = await players;
    const ended = once(child, 'exit');
    await Promise.all(channels.map((channel) => channel.call('stop')));
    for (const channel of channels) channel.close();
    server.close();
    await ended;
  };
  let stopped: Promise<void> | undefined;
  return { stats: () => sumStats([]), positions: shares.positions, stop: () => (stopped ??= stop()) };
}

function neverUsed() {
  const reach = { version: '0', contact: '', allowPrivate: false, resolve: [], addressDelayMs: 0 };
  return { ...reach, groupSize: () => 1, linksMax: 1 };
}

function optionsOf(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const names = { hosts: text, pages: text, fetchers: text, cores: text, 'worker-ms': text } as const;
  let values: { readonly [name in keyof typeof names]?: string } & { json: boolean };
  try {
    values = parseArgs({ args: [...args], options: { ...names, json: { type: 'boolean', default: false } } }).values;
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', (error as Error).message);
  }
  const counts = (name: keyof typeof names, byDefault: string) =>
    (values[name] ?? byDefault).split(',').map((one) => {
      const value = Number(one);
      if (Number.isSafeInteger(value) && value > 0) return value;
      throw new CrawlstreamError('INVALID_ARGUMENT', `--${name} ${values[name]}: give whole numbers above 0`);
    });
  const millis = values['worker-ms'] === undefined ? undefined : Number(values['worker-ms']);
  if (millis !== undefined && !(millis > 0))
    throw new CrawlstreamError('INVALID_ARGUMENT', `--worker-ms ${values['worker-ms']}: give a number above 0`);
  return {
    web: { hosts: counts('hosts', '500')[0]!, pagesPerHost: counts('pages', '40')[0]! },
    fetchers: counts('fetchers', '1,3,7,15,63'),
    cores: counts('cores', '2,4,8,16,64'),
    workerMillis: millis,
    json: values.json,
  };
}
