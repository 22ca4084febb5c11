/**
 * `crawlstream dashboard`: serves a page that shows a crawl, running or not, until it is stopped: from a data folder,
 * from Kafka, or from a service with `--http`.
 */

import type { Command } from 'commander';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { canParse } from '../../../../topology/url/can-parse.ts';
import type { CrawlPart } from '../../../application/extension/crawl-part.ts';
import { installedParts } from '../../../application/installed-parts.ts';
import { addHttpAccessOptions } from '../../../cli/flags/http-flags.ts';
import { addCrawlOptions } from '../../../cli/flags/kafka-flags.ts';
import { partitionPlaces } from '../../../frontier/query/partition-places.ts';
import { Queries } from '../../../frontier/query/queries.ts';
import { sendRequest } from '../../../hosting/connect/send-request.ts';
import { aboutFolder } from '../../../hosting/inspect/about-folder.ts';
import { explainer } from '../../../hosting/inspect/explain.ts';
import { hostOf, listOf } from '../../../hosting/inspect/hosts.ts';
import { activityOfCrawl } from '../../../hosting/inspect/idle-folder.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import { crawlAddress, type HttpFlags, memberAccess, withHttp } from '../../../hosting/options/http-side.ts';
import { hostArgument } from '../../../hosting/options/url-argument.ts';
import { type StateSource, withStates } from '../../../hosting/state/state-source.ts';
import { SystemClock } from '../../../runtime/clock.ts';
import { fetchersOf } from '../../../runtime/crawl/fetcher-count.ts';
import { memberAsker } from '../../../runtime/http/ask-member.ts';
import { type ListenAddress, parseListenAddress } from '../../../runtime/http/listen-address.ts';
import { toStdout } from '../../../runtime/logging/door.ts';
import { say } from '../../../runtime/logging/say.ts';
import type { Service } from '../../../runtime/metrics/service.ts';
import { bad } from '../../../runtime/option-text.ts';
import { stopOnSignals } from '../../../runtime/stop-signals.ts';
import { productVersion } from '../../../runtime/version.ts';
import type { CrawlView, ViewedCrawl } from '../crawl-view.ts';
import { createDashboard } from '../dashboard-routes.ts';
import { viewOf } from '../followed-crawl.ts';
import { remoteView } from '../remote-view.ts';
import { aboutKafka } from './about-kafka.ts';
import { dashboardUrl } from './dashboard-flags.ts';
import { failureReader } from './failure-reader.ts';
import { hostPager, hostPageUrls } from './host-page.ts';
import { pageLists } from './page-lists.ts';
import { recordReader } from './record-reader.ts';
import { seedReader } from './seed-reader.ts';
import { timelineReader } from './timeline-reader.ts';

interface DashboardCommandFlags extends KafkaFlags, HttpFlags {
  readonly url?: string;
  readonly http: ListenAddress;
}

export function addDashboardCommand(program: Command): void {
  const command = addCrawlOptions(program.command('dashboard'))
    .description('serve a web dashboard of a data folder, a crawl on Kafka, or a running service (--url)')
    .option('--url <url>', 'URL of a crawl or frontier that runs with --http, as in http://localhost:9464', serviceUrl);
  addHttpAccessOptions(command)
    .option(
      '--http <host:port>',
      'address to listen on; a port alone: on this machine only',
      (value) => parseListenAddress('--http', value),
      crawlAddress,
    )
    .action(showDashboard);
}

async function showDashboard(flags: DashboardCommandFlags): Promise<void> {
  const clock = new SystemClock();
  const stop = new AbortController();
  let view: CrawlView | undefined;
  const dashboard = createDashboard(clock, () => view);
  const serve = (shown: CrawlView) =>
    withHttp(
      flags,
      { role: 'dashboard', routes: [dashboard.routes], say },
      async ({ probes, listensOn, isSecure }: Service) => {
        const release = stopOnSignals(stop, 'stopping');
        view = shown;
        probes.serve(() => null);
        toStdout(`dashboard: ${dashboardUrl(listensOn!, isSecure)}\n`);
        await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
        release();
      },
    );
  const { url, brokers, data } = flags;
  if ([url, brokers, data].filter((place) => place !== undefined).length === 0) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      'no crawl is given: add its --data folder, its --brokers, or the --url of a running service',
    );
  }
  if (url !== undefined) return serve(remoteView({ url, token: process.env['CRAWLSTREAM_HTTP_TOKEN'] || undefined }));
  const parts = await installedParts();
  await withStates(flags, (source) => serve(viewOf(viewedCrawl(source, flags, parts))));
}

/** A crawl viewed from outside: its owners, if reachable, supply the data that only they have. */
function viewedCrawl(source: StateSource, flags: KafkaFlags & HttpFlags, parts: readonly CrawlPart[]): ViewedCrawl {
  const { log, brokersLog, codec, clock, manifest, folder } = source;
  const { crawl, partitions } = manifest;
  const self = { name: '', held: () => ({}) };
  const restores = new Map<number, never>();
  const ask = memberAsker(memberAccess(flags));
  const queries = brokersLog === null ? null : new Queries({ log: brokersLog, clock, crawl, member: self, ask });
  /** The page of a URL asks for nothing that would refresh the log. */
  const asOfNow =
    <Answer>(read: (url: string, signal?: AbortSignal) => Promise<Answer>) =>
    async (url: string, signal?: AbortSignal) => {
      await source.refresh();
      return read(url, signal);
    };
  return {
    ...{ log, codec, clock, topics: manifest, release: productVersion },
    members: async () => queries?.members() ?? null,
    fetchers: async () => (brokersLog === null || manifest.sink === 'pull' ? null : fetchersOf(brokersLog, crawl)),
    activity: (nowMs) => activityOfCrawl(source, flags.data, nowMs),
    about:
      flags.httpOpen === 'reads'
        ? async () => null
        : source.folder === null || flags.data === undefined
          ? async () => aboutKafka({ ...flags, crawl })
          : aboutFolder(source.folder, flags.data),
    folder: flags.data ?? null,
    async places() {
      await source.refresh();
      return partitionPlaces({
        log,
        crawl,
        partitions,
        self,
        restores,
        queries,
        members: (await queries?.members()) ?? [],
      });
    },
    hosts: (asked) => listOf(source, { ...flags, ...asked }),
    host: hostPager({ log, codec, clock, topics: manifest, folder, brokersLog }, flags, (host, from) =>
      hostOf(source, host, { ...flags, limit: hostPageUrls, ...(from !== undefined && { from }) }),
    ),
    explain: asOfNow(explainer({ log, codec, topics: manifest, folder, brokersLog }, flags)),
    story: asOfNow(timelineReader({ log, codec, topics: manifest }, flags)),
    record: asOfNow(recordReader({ log, codec, topics: manifest }, flags)),
    async failures(signal) {
      await source.refresh();
      return failureReader({ log, codec, topics: manifest }, flags)(signal);
    },
    ...pageLists(parts, { log, codec, topics: manifest }, folder === null ? null : (name) => folder.part(name)),
    hostKey: hostArgument,
    seedsUnder: seedReader(flags),
    stop: null,
    send: (records) => sendRequest(flags, clock, () => records),
  };
}

function serviceUrl(value: string): string {
  if (canParse(value) && /^https?:/.test(value)) return value.replace(/\/+$/, '');
  throw bad('--url', value, 'give the URL of a service that runs with --http, as in http://localhost:9464');
}
