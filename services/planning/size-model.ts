/**
 * Derives machines from requirements: a number of URLs on a number of hosts, a rate, a delay. On Kafka these are
 * frontiers and fetchers in processes of one core each, partitions, and the load and storage of the brokers.
 *
 * Everything is proportional to the URLs that are known, that wait, or that are processed each second; the factors are
 * in coefficients.ts.
 */
import { CrawlstreamError } from '../../topology/errors.ts';
import { crawlLimits } from '../../topology/policy/crawl-limits.ts';
import { topics } from '../../topology/topics.ts';
import { busyShare, cpuMicros, followerShare, memoryBytes, webDefaults } from './coefficients.ts';
import { embeddedCosts, seenBytes, stateBytesOf, topicBytesOf, type Volumes } from './embedded-costs.ts';

export interface SizeInput {
  /** Number of URLs to know and fetch in all. */
  readonly urls: number;
  readonly hosts: number;
  /** Pages a second. */
  readonly rate: number;
  readonly delayMs: number;
  readonly fetchMs: number;
  readonly linksPerPage: number;
  /** Copies of each partition on the brokers. */
  readonly replication: number;
  /** Retention of `pages` on the brokers; null: the default of the topic (topology/topics.ts). */
  readonly pagesKeptDays: number | null;
}

export const sizeDefaults = {
  fetchMs: webDefaults.fetchMs,
  linksPerPage: webDefaults.linksPerPage,
  replication: 3,
  pagesKeptDays: null,
} as const;

export interface Sizing {
  /** Days until every URL has been fetched. */
  readonly days: number;
  /** Highest rate that the hosts' delays allow, pages a second; infinite (in JSON null) without a delay. */
  readonly rateMax: number;
  /** Hosts on lease at a time: `--concurrency` of frontiers, and of fetchers together. */
  readonly hostsAtOnce: number;
  readonly partitions: number;
  readonly urlsPerPartition: number;
  readonly frontiers: Service;
  readonly fetchers: Service;
  /** All of them. */
  readonly brokers: Brokers;
  /** In one process on the embedded log, everything kept; null: more than one core can do. */
  readonly laptop: Laptop | null;
  /** Bytes per second received by fetchers. */
  readonly receivedBytesPerSecond: number;
}

interface Service {
  /** Busy. */
  readonly cores: number;
  readonly processes: number;
  /** Memory of all processes. */
  readonly memoryBytes: number;
  /** Disk of all processes, at the end. */
  readonly diskBytes: number;
}

interface Brokers {
  readonly cores: number;
  /** Bytes from clients; between brokers there are as many again for each further copy. */
  readonly inBytesPerSecond: number;
  readonly outBytesPerSecond: number;
  /** With copies. */
  readonly diskBytes: number;
  /** Time after which a page is deleted: its retention by time or by bytes, whichever ends first. */
  readonly pagesKeptSeconds: number;
  /** `retention.bytes` of `pages` for that; above the topic's default if `pagesKeptDays` needs more. */
  readonly pagesRetentionBytes: number;
}

interface Laptop {
  readonly cores: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

/** Restores, snapshots and looks-up on disk stay quick up to here; collisions of fingerprints are at 3·10⁻⁴. docs/design.md §4.16. */
export const urlsPerPartition = 100e6;
/** Beyond this, even the filters before the disk are too large. */
const urlsPerPartitionMax = 1e9;
/** Fewer partitions than the default make no crawl cheaper, and raising the number needs a repartition. */
const partitionsMin = 8;
/** A frontier's memory at most, so that it restarts in minutes. */
const frontierMemoryMax = 16e9;
/** Topics of state are trimmed below the oldest of three snapshots, hours apart. */
const stateKeptSeconds = 86_400;

export function sizeOf(input: SizeInput): Sizing {
  const { urls, hosts, rate, delayMs } = input;
  const rateMax = delayMs === 0 ? Number.POSITIVE_INFINITY : (1000 * hosts) / delayMs;
  refuse(input, rateMax);
  const volumes = volumesOf(input, urls);
  const aSecond = volumesOf(input, rate);
  const linkMicros = memoryBytes.url * urls > memoryBytes.seen ? cpuMicros.linkOnDisk : cpuMicros.link;
  const decideMicros = input.linksPerPage * linkMicros + cpuMicros.lease;
  const cores = (micros: number) => (rate * micros) / 1e6;
  const frontierCores = cores(decideMicros + cpuMicros.frontierOnKafka);
  const partitions = roundUp(Math.max(partitionsMin, urls / urlsPerPartition, frontierCores / busyShare));
  const hostsAtOnce = hostsAtOnceFor(input);
  const copies = 1 + followerShare * (input.replication - 1);
  return {
    days: urls / rate / 86_400,
    rateMax,
    hostsAtOnce,
    partitions,
    urlsPerPartition: urls / partitions,
    frontiers: frontiersFor(volumes, frontierCores, partitions),
    fetchers: fetchersFor(cores(cpuMicros.fetchOnKafka), hostsAtOnce),
    brokers: {
      cores: cores(cpuMicros.broker) * copies,
      ...trafficOf(aSecond),
      ...keptOf(input, volumes, aSecond, partitions),
    },
    laptop: laptopFor(volumes, aSecond),
    receivedBytesPerSecond: rate * webDefaults.pageBytes * webDefaults.gzipShare,
  };
}

/** A host is on lease while it is fetched from, and while it waits for its next turn. */
function hostsAtOnceFor({ hosts, rate, delayMs, fetchMs }: SizeInput): number {
  return Math.min(hosts, Math.ceil((rate * (delayMs + fetchMs)) / 1000));
}

function volumesOf({ linksPerPage, hosts }: SizeInput, pages: number): Volumes {
  return { urls: pages, pages, links: pages * linksPerPage, hosts };
}

/** Throws INVALID_ARGUMENT if no machine would be enough. */
function refuse(input: SizeInput, rateMax: number): void {
  const { urls, hosts, rate, delayMs, fetchMs } = input;
  if (rate > rateMax) {
    const least = Math.ceil((rate * delayMs) / 1000);
    const delay = Math.floor((1000 * hosts) / rate);
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `--rate ${rate}: ${hosts} hosts with one page per ${delayMs} ms each allow at most ${Number(rateMax.toPrecision(3))} pages/s: ` +
        `lower the rate, or use ${least} hosts, or --delay ${delay}ms, or crawl your own hosts with several leases (\`parallel\`)`,
    );
  }
  const atOnce = hostsAtOnceFor(input);
  if (atOnce > crawlLimits.concurrencyMax) {
    const most = Math.floor((1000 * crawlLimits.concurrencyMax) / (delayMs + fetchMs));
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `--rate ${rate}: ${atOnce} hosts at once would be needed, but a crawl leases at most ${crawlLimits.concurrencyMax}: ` +
        `use at most ${most} pages/s, a shorter --delay, or several crawls split by host`,
    );
  }
  if (hosts > urls) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `--hosts ${hosts}: there cannot be more hosts than URLs; give ${urls} or fewer`,
    );
  }
  const most = crawlLimits.partitionsMax * urlsPerPartitionMax;
  if (urls > most) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `--urls ${urls}: a crawl holds at most ${most} (${crawlLimits.partitionsMax} partitions); split it into several crawls by host`,
    );
  }
}

function frontiersFor(volumes: Volumes, cores: number, partitions: number): Service {
  const { process, storesMax, host } = memoryBytes;
  const memoryOf = (processes: number) => {
    const urls = volumes.urls / processes;
    return process + storesMax / 2 + seenBytes(urls) + (host * volumes.hosts) / processes;
  };
  let processes = Math.min(partitions, Math.max(1, Math.ceil(cores / busyShare)));
  while (processes < partitions && memoryOf(processes) > frontierMemoryMax) processes += 1;
  return { cores, processes, memoryBytes: processes * memoryOf(processes), diskBytes: stateBytesOf(volumes) };
}

function fetchersFor(cores: number, hostsAtOnce: number): Service {
  const processes = Math.max(
    Math.ceil(cores / busyShare),
    Math.ceil(hostsAtOnce / (crawlLimits.concurrencyMax / 10)),
    1,
  );
  const memory = processes * memoryBytes.fetcher + hostsAtOnce * memoryBytes.lease;
  return { cores, processes, memoryBytes: memory, diskBytes: 0 };
}

/** Every record goes in once; the frontier reads its inputs, fetchers their tasks, one consumer the pages. */
function trafficOf(aSecond: Volumes): Pick<Brokers, 'inBytesPerSecond' | 'outBytesPerSecond'> {
  const bytes = topicBytesOf(aSecond);
  const inBytesPerSecond = Object.values(bytes).reduce((sum, one) => sum + one, 0);
  return { inBytesPerSecond, outBytesPerSecond: inBytesPerSecond - bytes['frontier-changelog'] };
}

/** Bytes on the brokers at the end of the crawl. */
function keptOf(
  { rate, replication, pagesKeptDays }: SizeInput,
  whole: Volumes,
  aSecond: Volumes,
  partitions: number,
): Pick<Brokers, 'diskBytes' | 'pagesKeptSeconds' | 'pagesRetentionBytes'> {
  const seconds = whole.pages / rate;
  const bytes = topicBytesOf(aSecond);
  /** Retention of the topic with its default settings, seconds. */
  const lasts = (topic: 'pages' | 'tasks') => {
    const { days, bytes: most } = topics[topic].kept!;
    return Math.min(86_400 * days, (partitions * most) / bytes[topic]);
  };
  const kept = (topic: keyof typeof bytes, most: number) => bytes[topic] * Math.min(seconds, most);
  const pagesKeptSeconds = pagesKeptDays === null ? lasts('pages') : 86_400 * pagesKeptDays;
  const copy =
    kept('pages', pagesKeptSeconds) +
    kept('tasks', lasts('tasks')) +
    kept('discovered', stateKeptSeconds) +
    kept('results', stateKeptSeconds) +
    kept('frontier-changelog', stateKeptSeconds);
  const needed = Math.ceil((bytes.pages * pagesKeptSeconds) / partitions);
  return {
    diskBytes: replication * copy,
    pagesKeptSeconds,
    pagesRetentionBytes: Math.max(topics.pages.kept!.bytes, needed),
  };
}

function laptopFor(whole: Volumes, aSecond: Volumes): Laptop | null {
  const cores = embeddedCosts(aSecond).cpuMs / 1000;
  if (cores > busyShare || whole.urls > urlsPerPartition) return null;
  const { memoryBytes: memory, stateBytes, logBytes } = embeddedCosts(whole);
  return { cores, memoryBytes: memory, diskBytes: stateBytes + logBytes };
}

/**
 * Rounds up to a number with many divisors, so that members can share the partitions evenly; the crawl's limit is never
 * exceeded.
 */
function roundUp(count: number): number {
  const step = count <= 16 ? 4 : count <= 64 ? 8 : count <= 256 ? 16 : 64;
  return Math.min(crawlLimits.partitionsMax, Math.ceil(count / step) * step);
}
