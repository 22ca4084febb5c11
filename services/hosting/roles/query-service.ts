/**
 * Connects HTTP clients with the frontier of this process, which starts after the server and stops before it: for
 * queries, pushed URLs, hubs that push, and the dashboard.
 */
import { type CrawlView, type OwnView, type ViewedCrawl, viewOf } from '../../dashboard/crawl-view.ts';
import { createDashboard, type Dashboard } from '../../dashboard/dashboard-routes.ts';
import type { CrawlPhase } from '../../dashboard/status.ts';
import { listHosts } from '../../frontier/query/host-lists.ts';
import { keepPlaces } from '../../frontier/query/known-places.ts';
import { ownPartitions, type Restores } from '../../frontier/query/own-partitions.ts';
import { partitionPlaces } from '../../frontier/query/partition-places.ts';
import { type Asked, Queries } from '../../frontier/query/queries.ts';
import { askHost, type Queried, queryRoutes } from '../../frontier/query/query-routes.ts';
import { pushRoutes } from '../../push/push-routes.ts';
import type { PushTarget } from '../../push/pushed-urls.ts';
import type { Websub } from '../../push/websub.ts';
import { websubRoutes } from '../../push/websub-routes.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { MembersLog } from '../../runtime/crawl/frontier-members.ts';
import { encodeRequest } from '../../runtime/crawl/requests.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { AskMember } from '../../runtime/http/ask-member.ts';
import type { HttpApp } from '../../runtime/http/http-server.ts';
import type { Log } from '../../runtime/log/log.ts';
import { productVersion } from '../../runtime/version.ts';
import { aboutKafka } from '../inspect/about-kafka.ts';
import { explainer } from '../inspect/explain.ts';
import { hostPager, hostPageUrls } from '../inspect/host-page.ts';
import { recordReader } from '../inspect/page-record.ts';
import { timelineReader } from '../inspect/url-history.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import { hostArgument } from '../options/url-argument.ts';
import { seedReader } from './seed-reader.ts';

export interface QueryServiceOptions {
  readonly log: MembersLog & Pick<Log, 'append' | 'committed' | 'offsetAt' | 'brokersAway'>;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly manifest: Manifest;
  readonly member: Asked;
  /** Restores of partitions of this process. */
  readonly restores: Restores;
  /** The options that lead to the lists of the policy. */
  readonly flags: Pick<KafkaFlags, 'brokers' | 'data' | 'registry'>;
  readonly ask?: AskMember | undefined;
  /** As ViewedCrawl has them. Absent: the crawl is on Kafka. */
  readonly about?: ViewedCrawl['about'];
  readonly folder?: string | null;
  readonly stop?: ViewedCrawl['stop'];
}

export class QueryService {
  #queried: Queried | undefined;
  #pushes: PushTarget | undefined;
  #view: OwnView | undefined;
  readonly #dashboard: Dashboard;
  /** Absent: hubs cannot reach this process. */
  websub: Websub | undefined;

  constructor(clock: Clock) {
    this.#dashboard = createDashboard(clock, () => this.#view);
  }

  readonly routes = (app: HttpApp): void => {
    queryRoutes(() => this.#queried)(app);
    pushRoutes(() => this.#pushes)(app);
    websubRoutes(() => this.websub)(app);
    this.#dashboard.routes(app);
  };

  open(options: QueryServiceOptions): void {
    const { log, codec, clock, manifest, member, restores, flags, ask } = options;
    this.#pushes = { log, codec, clock, topics: manifest };
    const { crawl, partitions, keyMode } = manifest;
    const queries = new Queries({ log, clock, crawl, member, ask });
    const placed = { log, crawl, partitions, self: member, restores, queries };
    const places = async () => partitionPlaces({ ...placed, members: await queries.members() });
    const own = () => ownPartitions(partitions, member, restores);
    const known = keepPlaces({ clock, look: places, own, isCutOff: () => log.brokersAway?.()?.isCutOff === true });
    this.#queried = { partitions, keyMode, queries, places: known, own };
    this.#view = viewOf({
      ...{ log, codec, clock, topics: manifest, release: productVersion, places },
      members: () => queries.members(),
      fetchers: async () => member.fetchers ?? null,
      idle: async () => null,
      about: options.about ?? (async () => aboutKafka({ ...flags, crawl })),
      folder: options.folder ?? null,
      hosts: (asked) => listHosts({ partitions, queries }, asked, false),
      host: hostPager({ log, codec, clock, crawl }, flags, (host, from) =>
        askHost({ partitions, keyMode, queries }, host, hostPageUrls, from),
      ),
      explain: explainer({ log, codec, topics: manifest }, flags),
      story: timelineReader({ log, codec, topics: manifest }, flags),
      record: recordReader({ log, codec, topics: manifest }, flags),
      hostKey: hostArgument,
      seedsUnder: seedReader(flags),
      stop: options.stop ?? null,
      send: (records) => log.append(encodeRequest(codec, crawl, records)),
    });
  }

  /** The dashboard's view of it; undefined while it is not up. */
  get shown(): CrawlView | undefined {
    return this.#view;
  }

  /** As OwnView has it. False if no owner of a host answers: it could not be unblocked. */
  async awaitsRelease(): Promise<boolean> {
    return (await this.#view?.awaitsRelease().catch(() => false)) ?? false;
  }

  /** The crawl is at its end: viewers get a last update. */
  over(phase: CrawlPhase): Promise<void> {
    return this.#dashboard.over(phase);
  }

  close(): void {
    this.#queried = undefined;
    this.#pushes = undefined;
    this.#view = undefined;
    this.websub = undefined;
  }
}
