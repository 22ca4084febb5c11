/**
 * The fetcher: takes leases from `tasks`, fetches politely, and publishes pages, links and results.
 *
 * Its state is disposable: the frontier knows the same. Leases run in parallel, and most of them wait for a delay;
 * requests in flight are bounded over all leases. It reads tasks only while it has room for more leases. So the others
 * wait in the log, where another fetcher may get them.
 */
import { setMaxListeners } from 'node:events';
import type { OutcomeKind, Request, Task } from '../../schemas/types.ts';
import { compileAddressGuard } from '../../topology/fetch/address.ts';
import { networkLimits } from '../../topology/fetch/network-limits.ts';
import { orderedDelayMs } from '../../topology/frontier/decide/politeness.ts';
import { crawlLimits } from '../../topology/policy/crawl-limits.ts';
import { type KeyMode, partitionKeyOf } from '../../topology/url/host-key.ts';
import type { Normalizer } from '../../topology/url/normalize.ts';
import type { RecordCodec } from '../runtime/avro/record-codec.ts';
import type { Clock } from '../runtime/clock.ts';
import { appendDeadLetters } from '../runtime/log/append-dead-letters.ts';
import type { Log, Position } from '../runtime/log/log.ts';
import { pollOn } from '../runtime/log/poll-on.ts';
import { Distribution, secondsBounds, waitBounds } from '../runtime/metrics/distribution.ts';
import type { SpanSink } from '../runtime/tracing/spans.ts';
import { clientOptions } from './client-options.ts';
import { createDnsLookup, type DnsLookup } from './connect/dns-lookup.ts';
import { prefetchName } from './connect/prefetch-name.ts';
import { compileOverrides } from './connect/resolve-override.ts';
import { createResolver } from './connect/resolver.ts';
import type { FetcherConfig } from './fetcher-config.ts';
import { fetcherLimits } from './fetcher-limits.ts';
import type { FetcherStats } from './fetcher-stats.ts';
import { createHooks } from './hooks/run-hooks.ts';
import { agreedIdentities } from './http/agreed-identity.ts';
import { createHttpClient, type HttpClient, type HttpClientOptions } from './http/client.ts';
import { acceptEncoding } from './http/content-coding.ts';
import { pageAccept, productTokensOf, requestHeaders, sitemapAccept } from './http/identity.ts';
import { requestLimits } from './http/request-limits.ts';
import { compileRequestRules } from './http/request-rules.ts';
import { createSigner } from './http/web-bot-auth.ts';
import { runnerAs } from './leases/agreed-runner.ts';
import { createTaskBacklog } from './leases/backlog.ts';
import { watchBlockedHosts } from './leases/blocked-hosts.ts';
import { createHostSlots } from './leases/host-slots.ts';
import { createTaskIntake } from './leases/intake.ts';
import { createLateReports } from './leases/late-reports.ts';
import { type LeaseRunner, runLease } from './leases/lease.ts';
import { createNameGate } from './leases/name-gate.ts';
import { type AddressPacer, createAddressPacer } from './pace/address-pacer.ts';
import { type Bandwidth, createBandwidth } from './pace/bandwidth.ts';
import { createGrantClock } from './pace/grant-clock.ts';
import { createOwnNetwork, type OwnNetwork } from './pace/own-network.ts';
import { pacedRequest } from './pace/paced-request.ts';
import { createPacer } from './pace/pacer.ts';
import { createProcessorShare } from './pace/processor-share.ts';
import { createSlots } from './pace/slots.ts';
import { createExtractor, type ExtractorOptions } from './pages/extract.ts';
import { compileExtractRules } from './pages/extract-rules.ts';
import { renderWish } from './pages/render-wish.ts';
import { openPayments } from './pay/payments.ts';
import { followPolicy } from './policy-in-force.ts';
import { bodyArchive, createExchangeRecords } from './publish/exchange-records.ts';
import { createLinkCache } from './publish/link-cache.ts';
import { createPublisher } from './publish/publisher.ts';
import { createRobotsCache, type RobotsCache } from './robots/cache.ts';
import { exceptHosts } from './robots/exempt-hosts.ts';
import type { FetcherPace } from './robots/shared-robots.ts';
import { createTdmFiles } from './robots/tdm-files.ts';
import { createSitemapAgenda } from './sitemaps/agenda.ts';

export interface FetcherOptions {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly config: FetcherConfig;
  /** Prefix of the topics, and the namespace of the group. */
  readonly crawl: string;
  /** Partitions of every topic. */
  readonly partitions: number;
  readonly keyMode: KeyMode;
  readonly fetcherId: string;
  /** Normaliser of the policy in force. */
  readonly normalize: Normalizer;
  /** Group with the committed positions. */
  readonly group: string;
  /** Positions from which to read `tasks`. More may follow by `assign`. */
  readonly positions: readonly { readonly partition: number; readonly offset: number }[];
  readonly dnsLookup?: DnsLookup;
  /** Limits shared with other fetchers directly. Absent: the fetcher has its share of the group's limits. */
  readonly addressPacer?: AddressPacer;
  readonly bandwidth?: Bandwidth;
  /** Pacing shared with fetchers of other crawls (pace/fleet-pace.ts). Absent: no other crawl uses its hosts. */
  readonly crawlPace?: FetcherPace;
  /** Options for parsing pages. Absent: the limits of a fetcher. */
  readonly extractor?: ExtractorOptions;
  /** Makes the HTTP client. Absent: the real one. */
  readonly openHttp?: (options: HttpClientOptions) => HttpClient;
  /** Watch the network although `openHttp` replaces HTTP. Absent: a replacement counts as always connected. */
  readonly watchesNetwork?: boolean;
  /** Draws the key of the link cache, below `max`. Absent: the machine's generator. */
  readonly randomInt?: (max: number) => number;
  /** Receives spans of traced URLs. Absent: they are dropped. */
  readonly onSpan?: SpanSink | undefined;
  /**
   * Continues a robots.txt redirect that came from another host (RobotsCache). Absent: this fetcher keeps the answer.
   */
  readonly hop?: RobotsCache['hop'] | undefined;
  /** Called once all reports of a lease are durable. */
  readonly onReported?: ((task: Task) => void) | undefined;
  /** The log failed: the fetcher has stopped taking leases, and must be stopped. */
  readonly onFailure: (error: unknown) => void;
}

export interface Fetcher {
  /** Starts reading a partition of `tasks`; leases of other partitions continue. */
  assign(partition: number, offset: number): void;
  /** Stops reading a partition; leases already taken are finished. */
  revoke(partition: number): void;
  stats(): FetcherStats;
  readonly robots: Pick<RobotsCache, 'hop' | 'forgetMoves'>;
  /** Cancels the requests in progress: their URLs return. */
  breakOff(): Promise<void>;
  /** The next task to start, of each partition that is read here. */
  positions(): readonly Position[];
  /**
   * Starts nothing new, finishes requests in progress for up to `graceMs`, returns the rest, and publishes all results.
   */
  stop(graceMs?: number): Promise<void>;
}

/** Task bytes per poll: about as many leases as start at once. */
const pollBytes = 256 * 1024;
const pollWaitMs = 1_000;

export function startFetcher(options: FetcherOptions): Fetcher {
  const { log, codec, config, crawl } = options;
  const { outside } = config;
  const leasesMax = config.leasesMax ?? fetcherLimits.leasesMax;
  const productToken = productTokensOf(config);
  const agreed = agreedIdentities(config, config.requests);
  const clock = createGrantClock(options.clock);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const running = new Set<Promise<void>>();
  const outcomes: Partial<Record<OutcomeKind, number>> = {};
  const backlog = createTaskBacklog(log, options.group);
  const requestSeconds = new Distribution(secondsBounds);
  const hostIntervalSeconds = new Distribution(waitBounds);
  let [requests, bytes] = [0, 0];
  let [misroutedTasks, undecodableTasks] = [0, 0];
  let leaseEnded = () => {};

  const fail = (error: unknown) => {
    stopping.abort();
    reader.wake();
    options.onFailure(error);
  };

  const linkCache = createLinkCache(config.linkCacheEntries ?? fetcherLimits.linkCacheEntries, options.randomInt);
  const totalTimeoutMs = config.limits?.totalTimeoutMs ?? requestLimits.totalTimeoutMs;
  const lateReports = createLateReports(options.clock, stopping.signal, totalTimeoutMs);
  const publisher = createPublisher({
    log,
    codec,
    clock,
    topics: {
      pages: `${crawl}.pages`,
      discovered: `${crawl}.discovered`,
      results: `${crawl}.results`,
      responses: `${crawl}.responses`,
      render: `${crawl}.render`,
      robots: `${crawl}.robots`,
    },
    partitions: options.partitions,
    keyMode: options.keyMode,
    fetcherId: options.fetcherId,
    names: agreed.namesOf,
    linkCache,
    onDurable(task, outcomes, last) {
      lateReports.durable(task, outcomes, last, clock.nowMs());
      if (last) options.onReported?.(task);
    },
    onFailure: fail,
  });
  const archive = config.archive && bodyArchive(config.archive);
  const exchanges = archive && createExchangeRecords(archive, publisher.responded);
  const resolver = createResolver({
    clock,
    lookup: options.dnsLookup ?? createDnsLookup(),
    overrides: compileOverrides(config.resolve),
    isBlocked: compileAddressGuard(config.allowPrivate),
  });
  const rules = config.requests && compileRequestRules(config.requests, options.clock, config.say, config.seedOrigins);
  const signer = config.signing && createSigner(config.signing, options.clock.nowMs(), config.say);
  const client = clientOptions(config, { clock, resolver, rules, signer, archive });
  const http = (options.openHttp ?? createHttpClient)(client);
  const { partitions } = options;
  const hostSlots = createHostSlots();
  const policies = followPolicy();
  const bandwidth = options.bandwidth ?? createBandwidth(options.clock, config.groupSize);
  const addressPacer =
    options.addressPacer ?? createAddressPacer(options.clock, config.addressDelayMs, config.groupSize);
  const hooks = config.hooks === undefined ? undefined : createHooks(config.hooks);
  const payments = openPayments({
    ...{ log, codec, crawl, hooks, clock: options.clock, signal: stopping.signal },
    policy: () => policies.now.pay,
    by: `fetcher ${options.fetcherId}`,
  });
  const blockedHosts = watchBlockedHosts({
    ...{ clock, log, codec, crawl, partitions },
    onPause: hostSlots.pause,
    onSigningKey: (key) => signer?.use(key, options.clock.nowMs()),
    ...(payments !== undefined && { onPayment: payments.take }),
    onPolicy: (policy, version, payload) => {
      exchanges?.setPolicy(version, payload);
      const { bytesPerSecond, addressDelayMs = crawlLimits.addressDelayMs } = policy;
      policies.follow(policy);
      bandwidth.setRate(bytesPerSecond ?? null);
      // A replacement for HTTP has no addresses.
      if (config.addressDelayMs > 0) addressPacer.setDelay(addressDelayMs);
    },
    onFailure: fail,
  });
  const observeInterval = (ms: number) => hostIntervalSeconds.observe(ms / 1000);
  const ownPacer = createPacer(options.clock, stopping.signal, hostSlots.of, observeInterval);
  const pacer = options.crawlPace?.sharePace(ownPacer, options.clock, stopping.signal) ?? ownPacer;
  const slots = createSlots(config.requestsMax ?? fetcherLimits.requestsMax);
  const extractor = createExtractor(options.extractor);
  const isAlone = () => config.groupSize() === 1;
  let hasPages = false;
  for (let partition = 0; partition < options.partitions; partition++)
    void log.offsets(`${crawl}.pages`, partition).then(
      ({ end }) => (hasPages ||= end > 0),
      // Only a guess is needed here; callers that need the log get the error.
      () => {},
    );
  // A replacement for HTTP also replaces the network.
  const ownNetwork =
    (options.openHttp === undefined || options.watchesNetwork === true) &&
    createOwnNetwork({
      clock,
      signal: stopping.signal,
      say: config.say ?? (() => {}),
      isProven: () => hasPages,
      onBack() {
        resolver.forgetFailures();
        leaseEnded();
      },
      ask({ origin, hostKey, delayMs }, latestStartMs, onStart) {
        const { headers, requestPath } = runnerAs(runner, agreed.of(hostKey));
        const paced = { hostKey, delayMs, delayFactor: 0, latestStartMs };
        const asked = { url: `${origin}/robots.txt`, headers, wants: () => false, kind: 'robots' as const };
        // Its turn may never come, so the probe does not wait for it.
        if (requestPath.isBlocked(hostKey) || options.crawlPace?.mayContact(hostKey) === false) {
          onStart();
          return Promise.resolve(null);
        }
        return pacedRequest({ ...requestPath, network: undefined }, { ...asked, ...paced, onStart, record: () => {} });
      },
    });
  let kept = 0;
  // Of several fetchers the others take what this one cannot fetch; one that is alone keeps its leases until they end.
  const network: OwnNetwork | undefined = ownNetwork
    ? {
        get awaySinceMs() {
          return ownNetwork.awaySinceMs;
        },
        get isUnproven() {
          return ownNetwork.isUnproven;
        },
        judge: ownNetwork.judge,
        wait(asked) {
          if (ownNetwork.awaySinceMs === null) return undefined;
          if (isAlone() || ownNetwork.isUnproven) return ownNetwork.wait(asked);
          if (kept >= networkLimits.keptOfSeveral) return ownNetwork.wait(asked, 0);
          kept += 1;
          return ownNetwork.wait(asked)?.finally(() => (kept -= 1));
        },
      }
    : undefined;
  // The hosts of a few leases show whether the network is back: those that answered before may be gone for good.
  const leasesNowMax = () => {
    if (isAlone() || (network?.awaySinceMs ?? null) === null) return leasesMax;
    return Math.min(leasesMax, network?.isUnproven ? networkLimits.unprovenAtOnce : networkLimits.keptOfSeveral);
  };
  const namesMax = Math.ceil(leasesMax * fetcherLimits.namesShareMax);
  const runner: LeaseRunner = {
    requestPath: {
      clock,
      ownClock: options.clock,
      http,
      pacer,
      addressPacer,
      resolver,
      slots,
      bandwidth,
      network,
      isBlocked: (hostKey) => blockedHosts.has(hostKey),
      mayContact: (hostKey) => !policies.now.paused && options.crawlPace?.mayContact(hostKey) !== false,
      delayNowMs: (hostKey) => orderedDelayMs(policies.now.settingsOf(hostKey), blockedHosts.delayOf(hostKey)),
      signal: stopping.signal,
      ...(exchanges !== undefined && { onResponse: exchanges.take, onUnpublished: exchanges.leave }),
    },
    hostSlots,
    // A replacement for HTTP does not connect.
    names:
      options.openHttp === undefined
        ? createNameGate({ resolver, waitingMax: namesMax, signal: stopping.signal })
        : undefined,
    sessions: rules?.sessions ?? undefined,
    sharedRobots: options.crawlPace?.robots,
    tdmFiles: createTdmFiles(clock),
    outside,
    payments,
    robots: exceptHosts(
      createRobotsCache(clock, agreed.tokensOf, publisher.readRobots),
      (hostKey) => policies.now.settingsOf(hostKey).robotsNotAsked != null,
      productToken,
    ),
    hop: options.hop,
    sitemaps: createSitemapAgenda(),
    // A replacement for HTTP also replaces the load.
    processorShare: createProcessorShare(
      () => running.size,
      options.openHttp === undefined ? undefined : () => false,
      (costMs) => options.crawlPace?.loop.spend(costMs),
    ),
    reader: {
      extractor,
      links: { normalize: options.normalize, cache: linkCache, hooks, spellings: () => policies.now.spellings },
      hooks,
      productToken,
      linksMax: config.linksMax,
      outlinks: config.outlinks ?? false,
      requisites: () => policies.now.requisites,
      canonicals: () => policies.now.canonicals,
      redirected: rules?.sessions?.redirected,
      ...{ pdf: config.extract?.pdf ?? false, office: config.extract?.office ?? false },
      ...(config.extract !== undefined && { wishesOf: compileExtractRules(config.extract) }),
    },
    headers: requestHeaders(config, pageAccept, acceptEncoding),
    // Sitemaps are read as a stream, and gzip is the only coding that is decoded so.
    sitemapHeaders: requestHeaders(config, sitemapAccept, 'gzip'),
    onPage(page, task, response) {
      config.onPage?.(page, response);
      const rules = config.extract?.render;
      const wish = rules === undefined ? null : renderWish(rules, page, task, response);
      if (wish !== null) publisher.needsBrowser(wish);
    },
    room: (untilMs) => config.room?.(untilMs, stopping.signal),
    onSpan: options.onSpan ?? (() => {}),
    lateReports,
    isVoid: (task) => options.crawlPace?.isVoid?.(task) === true,
    totalTimeoutMs,
    usesPolicy: () => policies.now.uses,
    outOfScope: (url) => policies.now.outOfScope(url),
    sourceOf(hostKey) {
      const sourceKey = partitionKeyOf(hostKey, options.keyMode);
      return { sourceKey, source: linkCache.source(sourceKey) };
    },
  };

  const count = ({ startMs, endMs }: Request) => {
    requests += 1;
    requestSeconds.observe((endMs - startMs) / 1000);
  };

  const start = (task: Task) => {
    lateReports.begin(task);
    // The lease's first request may have to wait; the name is looked up meanwhile.
    if (task.notBeforeMs > clock.nowMs()) prefetchName(resolver, task);
    const reporter = publisher.open(task);
    const lease = runLease(runnerAs(runner, agreed.of(task.hostKey)), task, {
      ...reporter,
      requested(request) {
        count(request);
        reporter.requested(request);
      },
      report(report) {
        outcomes[report.outcome.kind] = (outcomes[report.outcome.kind] ?? 0) + 1;
        config.onReport?.(report.outcome, report.page, task.urls[report.outcome.index]?.depth ?? 0);
        for (const request of report.requests) count(request);
        bytes += report.outcome.bytes;
        lateReports.reported(task, report.outcome);
        return reporter.report(report);
      },
    })
      .catch(fail)
      .finally(() => {
        running.delete(lease);
        leaseEnded();
      });
    running.add(lease);
  };

  const intake = createTaskIntake({ codec, partitions, keyMode: options.keyMode });
  const reader = log.reader();

  /** Leases that may be started now. */
  const wanters = [outside, options.crawlPace].filter((one) => one !== undefined);
  const room = () => Math.min(leasesNowMax() - running.size, ...wanters.map(({ leasesWanted }) => leasesWanted));
  for (const one of wanters) one.onWanted(() => leaseEnded());

  /** Starts what there is room for. Offsets first: from here on, expiry is the only redelivery. */
  const startSome = async () => {
    const some = backlog.take(room());
    const isHeld = (partition: number) => backlog.positions().some((one) => one.partition === partition);
    const wait = { clock, signal: stopping.signal, isHeld };
    const { tasks, positions, deadLetters, misrouted } = await intake.take(some, wait);
    misroutedTasks += misrouted;
    undecodableTasks += deadLetters.length - misrouted;
    if (deadLetters.length > 0) await appendDeadLetters(log, codec, `${crawl}.dead-letters`, deadLetters);
    for (const { task } of tasks) clock.observe(task.grantedAtMs);
    const earlier = lateReports.earlier(tasks.map(({ task }) => task));
    if (earlier !== undefined) await earlier;
    const ours = await backlog.commit(positions);
    for (const { task, readFrom } of tasks) {
      if (ours.has(readFrom)) start(task);
      else intake.forget(task);
    }
  };

  const readTasks = async () => {
    await Promise.race([
      blockedHosts.caughtUp,
      new Promise((resolve) => stopping.signal.addEventListener('abort', resolve)),
    ]);
    while (!stopping.signal.aborted) {
      options.crawlPace?.onRoom?.(running.size + Math.max(0, room()));
      if (room() <= 0) await new Promise<void>((resolve) => (leaseEnded = resolve));
      else if (backlog.length > 0) await startSome();
      else backlog.put(await pollOn(reader, { maxBytes: pollBytes, waitMs: pollWaitMs }));
    }
  };

  const topic = `${crawl}.tasks`;
  const read = (partition: number, offset: number) => {
    reader.seek(topic, partition, offset);
    backlog.begin({ topic, partition, offset });
  };
  for (const { partition, offset } of options.positions) read(partition, offset);
  const reading = readTasks().catch(fail);

  return {
    assign: read,
    revoke(partition) {
      reader.drop(topic, partition);
      backlog.end(partition);
    },
    stats: () => ({
      leasesMax,
      leasesRunning: running.size,
      tasksWaiting: backlog.length,
      networksAway: (network?.awaySinceMs ?? null) === null ? 0 : 1,
      ...{ tasksMisrouted: misroutedTasks, tasksUndecodable: undecodableTasks },
      requestsInFlight: slots.taken,
      requestsWaiting: slots.waiting,
      requests,
      bytes,
      outcomes: { ...outcomes },
      openOrigins: http.stats().origins,
      pacedHosts: pacer.size,
      requestSeconds,
      hostIntervalSeconds,
      tooLarge: publisher.tooLarge,
      hooks: hooks?.uses ?? [],
    }),
    robots: runner.robots,
    breakOff: () => http.close(),
    positions: backlog.positions,
    async stop(graceMs = requestLimits.totalTimeoutMs) {
      stopping.abort();
      leaseEnded();
      reader.wake();
      await reading;
      const patience = new AbortController();
      void outside?.stop(graceMs);
      void options.clock.sleepUntil(options.clock.nowMs() + graceMs, patience.signal).then(() => http.close());
      await Promise.all(running);
      patience.abort();
      await Promise.allSettled([http.close(), extractor.close(), reader.close(), blockedHosts.stop()]);
      await publisher.drain();
    },
  };
}
