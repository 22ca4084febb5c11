/** `crawl --brokers`: a frontier and a fetcher in one process, beside any others of the same crawl, until its end. */
import { sumCounters } from '../../../topology/frontier/changes/counters.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import type { ListedSeed } from '../../../topology/url/seed-list.ts';
import type { CrawlOutcome } from '../../application/crawl/crawl-outcome.ts';
import { type CrawlStatus, hostsOf, trapsOf, watchCrawl } from '../../application/crawl/watch-crawl.ts';
import type { Lender } from '../../application/extension/lease-clients.ts';
import { recordPlugins } from '../../application/plugin/record-plugins.ts';
import type { Processor } from '../../application/processor/processor.ts';
import { type RunningProcessors, startProcessors } from '../../application/start-processors.ts';
import * as topology from '../../application/topology.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import type { Clock } from '../../runtime/clock.ts';
import { followControl } from '../../runtime/crawl/control-log.ts';
import { DuplicateCounts } from '../../runtime/crawl/duplicate-counts.ts';
import { lookAt } from '../../runtime/crawl/look.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import { watchCluster } from '../connect/cluster-watch.ts';
import type { GivenOptions } from '../connect/crawl-folder.ts';
import { type KafkaConnection, withKafka } from '../connect/kafka-connection.ts';
import { ownFolder } from '../connect/own-folder.ts';
import { placeText } from '../connect/place-text.ts';
import { sendToKafka } from '../connect/send-to-kafka.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import type { FetcherFlags } from '../options/fetching.ts';
import { fetcherConfig, needContact } from '../options/fetching.ts';
import type { OpenPlugins } from '../options/plugins.ts';
import { type ProcessorFlags, reachOf } from '../options/processors.ts';
import type { SeenFlags } from '../options/seen.ts';
import type { SnapshotRoleFlags } from '../options/snapshots.ts';
import type { PolicyFlags } from '../policy/policy-of.ts';
import type { QueryService } from '../roles/query-service.ts';
import { takeFetcherRole, takeFrontierRole } from '../roles/take-role.ts';
import { awaitRelease } from './await-release.ts';
import type { CrawlPlan } from './crawl-plan.ts';
import { keepOptions } from './keep-options.ts';
import type { SeedRedirects } from './seed-redirects.ts';
import { storedRedirects } from './stored-redirects.ts';

export interface KafkaCrawl {
  readonly clock: Clock;
  /** Normal. */
  readonly seeds: readonly ListedSeed[];
  /** Gets the status of the crawl. */
  readonly service: Service;
  /** Gets the frontier, to answer queries with. */
  readonly queries: QueryService;
  readonly flags: KafkaFlags &
    PolicyFlags &
    FetcherFlags &
    SeenFlags &
    SnapshotRoleFlags &
    ProcessorFlags & { readonly newOptions?: boolean };
  /** Leases URLs to clients; the crawl then ends only when it is stopped. Absent: no clients. */
  readonly lending: Lender | undefined;
  readonly plugins: OpenPlugins;
  /** Processors in this process. */
  readonly beside: readonly Processor[];
  /** Options to store for a resume on this machine. */
  readonly options: GivenOptions;
  readonly seedRedirects: SeedRedirects;
  say(text: string): void;
  readonly signal: AbortSignal;
  readonly onStatus: (status: CrawlStatus) => void;
  /** Called before the crawl starts. */
  onPlan(plan: CrawlPlan): void;
  readonly onReport: NonNullable<FetcherConfig['onReport']>;
}

/** Interval of the checks, ms. Each asks the brokers for about a dozen offsets a partition. */
const lookEveryMs = 300;

export async function runKafkaCrawl(crawl: KafkaCrawl): Promise<CrawlOutcome> {
  const { clock, seeds, flags } = crawl;
  const startedAtMs = clock.nowMs();
  if (seeds.length === 0) needContact(flags, []);
  return withKafka(flags, clock, true, (connection) => runConnected(crawl, connection, startedAtMs), undefined, true);
}

async function runConnected(
  crawl: KafkaCrawl,
  connection: KafkaConnection,
  startedAtMs: number,
): Promise<CrawlOutcome> {
  const { clock, flags, service, queries, plugins, say } = crawl;
  const { log, codec, manifest } = connection;
  service.crawl = manifest.crawl;
  service.partitions = manifest.partitions;
  codec.waits.onWait = ({ message }) => crawl.say(`${message}; retrying until it is available`);
  await plan(crawl, connection);
  const control = followControl(log, codec, manifest.crawl);
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => {});
  const role = { ...connection, clock, flags, service, queries, onFailure: fail };
  const frontier = await takeFrontierRole(role);
  const cluster = watchCluster({ ...connection, clock, say });
  service.away = cluster.away;
  service.sources.add(cluster.metrics);
  service.probes.serve(
    () => cluster.waitsFor() ?? frontier.waitsFor(),
    () => cluster.note(frontier.note()),
  );
  let consumers: RunningProcessors | undefined;
  const stopping = new AbortController();
  let parts: Promise<unknown> | undefined;
  try {
    const folder = await ownFolder(flags, manifest);
    await keepOptions(folder, crawl.options);
    const run = { shared: true, fromStart: false, reach: reachOf(flags), service, say };
    await recordPlugins({ log, codec, clock, manifest }, topology.fetcher, plugins.loaded, 'crawlstream crawl');
    const context = { log, codec, clock, manifest, part: folder.part, ...run, ...plugins.hooks };
    consumers = await startProcessors(context, crawl.beside, flags);
    const config = { ...fetcherConfig(flags), ...plugins.hooks, onReport: crawl.onReport, say };
    const beside = await queries.start(config);
    parts = Promise.all(beside.map((work) => work(stopping.signal)));
    parts.catch(fail);
    const fetcher = await takeFetcherRole(role, { ...config, outside: crawl.lending?.outside });
    crawl.lending?.open({ log, codec, clock, topics: manifest });
    const roles = { frontier, fetcher, consumers, failed: Promise.race([failed, consumers.failed]) };
    const outcome = await untilEnd(crawl, connection, roles, control, startedAtMs);
    await consumers.drain();
    const duplicates = await new DuplicateCounts({ log, codec, topics: manifest }).look().catch(() => null);
    return { ...outcome, duplicates };
  } finally {
    stopping.abort();
    await Promise.allSettled([frontier.stop(), consumers?.stop(), parts, cluster.stop()]);
  }
}

/** Sends policy and seeds, and reports the plan. */
async function plan(crawl: KafkaCrawl, connection: KafkaConnection): Promise<void> {
  const { clock, seeds, flags, say } = crawl;
  const { fields } = crawl.plugins;
  const { log, codec, manifest } = connection;
  const flagsDo = flags.newOptions === true ? 'replace' : 'change';
  const policy = await sendToKafka({ ...connection, clock, seeds, flags, fields, flagsDo, say });
  const given = seeds.map(({ url }) => url);
  await crawl.seedRedirects.open({
    policy,
    seeds: given,
    stored: () => storedRedirects(log, codec, manifest),
    follow: (urls) => {
      const targets = urls.map((url) => ({ url, priority: -1 }));
      return sendToKafka({ ...connection, clock, seeds: targets, flags, fields, flagsDo: 'change', say });
    },
  });
  const place = `Kafka at ${flags.brokers}, crawl ${flags.crawl}`;
  crawl.onPlan({ policy, seeds: given, place, options: null });
}

interface Roles {
  readonly frontier: Awaited<ReturnType<typeof takeFrontierRole>>;
  readonly fetcher: Awaited<ReturnType<typeof takeFetcherRole>>;
  readonly consumers: RunningProcessors;
  readonly failed: Promise<never>;
}

/** Watches the crawl until it ends, then stops its fetcher. */
async function untilEnd(
  crawl: KafkaCrawl,
  { log, manifest }: KafkaConnection,
  { frontier, fetcher, consumers, failed }: Roles,
  control: ReturnType<typeof followControl>,
  startedAtMs: number,
): Promise<Omit<CrawlOutcome, 'duplicates'>> {
  const { clock, signal, service, queries } = crawl;
  const look = async () => {
    const { policy } = await control();
    const pageQuota = policy === null ? null : parsePolicy(policy.json).pageQuota;
    return lookAt(log, manifest.crawl, manifest.partitions, pageQuota);
  };
  try {
    const hosts = () => hostsOf(frontier.committed().values());
    const { settle } = consumers;
    const stays = () => crawl.lending?.look() ?? (crawl.seedRedirects.isBusy ? () => {} : undefined);
    const awaitsRelease = awaitRelease(crawl);
    const watched = {
      ...crawl,
      stays,
      awaitsRelease,
      startedAtMs,
      everyMs: lookEveryMs,
      look,
      hosts,
      settle,
      signal,
      failed,
    };
    const end = await watchCrawl(watched);
    const { partitions } = await look();
    const counters = sumCounters(partitions.map((partition) => partition.counters));
    const traps = trapsOf(frontier.committed().values());
    const outcome = { end, counters, traps, seconds: (clock.nowMs() - startedAtMs) / 1000 };
    await queries.over(end);
    return outcome;
  } finally {
    service.probes.suspend('stopping');
    crawl.lending?.close();
    await fetcher.stop();
    await crawl.seedRedirects.settle();
  }
}

/** The options that name this crawl to other commands. */
export function kafkaPlace({ brokers, registry, crawl }: KafkaFlags): string {
  return placeText({ brokers, registry, crawl });
}
