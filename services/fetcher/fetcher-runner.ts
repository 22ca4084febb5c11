/** The parts of a fetcher that its leases use, put together. */
import { partitionKeyOf } from '../../topology/url/host-key.ts';
import type { FetcherHttp } from './fetcher-http.ts';
import { fetcherLimits } from './fetcher-limits.ts';
import type { Running } from './fetcher-options.ts';
import type { FetcherOrders } from './fetcher-orders.ts';
import type { FetcherRecords } from './fetcher-records.ts';
import { acceptEncoding } from './http/content-coding.ts';
import { pageAccept, productTokensOf, requestHeaders, sitemapAccept } from './http/identity.ts';
import type { LeaseRunner } from './leases/lease-runner.ts';
import { createNameGate, type NameGate } from './leases/name-gate.ts';
import type { RequestPath } from './pace/paced-request.ts';
import { createProcessorShare } from './pace/processor-share.ts';
import type { Extractor } from './pages/extract.ts';
import { compileExtractRules } from './pages/extract-rules.ts';
import type { PageReader } from './pages/page-reader.ts';
import { renderRequest } from './pages/render-request.ts';
import { createRobotsCache } from './robots/cache.ts';
import { exceptHosts } from './robots/exempt-hosts.ts';
import { createTdmFiles } from './robots/tdm-files.ts';
import { createSitemapAgenda } from './sitemaps/agenda.ts';

export interface RunnerParts {
  readonly records: FetcherRecords;
  readonly http: FetcherHttp;
  readonly orders: FetcherOrders;
  readonly requestPath: RequestPath;
  readonly extractor: Extractor;
  readonly leasesMax: number;
  /** Leases under way. */
  readonly leases: () => number;
  /** Called when there may be room for another lease. */
  readonly look: () => void;
}

export function runnerOf(running: Running, parts: RunnerParts): LeaseRunner {
  const { options, clock, agreed, signal } = running;
  const { config, crawlPace, openHttp } = options;
  const { records, http, orders, requestPath } = parts;
  const { publisher, linkCache, lateReports, totalTimeoutMs } = records;
  const { policies, hostSlots, payments } = orders;
  return {
    requestPath,
    hostSlots,
    names: nameGate(running, parts),
    sessions: http.rules?.sessions ?? undefined,
    sharedRobots: crawlPace?.robots,
    tdmFiles: createTdmFiles(clock),
    outside: config.outside,
    payments,
    robots: exceptHosts(
      createRobotsCache(clock, agreed.tokensOf, publisher.readRobots),
      (hostKey) => policies.now.settingsOf(hostKey).robotsNotAsked != null,
      productTokensOf(config),
    ),
    hop: options.hop,
    sitemaps: createSitemapAgenda(),
    // A replacement for HTTP also replaces the load.
    processorShare: createProcessorShare(parts.leases, openHttp === undefined ? undefined : () => false, (costMs) =>
      crawlPace?.loop.spend(costMs),
    ),
    reader: readerOf(running, parts),
    headers: requestHeaders(config, pageAccept, acceptEncoding),
    // Sitemaps are read as a stream, and gzip is the only coding that is decoded so.
    sitemapHeaders: requestHeaders(config, sitemapAccept, 'gzip'),
    onPage(page, task, response) {
      config.onPage?.(page, response);
      const rules = config.extract?.render;
      const request = rules === undefined ? null : renderRequest(rules, page, task, response);
      if (request !== null) publisher.needsBrowser(request);
    },
    room: (untilMs) => config.room?.(untilMs, signal),
    onSpan: options.onSpan ?? (() => {}),
    lateReports,
    isVoid: (task) => crawlPace?.isVoid?.(task) === true,
    totalTimeoutMs,
    usesPolicy: () => policies.now.uses,
    outOfScope: (url) => policies.now.outOfScope(url),
    sourceOf(hostKey) {
      const sourceKey = partitionKeyOf(hostKey, options.keyMode);
      return { sourceKey, source: linkCache.source(sourceKey) };
    },
  };
}

function nameGate({ options, clock, signal }: Running, { http, leasesMax, leases, look }: RunnerParts): NameGate {
  const connects = options.openHttp === undefined || options.watchesNetwork === true;
  const placesMax = Math.ceil(leasesMax * fetcherLimits.namesShareMax);
  // A partition has a part of a frontier's leases: the places of its names leave room for its other hosts.
  const parted = options.onAside === undefined ? 1 : options.partitions;
  const gate: NameGate = createNameGate({
    ...{ resolver: http.resolver, clock, signal },
    placesMax: connects ? placesMax : null,
    placesOfPartitionMax: Math.ceil(placesMax / parted),
    // Aside or not, a lease counts: this frontier does not hear of it, and grants no other in its place.
    asideMax: options.onAside === undefined ? 0 : fetcherLimits.namesAsideMax,
    hasRoom: () => leases() - gate.aside < leasesMax,
    onAside(partition, leasesAside) {
      options.onAside?.(partition, leasesAside);
      look();
    },
  });
  return gate;
}

function readerOf({ options }: Running, { records, http, orders, extractor }: RunnerParts): PageReader {
  const { config, normalize } = options;
  const { policies, hooks } = orders;
  return {
    extractor,
    links: { normalize, cache: records.linkCache, hooks, spellings: () => policies.now.spellings },
    hooks,
    productToken: productTokensOf(config),
    linksMax: config.linksMax,
    outlinks: config.outlinks ?? false,
    requisites: () => policies.now.requisites,
    canonicals: () => policies.now.canonicals,
    redirected: http.rules?.sessions?.redirected,
    documents: config.readers ?? [],
    ...(config.extract !== undefined && { wishesOf: compileExtractRules(config.extract) }),
  };
}
