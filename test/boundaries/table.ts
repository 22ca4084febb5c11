/** The one list: each group of limits, with what stands at their edges. */
import { dashboardLimits } from '../../services/dashboard/limits.ts';
import { changelogLimits } from '../../topology/changelog-limits.ts';
import * as consumers from '../../topology/consumer-limits.ts';
import { demandLimits } from '../../topology/demand-limits.ts';
import { kafkaLimits } from '../../topology/kafka-limits.ts';
import * as limits from '../../topology/limits.ts';
import { pluginLimits } from '../../topology/plugin-limits.ts';
import * as policy from '../../topology/policy/limits.ts';
import { trapLimits } from '../../topology/policy/traps/trap-limits.ts';
import { putLimits } from '../../topology/put-limits.ts';
import { richLimits } from '../../topology/rich-page-limits.ts';
import * as snapshots from '../../topology/snapshot-limits.ts';
import { traceLimits } from '../../topology/trace/limits.ts';
import { listLimits } from '../../topology/url/list-limits.ts';
import { zstdLimits } from '../../topology/zstd-limits.ts';
import type { Boundary } from './boundary.ts';
import * as fetchers from './fetcher.ts';
import * as frontier from './frontier.ts';
import { parseBoundaries } from './parse.ts';
import * as policies from './policy.ts';
import { richBoundaries } from './rich-pages.ts';
import * as services from './services.ts';
import * as urls from './url.ts';

interface Group {
  readonly limits: Readonly<Record<string, unknown>>;
  readonly boundaries: Readonly<Record<string, Boundary>>;
}

const of = (group: Group['limits'], boundaries: Group['boundaries']): Group => ({ limits: group, boundaries });

/** By the name under which the limits are exported. */
export const table: Readonly<Record<string, Group>> = {
  urlLimits: of(limits.urlLimits, urls.urlBoundaries),
  requestLimits: of(limits.requestLimits, fetchers.requestBoundaries),
  pluginLimits: of(pluginLimits, fetchers.pluginBoundaries),
  zstdLimits: of(zstdLimits, fetchers.zstdBoundaries),
  fetcherLimits: of(limits.fetcherLimits, fetchers.fetcherBoundaries),
  robotsLimits: of(limits.robotsLimits, urls.robotsBoundaries),
  responseLimits: of(limits.responseLimits, urls.responseBoundaries),
  parseLimits: of(limits.parseLimits, parseBoundaries),
  richLimits: of(richLimits, richBoundaries),
  policyLimits: of(limits.policyLimits, policies.policyBoundaries),
  trapLimits: of(trapLimits, policies.trapBoundaries),
  parallelLimits: of(policy.parallelLimits, policies.parallelBoundaries),
  listLimits: of(listLimits, policies.listBoundaries),
  recrawlLimits: of(policy.recrawlLimits, policies.recrawlBoundaries),
  frontierLimits: of(limits.frontierLimits, frontier.frontierBoundaries),
  frontierServiceLimits: of(limits.frontierServiceLimits, frontier.frontierServiceBoundaries),
  pullLimits: of(limits.pullLimits, frontier.pullBoundaries),
  putLimits: of(putLimits, frontier.putBoundaries),
  seenLimits: of(limits.seenLimits, frontier.seenBoundaries),
  demandLimits: of(demandLimits, frontier.demandBoundaries),
  crawlLimits: of(limits.crawlLimits, services.crawlBoundaries),
  httpLimits: of(limits.httpLimits, services.httpBoundaries),
  logLimits: of(limits.logLimits, services.logBoundaries),
  avroLimits: of(limits.avroLimits, services.avroBoundaries),
  storeLimits: of(limits.storeLimits, services.storeBoundaries),
  traceLimits: of(traceLimits, services.traceBoundaries),
  changelogLimits: of(changelogLimits, services.changelogBoundaries),
  consumerLimits: of(consumers.consumerLimits, services.consumerBoundaries),
  archiveLimits: of(consumers.archiveLimits, services.archiveBoundaries),
  contentLimits: of(consumers.contentLimits, services.contentBoundaries),
  indexLimits: of(consumers.indexLimits, services.indexBoundaries),
  graphLimits: of(consumers.graphLimits, services.graphBoundaries),
  renderLimits: of(consumers.renderLimits, services.renderBoundaries),
  auditLimits: of(consumers.auditLimits, services.auditBoundaries),
  objectLimits: of(snapshots.objectLimits, services.objectBoundaries),
  snapshotLimits: of(snapshots.snapshotLimits, services.snapshotBoundaries),
  kafkaLimits: of(kafkaLimits, services.kafkaBoundaries),
  dashboardLimits: of(dashboardLimits, services.dashboardBoundaries),
};
