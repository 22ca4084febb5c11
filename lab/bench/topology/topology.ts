/**
 * `npm run bench -- topology [--urls N] [--hosts N] [--duplicates R] [--partitions P] [--compression CODEC]
 *     [--no-stages] [--json]`
 *
 * The service rate on a real broker. A generator fills `discovered`. Then one frontier process, on one core, reads it
 * as fast as it can, decides, writes its changelog and publishes tasks, until it has caught up. Generator, frontier and
 * broker are separate processes, and the frontier's cost is counted: all of its threads, from joining its group to
 * leaving it. Starts its own broker unless KAFKA_BROKERS names one.
 *
 * `bytes…PerUrl` are records' values. `…DiskBytesPerUrl` are bytes of the topics on the broker's disk, compressed, with
 * keys and batches' headers: null if this bench did not start the broker.
 *
 * In the same run, a bare client reads the same records of `discovered`, undecoded, and appends the changelog and the
 * tasks that the frontier wrote: `rawClientCpuMicrosPerUrl` is the lower limit.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { startBroker } from '../../kafka/broker.ts';
import { type BenchOptions, benchOptions } from '../bench-options.ts';
import { neverHere, onOneCore } from '../process/one-core.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { type CaughtUp, catchUp } from './topology-catch-up.ts';
import { fillDiscovered } from './topology-fill.ts';
import { measureRawClient, type RawClient } from './topology-raw.ts';
import { topologyStages } from './topology-stages.ts';
import { besideFetcher } from './topology-stand-in.ts';

/** Measurements of each process. */
const parts: Readonly<Record<string, (options: BenchOptions) => Promise<unknown>>> = {
  fill: fillDiscovered,
  frontier: (options) => inTemporaryFolder((folder) => catchUp(options, folder)),
  raw: measureRawClient,
};
/** The profiled run; its cost is not counted. */
const profiledUrlsMax = 1_000_000;

export async function run(args: readonly string[]): Promise<void> {
  const options = benchOptions(args, { urls: 3_000_000, hosts: 100_000 });
  if (options.part === undefined) return measure(args, options);
  const part = parts[options.part];
  if (part === undefined) throw new CrawlstreamError('INVALID_ARGUMENT', `--part ${options.part}: there is none`);
  await onOneCore('topology', args, () => part(options));
}

async function measure(args: readonly string[], options: BenchOptions): Promise<void> {
  const { urls, hosts, duplicates, partitions, compression, json } = options;
  const broker = await startBroker();
  const playPart = async <T>(part: string, crawl: string, count: number, more: readonly string[] = []) => {
    const where = ['--brokers', broker.brokers, '--crawl', crawl];
    return (await onOneCore<T>(
      'topology',
      [...args, '--part', part, ...where, '--urls', `${count}`, ...more],
      neverHere,
    ))!;
  };
  try {
    const crawl = `bench-${Date.now().toString(36)}`;
    const fill = await playPart<{ readonly cpuSeconds: number }>('fill', crawl, urls);
    const frontier = await besideFetcher(broker.brokers, crawl, () => playPart<CaughtUp>('frontier', crawl, urls));
    const raw = await playPart<RawClient>('raw', crawl, urls);
    const diskBytesPerUrl = (...names: readonly string[]) => {
      const bytes = names.map((name) => broker.diskBytes(`${crawl}.${name}`));
      return bytes.includes(undefined) ? null : Number((sum(bytes as number[]) / urls).toFixed(1));
    };
    const micros = (cpuSeconds: number) => Number(((1e6 * cpuSeconds) / urls).toFixed(3));
    const frontierMicros = micros(frontier.cpuSeconds);
    const rawMicros = micros(raw.read.cpuSeconds + raw.append.cpuSeconds);
    const stages = options.stages ? await stagesOf(`${crawl}-profiled`) : {};
    const figures = {
      name: 'topology',
      ...{ urls, partitions, hosts, duplicates, compression },
      admitted: frontier.admitted,
      tasks: frontier.tasks,
      urlsPerSecond: Math.round(urls / frontier.seconds),
      frontierCpuMicrosPerUrl: frontierMicros,
      urlsPerFrontierCpuSecond: Math.round(urls / frontier.cpuSeconds),
      generatorCpuMicrosPerUrl: micros(fill.cpuSeconds),
      rawClientCpuMicrosPerUrl: rawMicros,
      rawClientReadMicrosPerUrl: micros(raw.read.cpuSeconds),
      rawClientAppendMicrosPerUrl: micros(raw.append.cpuSeconds),
      rawClientUrlsPerCpuSecond: Math.round(1e6 / rawMicros),
      frontierOverRawClient: Number((frontierMicros / rawMicros).toFixed(1)),
      bytesReadPerUrl: Number((raw.readBytes / urls).toFixed(1)),
      bytesAppendedPerUrl: Number((raw.appendedBytes / urls).toFixed(1)),
      discoveredDiskBytesPerUrl: diskBytesPerUrl('discovered'),
      appendedDiskBytesPerUrl: diskBytesPerUrl('frontier-changelog', 'tasks'),
      rssBytes: frontier.rssBytes,
    };
    console.table(figures);
    if (options.stages) console.table(Object.entries(stages).map(([stage, spent]) => ({ stage, 'µs CPU/URL': spent })));
    if (json) process.stdout.write(`${JSON.stringify({ ...figures, stages })}\n`);

    async function stagesOf(profiled: string): Promise<Record<string, number>> {
      const count = Math.min(urls, profiledUrlsMax);
      await playPart('fill', profiled, count);
      return inTemporaryFolder(async (folder) => {
        const { threads } = await besideFetcher(broker.brokers, profiled, () =>
          playPart<CaughtUp>('frontier', profiled, count, ['--profile', folder]),
        );
        return topologyStages(folder, threads, frontierMicros);
      });
    }
  } finally {
    await broker.stop();
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
