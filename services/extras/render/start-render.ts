/** The render processor, declared in render.ts. */
import { hostname } from 'node:os';
import type { Page, Render } from '../../../schemas/types.ts';
import { compileAddressGuard } from '../../../topology/fetch/address.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { hostSettingsOf } from '../../../topology/policy/overlay-hosts.ts';
import { policyLimits } from '../../../topology/policy/policy-limits.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { barredFrom, inOrder } from '../../../topology/usage/statement.ts';
import type { UsesPolicy } from '../../../topology/usage/uses-policy.ts';
import type { ProcessorContext, RunningProcessor } from '../../application/processor/processor.ts';
import { runConsumer } from '../../application/processor/run-consumer.ts';
import { createDnsLookup } from '../../fetcher/connect/dns-lookup.ts';
import { compileOverrides } from '../../fetcher/connect/resolve-override.ts';
import { createResolver } from '../../fetcher/connect/resolver.ts';
import { createHooks } from '../../fetcher/hooks/run-hooks.ts';
import { agreedIdentities } from '../../fetcher/http/agreed-identity.ts';
import { createHttpClient, type HttpResponse } from '../../fetcher/http/client.ts';
import { acceptEncoding } from '../../fetcher/http/content-coding.ts';
import { requestHeaders, userAgentOf } from '../../fetcher/http/identity.ts';
import { createSigner } from '../../fetcher/http/web-bot-auth.ts';
import { watchBlockedHosts } from '../../fetcher/leases/blocked-hosts.ts';
import { createAddressPacer } from '../../fetcher/pace/address-pacer.ts';
import { createBandwidth } from '../../fetcher/pace/bandwidth.ts';
import { createGrantClock } from '../../fetcher/pace/grant-clock.ts';
import type { PacedRequest } from '../../fetcher/pace/paced-request.ts';
import { createPacer } from '../../fetcher/pace/pacer.ts';
import { createSlots } from '../../fetcher/pace/slots.ts';
import { createExtractor } from '../../fetcher/pages/extract.ts';
import type { PageReport } from '../../fetcher/pages/page-reader.ts';
import { readPage } from '../../fetcher/pages/report.ts';
import { usageRecord } from '../../fetcher/pages/usage-record.ts';
import { withholding } from '../../fetcher/pages/withhold.ts';
import { bodyArchive, createExchangeRecords } from '../../fetcher/publish/exchange-records.ts';
import { createLinkCache } from '../../fetcher/publish/link-cache.ts';
import { createRobotsCache } from '../../fetcher/robots/cache.ts';
import { createContactRecords } from '../../fetcher/unleased/contact-records.ts';
import { pageRecords } from '../../fetcher/unleased/page-records.ts';
import { renderedRecord } from '../../fetcher/unleased/rendered-record.ts';
import { responseMessage } from '../../fetcher/unleased/response-message.ts';
import { soleTask } from '../../fetcher/unleased/sole-task.ts';
import { createSubresources } from '../../fetcher/unleased/subresources.ts';
import { groupPositions } from '../../runtime/consumer/positions.ts';
import type { AppendRecord } from '../../runtime/log/log.ts';
import { productVersion } from '../../runtime/version.ts';
import { createBrowser, findChromium } from './browser.ts';
import { renderLimits } from './render-limits.ts';
import { renderMetrics } from './render-metrics.ts';
import { createRenderer } from './renderer.ts';

export async function startRender(
  context: ProcessorContext,
  { browser: executable }: { readonly browser?: string | undefined },
): Promise<RunningProcessor> {
  const { log, codec, clock, manifest, reach } = context;
  const { crawl, keyMode } = manifest;
  const stopping = new AbortController();
  const identity = { ...reach, version: productVersion };
  const agreed = agreedIdentities(identity, reach.requests);
  const ownHeaders = requestHeaders(identity, '*/*', acceptEncoding);
  const headersOf = (hostKey: string) => {
    const other = agreed.of(hostKey);
    return other === null ? ownHeaders : requestHeaders(other, '*/*', acceptEncoding);
  };
  const archive = reach.archive && bodyArchive(reach.archive);
  const responses: AppendRecord[] = [];
  const exchanges =
    archive && createExchangeRecords(archive, (record) => responses.push(responseMessage(record, codec, manifest)));
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
    ...(reach.signing === undefined ? {} : { signer: createSigner(reach.signing, clock.nowMs(), context.say) }),
  });
  const contacts = createContactRecords(codec, manifest, `render-${hostname()}-${process.pid}`, agreed.namesOf);
  const publishContacts = async () => {
    const records = [...contacts.take(), ...responses.splice(0)];
    if (records.length > 0) await log.append(records);
  };
  let usesPolicy: UsesPolicy = {};
  let wantsRequisites = false;
  let delayOf = (_: string): number => policyLimits.delayMs;
  const addressPacer = createAddressPacer(clock, crawlLimits.addressDelayMs, () => 1);
  const blockedHosts = watchBlockedHosts({
    ...{ clock, log, codec, crawl, partitions: manifest.partitions },
    onPause() {},
    onPolicy: (policy, version, payload) => {
      exchanges?.setPolicy(version, payload);
      usesPolicy = policy;
      wantsRequisites = policy.requisites === true;
      const settingsOf = hostSettingsOf(policy);
      delayOf = (hostKey) => settingsOf(hostKey).delayMs;
      addressPacer.setDelay(policy.addressDelayMs ?? crawlLimits.addressDelayMs);
    },
    onFailure: (error) => context.say(`render: the list of blocked hosts cannot be read: ${(error as Error).message}`),
  });
  const subresources = createSubresources({
    requestPath: {
      ...{ http, resolver, ownClock: clock, clock: createGrantClock(clock), signal: stopping.signal },
      pacer: createPacer(clock, stopping.signal),
      addressPacer,
      slots: createSlots(renderLimits.requestsMax),
      bandwidth: createBandwidth(clock, () => 1),
      isBlocked: blockedHosts.has,
      ...(exchanges !== undefined && {
        onResponse: (request: PacedRequest, response: HttpResponse) =>
          exchanges.take(
            request,
            response,
            barredFrom(usageRecord([], response.headers, agreed.tokensOf(request.url)), 'archive'),
          ),
      }),
    },
    delayOf: (hostKey) => delayOf(hostKey),
    robots: createRobotsCache(clock, agreed.tokensOf, contacts.readRobots),
    record: contacts.requested,
    headersOf,
    limits: renderLimits,
  });
  const browser = createBrowser({
    executable: executable ?? findChromium(),
    userAgent: userAgentOf(identity),
    timeoutMs: renderLimits.pageMs,
    quietMs: renderLimits.quietMs,
    requestsMax: renderLimits.requestsMax,
  });
  await browser.start();
  if (browser.sharesNetwork !== null) {
    const tried = 'no way around the crawler was found, but run it on a machine that cannot reach private services';
    context.say(`render: the browser runs in the network of this machine (${browser.sharesNetwork}): ${tried}`);
  }
  const linkCache = createLinkCache(renderLimits.linkCacheEntries);
  const extractor = createExtractor();
  const hooks = context.hooks === undefined ? undefined : createHooks(context.hooks);
  const reader = {
    extractor,
    hooks,
    links: { normalize: compileNormalizer(), cache: linkCache, hooks },
    linksMax: crawlLimits.linksPerPage,
    outlinks: true,
    requisites: () => wantsRequisites,
    pdf: false,
    office: false,
  };
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
    read: async (render, html) => {
      const sourceKey = partitionKeyOf(render.hostKey, keyMode);
      const response = responseOf(render, html, clock.nowMs());
      const task = soleTask(render.url, render.hostKey, render.depth, render.tags);
      const made = await readPage({ ...reader, productToken: agreed.tokensOf(render.url) }, task, 0, response, {
        sourceKey,
        source: linkCache.source(sourceKey),
      });
      const report = withholding(usesPolicy, withUsageOf(render, made), response.endMs);
      if (archive !== undefined && report.page !== null) {
        const { url, hostKey, depth, status } = render;
        const noArchiveFromMs = barredFrom(report.page.usage, 'archive');
        const document = { url, hostKey, depth, status, html, noArchiveFromMs, atMs: response.endMs };
        exchanges?.add(await renderedRecord(document, archive));
      }
      return report;
    },
    publish: async (made) => {
      const records = [...contacts.take(), ...responses.splice(0), ...pageRecords(made, codec, manifest)];
      if (records.length > 0) await log.append(records);
    },
    say: context.say,
  });
  const metered = renderMetrics({ browser, renderer, notLoaded: subresources.stats });
  context.service.sources.add(metered);
  return runConsumer(context, {
    name: 'render',
    topics: ['render'],
    batchRecords: 1,
    handle: renderer.handle,
    positions: groupPositions(log, `${crawl}.render`),
    close: async () => {
      stopping.abort();
      context.service.sources.delete(metered);
      await Promise.all([browser.close(), http.close(), extractor.close(), blockedHosts.stop()]);
      await publishContacts();
    },
  });
}

/** Usage statements on the fetched page apply to the rendered one. */
function withUsageOf({ usage }: Render, made: PageReport): PageReport {
  if (usage === '' || made.page === null) return made;
  const statements = [...(JSON.parse(usage) as Page['usage']), ...made.page.usage];
  return { ...made, page: { ...made.page, usage: inOrder(statements) } };
}

/** The document after the browser has run it, as if its host had sent it. */
function responseOf({ status, headers }: Render, html: string, nowMs: number) {
  const kept: string[] = ['content-type', 'text/html; charset=utf-8'];
  for (let i = 0; i < headers.length; i += 2) {
    if (/^(x-robots-tag|content-usage|content-signal|tdm-reservation|tdm-policy|etag|last-modified)$/.test(headers[i]!))
      kept.push(headers[i]!, headers[i + 1]!);
  }
  const body = Buffer.from(html);
  return {
    status,
    headers: kept,
    body,
    rawBody: body,
    truncated: false,
    address: '',
    startMs: nowMs,
    endMs: nowMs,
    connectMs: 0,
    firstByteMs: 0,
    failure: null,
    staleConnection: false,
    unreached: false,
  };
}
