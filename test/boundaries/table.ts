/** The one list: each group of limits, with what stands at their edges. */

import { rangeLimits } from '../../schemas/range-limits.ts';
import { workerLimits } from '../../services/application/workers/worker-limits.ts';
import { inspectLimits } from '../../services/cli/inspect/inspect-limits.ts';
import { archiveLimits } from '../../services/extras/archive/archive-limits.ts';
import { replayLimits } from '../../services/extras/archive/replay/replay-limits.ts';
import { auditLimits } from '../../services/extras/audit/audit-limits.ts';
import { dashboardLimits } from '../../services/extras/dashboard/limits.ts';
import { deskLimits } from '../../services/extras/desk/desk-limits.ts';
import { mcpLimits } from '../../services/extras/fleet/agents/mcp-limits.ts';
import { eventLimits } from '../../services/extras/fleet/events/event-limits.ts';
import { fleetFetcherLimits } from '../../services/extras/fleet/fetchers/fetcher-limits.ts';
import { fleetServiceLimits } from '../../services/extras/fleet/fleet-service-limits.ts';
import { outputLimits } from '../../services/extras/fleet/outputs/output-limits.ts';
import { ownerLimits } from '../../services/extras/fleet/owners/owner-limits.ts';
import { policySizeLimits } from '../../services/extras/fleet/policy-size-limits.ts';
import { scrapeLimits } from '../../services/extras/fleet/scrape/scrape-limits.ts';
import { shareLimits } from '../../services/extras/fleet/shares/share-limits.ts';
import { webhookLimits } from '../../services/extras/fleet/webhooks/webhook-limits.ts';
import { graphLimits } from '../../services/extras/graph/graph-limits.ts';
import { indexLimits } from '../../services/extras/index/index-limits.ts';
import { lendingLimits } from '../../services/extras/lending/lending-limits.ts';
import { officeLimits } from '../../services/extras/office/office-limits.ts';
import { renderLimits } from '../../services/extras/render/render-limits.ts';
import { putLimits } from '../../services/extras/urlfrontier/put-limits.ts';
import { fetcherLimits } from '../../services/fetcher/fetcher-limits.ts';
import { pluginLimits } from '../../services/fetcher/hooks/plugin-limits.ts';
import { archivedBodyLimits } from '../../services/fetcher/http/archived-body-limits.ts';
import { h2Limits } from '../../services/fetcher/http/h2-limits.ts';
import { lenientLimits } from '../../services/fetcher/http/lenient-limits.ts';
import { requestLimits } from '../../services/fetcher/http/request-limits.ts';
import { sessionLimits } from '../../services/fetcher/http/session-limits.ts';
import { loopShareLimits } from '../../services/fetcher/pace/loop-share-limits.ts';
import { changelogLimits } from '../../services/frontier/changelog-limits.ts';
import { frontierServiceLimits } from '../../services/frontier/service-limits.ts';
import { snapshotLimits } from '../../services/frontier/snapshots/snapshot-limits.ts';
import { doctorLimits } from '../../services/planning/doctor/doctor-limits.ts';
import { avroLimits } from '../../services/runtime/avro/avro-limits.ts';
import { consumerLimits } from '../../services/runtime/consumer/consumer-limits.ts';
import { diskLimits } from '../../services/runtime/disk/disk-limits.ts';
import { grpcLimits } from '../../services/runtime/grpc/grpc-limits.ts';
import { httpLimits } from '../../services/runtime/http/http-limits.ts';
import { foldedLimits } from '../../services/runtime/log/folded/folded-limits.ts';
import { kafkaLimits } from '../../services/runtime/log/kafka/kafka-limits.ts';
import { logLimits } from '../../services/runtime/log/log-limits.ts';
import { lineLimits } from '../../services/runtime/logging/line-limits.ts';
import { loopLimits } from '../../services/runtime/loop/loop-limits.ts';
import { objectLimits } from '../../services/runtime/objects/object-limits.ts';
import { otlpLimits } from '../../services/runtime/otlp/otlp-limits.ts';
import { storeLimits } from '../../services/runtime/store/store-limits.ts';
import { zstdLimits } from '../../services/runtime/zstd/zstd-limits.ts';
import { contentLimits } from '../../topology/content/content-limits.ts';
import { networkLimits } from '../../topology/fetch/network-limits.ts';
import { responseLimits } from '../../topology/fetch/response-limits.ts';
import { fleetLimits } from '../../topology/fleet/fleet-limits.ts';
import { demandLimits } from '../../topology/frontier/demand-limits.ts';
import { frontierLimits } from '../../topology/frontier/frontier-limits.ts';
import { pullLimits } from '../../topology/frontier/pull/pull-limits.ts';
import { seenLimits } from '../../topology/frontier/seen/seen-limits.ts';
import { parseLimits } from '../../topology/parse/parse-limits.ts';
import { richLimits } from '../../topology/parse/rich/rich-limits.ts';
import { crawlLimits } from '../../topology/policy/crawl-limits.ts';
import * as policy from '../../topology/policy/limits.ts';
import { policyLimits } from '../../topology/policy/policy-limits.ts';
import { recentPolicyLimits } from '../../topology/policy/recent-policy-limits.ts';
import { trapLimits } from '../../topology/policy/traps/trap-limits.ts';
import { robotsLimits } from '../../topology/robots/robots-limits.ts';
import { traceLimits } from '../../topology/trace/limits.ts';
import { listLimits } from '../../topology/url/list-limits.ts';
import { patternLimits } from '../../topology/url/pattern-limits.ts';
import { tagLimits } from '../../topology/url/tag-limits.ts';
import { urlLimits } from '../../topology/url/url-limits.ts';
import { usageLimits } from '../../topology/usage/usage-limits.ts';
import { mcpBoundaries, scrapeBoundaries } from './agents.ts';
import type { Boundary } from './boundary.ts';
import { deskBoundaries } from './desk.ts';
import * as fetchers from './fetcher.ts';
import {
  fleetBoundaries,
  fleetFetcherBoundaries,
  fleetServiceBoundaries,
  loopBoundaries,
  loopShareBoundaries,
  policySizeBoundaries,
  shareBoundaries,
} from './fleet.ts';
import { eventBoundaries, outputBoundaries, ownerBoundaries, webhookBoundaries } from './fleet-events.ts';
import * as frontier from './frontier.ts';
import { h2Boundaries } from './http2.ts';
import { lendingBoundaries } from './lending.ts';
import { lenientBoundaries } from './lenient.ts';
import { parseBoundaries } from './parse.ts';
import * as policies from './policy.ts';
import { rangeBoundaries } from './ranges.ts';
import { richBoundaries } from './rich-pages.ts';
import * as services from './services.ts';
import * as urls from './url.ts';
import { usageBoundaries } from './usage.ts';

interface Group {
  readonly limits: Readonly<Record<string, unknown>>;
  readonly boundaries: Readonly<Record<string, Boundary>>;
}

const of = (group: Group['limits'], boundaries: Group['boundaries']): Group => ({ limits: group, boundaries });

/** By the name under which the limits are exported. */
export const table: Readonly<Record<string, Group>> = {
  rangeLimits: { limits: rangeLimits, boundaries: rangeBoundaries },
  tagLimits: of(tagLimits, urls.tagBoundaries),
  urlLimits: of(urlLimits, urls.urlBoundaries),
  requestLimits: of(requestLimits, fetchers.requestBoundaries),
  h2Limits: of(h2Limits, h2Boundaries),
  lenientLimits: of(lenientLimits, lenientBoundaries),
  sessionLimits: of(sessionLimits, fetchers.sessionBoundaries),
  pluginLimits: of(pluginLimits, fetchers.pluginBoundaries),
  zstdLimits: of(zstdLimits, fetchers.zstdBoundaries),
  fetcherLimits: of(fetcherLimits, fetchers.fetcherBoundaries),
  officeLimits: of(officeLimits, fetchers.officeBoundaries),
  usageLimits: of(usageLimits, usageBoundaries),
  robotsLimits: of(robotsLimits, urls.robotsBoundaries),
  responseLimits: of(responseLimits, urls.responseBoundaries),
  parseLimits: of(parseLimits, parseBoundaries),
  richLimits: of(richLimits, richBoundaries),
  policyLimits: of(policyLimits, policies.policyBoundaries),
  recentPolicyLimits: of(recentPolicyLimits, policies.recentPolicyBoundaries),
  trapLimits: of(trapLimits, policies.trapBoundaries),
  waitLimits: of(policy.waitLimits, policies.waitBoundaries),
  parallelLimits: of(policy.parallelLimits, policies.parallelBoundaries),
  fleetLimits: of(fleetLimits, fleetBoundaries),
  fleetFetcherLimits: of(fleetFetcherLimits, fleetFetcherBoundaries),
  fleetServiceLimits: of(fleetServiceLimits, fleetServiceBoundaries),
  eventLimits: of(eventLimits, eventBoundaries),
  outputLimits: of(outputLimits, outputBoundaries),
  webhookLimits: of(webhookLimits, webhookBoundaries),
  ownerLimits: of(ownerLimits, ownerBoundaries),
  lendingLimits: of(lendingLimits, lendingBoundaries),
  listLimits: of(listLimits, policies.listBoundaries),
  recrawlLimits: of(policy.recrawlLimits, policies.recrawlBoundaries),
  frontierLimits: of(frontierLimits, frontier.frontierBoundaries),
  frontierServiceLimits: of(frontierServiceLimits, frontier.frontierServiceBoundaries),
  pullLimits: of(pullLimits, frontier.pullBoundaries),
  putLimits: of(putLimits, frontier.putBoundaries),
  grpcLimits: of(grpcLimits, frontier.grpcBoundaries),
  seenLimits: of(seenLimits, frontier.seenBoundaries),
  demandLimits: of(demandLimits, frontier.demandBoundaries),
  crawlLimits: of(crawlLimits, services.crawlBoundaries),
  workerLimits: of(workerLimits, services.workerBoundaries),
  httpLimits: of(httpLimits, services.httpBoundaries),
  doctorLimits: of(doctorLimits, services.doctorBoundaries),
  inspectLimits: of(inspectLimits, services.inspectBoundaries),
  lineLimits: of(lineLimits, services.lineBoundaries),
  otlpLimits: of(otlpLimits, services.otlpBoundaries),
  logLimits: of(logLimits, services.logBoundaries),
  avroLimits: of(avroLimits, services.avroBoundaries),
  diskLimits: of(diskLimits, services.diskBoundaries),
  storeLimits: of(storeLimits, services.storeBoundaries),
  traceLimits: of(traceLimits, services.traceBoundaries),
  changelogLimits: of(changelogLimits, services.changelogBoundaries),
  consumerLimits: of(consumerLimits, services.consumerBoundaries),
  archivedBodyLimits: of(archivedBodyLimits, services.archivedBodyBoundaries),
  archiveLimits: of(archiveLimits, services.archiveBoundaries),
  replayLimits: of(replayLimits, services.replayBoundaries),
  contentLimits: of(contentLimits, services.contentBoundaries),
  indexLimits: of(indexLimits, services.indexBoundaries),
  graphLimits: of(graphLimits, services.graphBoundaries),
  renderLimits: of(renderLimits, services.renderBoundaries),
  auditLimits: of(auditLimits, services.auditBoundaries),
  objectLimits: of(objectLimits, services.objectBoundaries),
  snapshotLimits: of(snapshotLimits, services.snapshotBoundaries),
  foldedLimits: of(foldedLimits, services.foldedBoundaries),
  kafkaLimits: of(kafkaLimits, services.kafkaBoundaries),
  patternLimits: of(patternLimits, urls.patternBoundaries),
  networkLimits: of(networkLimits, urls.networkBoundaries),
  policySizeLimits: of(policySizeLimits, policySizeBoundaries),
  loopLimits: of(loopLimits, loopBoundaries),
  shareLimits: of(shareLimits, shareBoundaries),
  loopShareLimits: of(loopShareLimits, loopShareBoundaries),
  mcpLimits: of(mcpLimits, mcpBoundaries),
  scrapeLimits: of(scrapeLimits, scrapeBoundaries),
  dashboardLimits: of(dashboardLimits, services.dashboardBoundaries),
  deskLimits: of(deskLimits, deskBoundaries),
};
