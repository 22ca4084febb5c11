/** The path of a fetcher's requests: when each may start, and what shows that its own network is away. */
import { orderedDelayMs } from '../../topology/frontier/decide/politeness.ts';
import type { FetcherHttp } from './fetcher-http.ts';
import { fetcherLimits } from './fetcher-limits.ts';
import type { Running } from './fetcher-options.ts';
import type { FetcherOrders } from './fetcher-orders.ts';
import type { FetcherRecords } from './fetcher-records.ts';
import { acceptEncoding } from './http/content-coding.ts';
import { pageAccept, requestHeaders } from './http/identity.ts';
import { keepingFew } from './pace/kept-leases.ts';
import { createOwnNetwork, type OwnNetwork, type OwnNetworkOptions } from './pace/own-network.ts';
import { pacedRequest, type RequestPath } from './pace/paced-request.ts';
import { createPacer } from './pace/pacer.ts';
import { createSlots } from './pace/slots.ts';

export interface PathWatch {
  /** Called with the time between starts of two contacts to a host, ms. */
  onInterval(ms: number): void;
  /** Called when the fetcher's network is back. */
  onBack(): void;
}

export function openRequestPath(
  running: Running,
  { exchanges }: FetcherRecords,
  { resolver, http }: FetcherHttp,
  orders: FetcherOrders,
  { onInterval, onBack }: PathWatch,
): RequestPath {
  const { options, clock, signal } = running;
  const { crawlPace, config } = options;
  const { hostSlots, policies, bandwidth, addressPacer, blockedHosts } = orders;
  const ownPacer = createPacer(options.clock, signal, hostSlots.of, onInterval);
  const pacer = crawlPace?.sharePace(ownPacer, options.clock, signal) ?? ownPacer;
  const path: Omit<RequestPath, 'network'> = {
    clock,
    ownClock: options.clock,
    http,
    pacer,
    addressPacer,
    resolver,
    slots: createSlots(config.requestsMax ?? fetcherLimits.requestsMax),
    bandwidth,
    isBlocked: (hostKey) => blockedHosts.has(hostKey),
    mayContact: (hostKey) => !policies.now.paused && crawlPace?.mayContact(hostKey) !== false,
    delayNowMs: (hostKey) => orderedDelayMs(policies.now.settingsOf(hostKey), blockedHosts.delayOf(hostKey)),
    signal,
    ...(exchanges !== undefined && { onResponse: exchanges.take, onUnpublished: exchanges.leave }),
  };
  const network = watchNetwork(running, path, () => {
    resolver.forgetFailures();
    onBack();
  });
  return { ...path, network: network && keepingFew(network, () => config.groupSize() === 1) };
}

/** undefined: HTTP is replaced, and the network with it. */
function watchNetwork(running: Running, path: RequestPath, onBack: () => void): OwnNetwork | undefined {
  const { options, clock, signal } = running;
  const { log, crawl, config, partitions } = options;
  let hasPages = false;
  for (let partition = 0; partition < partitions; partition++)
    void log.offsets(`${crawl}.pages`, partition).then(
      ({ end }) => (hasPages ||= end > 0),
      // Only a guess is needed here; callers that need the log get the error.
      () => {},
    );
  if (options.openHttp !== undefined && options.watchesNetwork !== true) return undefined;
  const say = config.say ?? (() => {});
  const { resolvesOthers, forgetFailures, askedAtMs: nameAskedAtMs } = path.resolver;
  const isProven = () => hasPages;
  const ask = asking(running, path);
  return createOwnNetwork({
    ...{ clock, signal, say, isProven, nameAskedAtMs },
    ...{ resolvesOthers, forgetFailures, onBack, ask },
  });
}

/** Requests a robots.txt that shows whether the network is back. */
function asking({ options, agreed }: Running, path: RequestPath): OwnNetworkOptions['ask'] {
  return ({ origin, hostKey, delayMs }, latestStartMs, onStart) => {
    // Its turn may never come, so the probe does not wait for it.
    if (path.isBlocked(hostKey) || options.crawlPace?.mayContact(hostKey) === false) {
      onStart();
      return Promise.resolve(null);
    }
    const headers = requestHeaders(agreed.of(hostKey) ?? options.config, pageAccept, acceptEncoding);
    return pacedRequest(path, {
      url: `${origin}/robots.txt`,
      headers,
      wants: () => false,
      kind: 'robots',
      hostKey,
      delayMs,
      delayFactor: 0,
      latestStartMs,
      onStart,
      record: () => {},
    });
  };
}
