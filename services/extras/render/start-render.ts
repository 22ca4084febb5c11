/** The render processor, declared in render.ts. */
import { compileAddressGuard } from '../../../topology/fetch/address.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import type { ProcessorContext, RunningProcessor } from '../../application/processor/processor.ts';
import { runConsumer } from '../../application/processor/run-consumer.ts';
import { createDnsLookup } from '../../fetcher/connect/dns-lookup.ts';
import { compileOverrides } from '../../fetcher/connect/resolve-override.ts';
import { createResolver } from '../../fetcher/connect/resolver.ts';
import { type AgreedIdentities, agreedIdentities } from '../../fetcher/http/agreed-identity.ts';
import { createHttpClient, type HttpResponse } from '../../fetcher/http/client.ts';
import { acceptEncoding } from '../../fetcher/http/content-coding.ts';
import { type Identity, requestHeaders, userAgentOf } from '../../fetcher/http/identity.ts';
import type { BodyArchive } from '../../fetcher/http/kept-body.ts';
import { createSigner } from '../../fetcher/http/web-bot-auth.ts';
import { type BlockedHosts, watchBlockedHosts } from '../../fetcher/leases/blocked-hosts.ts';
import { type AddressPacer, createAddressPacer } from '../../fetcher/pace/address-pacer.ts';
import { createBandwidth } from '../../fetcher/pace/bandwidth.ts';
import { createGrantClock } from '../../fetcher/pace/grant-clock.ts';
import type { PacedRequest } from '../../fetcher/pace/paced-request.ts';
import { createPacer } from '../../fetcher/pace/pacer.ts';
import { createSlots } from '../../fetcher/pace/slots.ts';
import { createRobotsCache } from '../../fetcher/robots/cache.ts';
import { createSubresources } from '../../fetcher/unleased/subresources.ts';
import { groupPositions } from '../../runtime/consumer/positions.ts';
import { productVersion } from '../../runtime/version.ts';
import { type Browser, createBrowser, findChromium } from './browser.ts';
import { RenderedReader } from './read-rendered.ts';
import { renderLimits } from './render-limits.ts';
import { renderMetrics } from './render-metrics.ts';
import { RenderPolicy } from './render-policy.ts';
import { RenderRecords } from './render-records.ts';
import { createRenderer } from './renderer.ts';

export async function startRender(
  context: ProcessorContext,
  {
    browser: executable,
    screenshots,
  }: { readonly browser?: string | undefined; readonly screenshots?: number | undefined },
): Promise<RunningProcessor> {
  const { log, clock, manifest, reach } = context;
  const stopping = new AbortController();
  const identity = { ...reach, version: productVersion };
  const agreed = agreedIdentities(identity, reach.requests);
  const records = new RenderRecords(context, agreed);
  const { http, resolver } = connected(context, records.archive);
  const policy = new RenderPolicy();
  const addressPacer = createAddressPacer(clock, crawlLimits.addressDelayMs, () => 1);
  const blockedHosts = followControl(context, policy, records, addressPacer);
  const subresources = createSubresources({
    requestPath: {
      ...{ http, resolver, ownClock: clock, clock: createGrantClock(clock), signal: stopping.signal },
      pacer: createPacer(clock, stopping.signal),
      addressPacer,
      slots: createSlots(renderLimits.requestsMax),
      bandwidth: createBandwidth(clock, () => 1),
      isBlocked: blockedHosts.has,
      ...(records.archive !== undefined && {
        onResponse: (request: PacedRequest, response: HttpResponse) => records.exchanged(request, response, agreed),
      }),
    },
    delayOf: (hostKey) => policy.delayOf(hostKey),
    robots: createRobotsCache(clock, agreed.tokensOf, records.contacts.readRobots),
    record: records.contacts.requested,
    headersOf: headersFor(identity, agreed),
    limits: renderLimits,
  });
  const browser = await startedBrowser({ executable, screenshotPx: screenshots }, userAgentOf(identity), context.say);
  const reader = new RenderedReader(context, agreed, policy, records);
  const renderer = createRenderer({
    browser: {
      render: (page, load) => browser.render({ ...page, userAgent: agreed.userAgentOf(hostKeyOf(page.url)) }, load),
    },
    load: async (url, page) => {
      // No request is made before it is known which hosts are blocked.
      await blockedHosts.caughtUp;
      return subresources.get(url, page, clock.nowMs() + renderLimits.pageMs);
    },
    nowMs: () => clock.nowMs(),
    read: (render, html) => reader.read(render, html),
    publish: (made) => records.publish(made),
    say: context.say,
  });
  const metered = renderMetrics({ browser, renderer, notLoaded: subresources.stats });
  context.service.sources.add(metered);
  return runConsumer(context, {
    name: 'render',
    topics: ['render'],
    batchRecords: 1,
    handle: renderer.handle,
    positions: groupPositions(log, `${manifest.crawl}.render`),
    close: async () => {
      stopping.abort();
      context.service.sources.delete(metered);
      await Promise.all([browser.close(), http.close(), reader.close(), blockedHosts.stop()]);
      await records.publish();
    },
  });
}

/** Connections to hosts, as the crawl's fetchers make them. */
function connected({ clock, reach, say }: ProcessorContext, archive: BodyArchive | undefined) {
  const resolver = createResolver({
    clock,
    lookup: createDnsLookup(),
    overrides: compileOverrides(reach.resolve),
    isBlocked: compileAddressGuard(reach.allowPrivate),
  });
  const http = createHttpClient({
    ...{ clock, resolver },
    ...(reach.ca === undefined ? {} : { ca: reach.ca }),
    ...(reach.insecureHosts === undefined ? {} : { insecureHosts: new Set(reach.insecureHosts) }),
    ...(archive === undefined ? {} : { archive }),
    ...(reach.signing === undefined ? {} : { signer: createSigner(reach.signing, clock.nowMs(), say) }),
  });
  return { resolver, http };
}

/** Follows blocks and policies. */
function followControl(
  { clock, log, codec, manifest, say, onPolicy }: ProcessorContext,
  policy: RenderPolicy,
  records: RenderRecords,
  addressPacer: AddressPacer,
): BlockedHosts {
  return watchBlockedHosts({
    ...{ clock, log, codec, crawl: manifest.crawl, partitions: manifest.partitions },
    onPause() {},
    onPolicy: (newest, version, payload) => {
      records.setPolicy(version, payload);
      policy.set(newest);
      addressPacer.setDelay(newest.addressDelayMs ?? crawlLimits.addressDelayMs);
      onPolicy?.(newest, (text) => say(`render: ${text}`));
    },
    onFailure: (error) => say(`render: the list of blocked hosts cannot be read: ${(error as Error).message}`),
  });
}

function headersFor(identity: Identity, agreed: AgreedIdentities): (hostKey: string) => readonly string[] {
  const ownHeaders = requestHeaders(identity, '*/*', acceptEncoding);
  return (hostKey) => {
    const other = agreed.of(hostKey);
    return other === null ? ownHeaders : requestHeaders(other, '*/*', acceptEncoding);
  };
}

async function startedBrowser(
  { executable, screenshotPx }: { readonly executable: string | undefined; readonly screenshotPx: number | undefined },
  userAgent: string,
  say: (text: string) => void,
): Promise<Browser> {
  const browser = createBrowser({
    executable: executable ?? findChromium(),
    userAgent,
    timeoutMs: renderLimits.pageMs,
    quietMs: renderLimits.quietMs,
    requestsMax: renderLimits.requestsMax,
    screenshotPx,
  });
  await browser.start();
  if (browser.sharesNetwork !== null) {
    const tried = 'no way around the crawler was found, but run it on a machine that cannot reach private services';
    say(`render: the browser runs in the network of this machine (${browser.sharesNetwork}): ${tried}`);
  }
  return browser;
}
