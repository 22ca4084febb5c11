/**
 * Connects HTTP clients with the frontier of this process, which starts after the server and stops before it: for
 * queries, the dashboard, and endpoints of extras and plugins.
 */
import type { CrawlPart, FetchingCrawl, ServedCrawl, Work } from '../../application/extension/crawl-part.ts';
import { type CrawlView, type OwnView, type ViewedCrawl, viewOf } from '../../dashboard/crawl-view.ts';
import { createDashboard, type Dashboard } from '../../dashboard/dashboard-routes.ts';
import type { CrawlPhase } from '../../dashboard/status.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import { listHosts } from '../../frontier/query/host-lists.ts';
import { keepPlaces } from '../../frontier/query/known-places.ts';
import { ownPartitions, type Restores } from '../../frontier/query/own-partitions.ts';
import { partitionPlaces } from '../../frontier/query/partition-places.ts';
import { type Asked, Queries } from '../../frontier/query/queries.ts';
import { askHost, type Queried, queryRoutes } from '../../frontier/query/query-routes.ts';
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
import { pageLists } from '../inspect/page-lists.ts';
import { recordReader } from '../inspect/page-record.ts';
import { timelineReader } from '../inspect/url-history.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import { hostArgument } from '../options/url-argument.ts';
import { partRoutes } from './part-routes.ts';
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
  /** Path of a file or folder in the data folder of this process. */
  part(name: string): string;
  readonly ask?: AskMember | undefined;
  /** As ViewedCrawl has them. Absent: the crawl is on Kafka. */
  readonly about?: ViewedCrawl['about'];
  readonly folder?: string | null;
  readonly stop?: ViewedCrawl['stop'];
}

export class QueryService {
  #queried: Queried | undefined;
  #served: ServedCrawl | undefined;
  #view: OwnView | undefined;
  readonly #dashboard: Dashboard;
  readonly #parts: readonly CrawlPart[];

  readonly #options: FetchingCrawl['options'];

  /** `parts`: those of extras and plugins. `options`: of the command. */
  constructor(clock: Clock, parts: readonly CrawlPart[] = [], options: object = {}) {
    this.#parts = parts;
    this.#options = options as FetchingCrawl['options'];
    this.#dashboard = createDashboard(clock, () => this.#view);
  }

  readonly routes = (app: HttpApp): void => {
    queryRoutes(() => this.#queried)(app);
    this.#dashboard.routes(app);
    const ofParts = this.#parts.flatMap(({ routes = [] }) => routes);
    partRoutes(ofParts, () => this.#served)(app);
  };

  open(options: QueryServiceOptions): void {
    const { log, codec, clock, manifest, member, restores, flags, part, ask } = options;
    const { crawl, partitions, keyMode } = manifest;
    this.#served = { log, codec, clock, topics: manifest, crawl, part };
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
      ...pageLists(this.#parts, { log, codec, topics: manifest }, part),
      hostKey: hostArgument,
      seedsUnder: seedReader(flags),
      stop: options.stop ?? null,
      send: (records) => log.append(encodeRequest(codec, crawl, records)),
    });
  }

  /** Starts the parts beside a crawl that is up and fetches. */
  async start(fetcher: FetcherConfig): Promise<readonly Work[]> {
    const served = this.#served;
    if (served === undefined) return [];
    const crawl = { ...served, fetcher, options: this.#options };
    const started = await Promise.all(this.#parts.map((part) => part.start?.(crawl)));
    return started.filter((work) => work !== undefined);
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
    this.#served = undefined;
    this.#view = undefined;
  }
}
