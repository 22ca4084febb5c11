/**
 * Connects HTTP clients with the frontier of this process, which starts after the server and stops before it: for
 * queries, displays such as the dashboard, and endpoints of extras and plugins.
 */
import type { CrawlPart, FetchingCrawl, ServedCrawl, Work } from '../../application/extension/crawl-part.ts';
import type { Display, DisplayedCrawl } from '../../application/extension/display.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import { keepPlaces } from '../../frontier/query/known-places.ts';
import { ownPartitions, type Restores } from '../../frontier/query/own-partitions.ts';
import { partitionPlaces } from '../../frontier/query/partition-places.ts';
import { Queries } from '../../frontier/query/queries.ts';
import { type Queried, queryRoutes } from '../../frontier/query/query-routes.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { AskMember } from '../../runtime/http/ask-member.ts';
import type { HttpApp } from '../../runtime/http/http-server.ts';
import type { Log } from '../../runtime/log/log.ts';
import { partRoutes } from './part-routes.ts';

export interface QueryServiceOptions
  extends Omit<DisplayedCrawl, 'log' | 'queries' | 'places' | 'parts' | 'folder' | 'stop'>,
    Partial<Pick<DisplayedCrawl, 'folder' | 'stop'>> {
  readonly log: DisplayedCrawl['log'] & Pick<Log, 'brokersAway'>;
  /** Restores of partitions of this process. */
  readonly restores: Restores;
  readonly ask?: AskMember | undefined;
}

export class QueryService {
  #queried: Queried | undefined;
  #served: ServedCrawl | undefined;
  readonly #displays: readonly Display[];
  readonly #parts: readonly CrawlPart[];

  readonly #options: FetchingCrawl['options'];

  /** `parts`: those of extras and plugins. `options`: of the command. */
  constructor(clock: Clock, parts: readonly CrawlPart[] = [], options: object = {}) {
    this.#parts = parts;
    this.#options = options as FetchingCrawl['options'];
    this.#displays = parts.flatMap(({ display }) => (display === undefined ? [] : [display(clock)]));
  }

  readonly routes = (app: HttpApp): void => {
    queryRoutes(() => this.#queried)(app);
    for (const { routes } of this.#displays) routes(app);
    const ofParts = this.#parts.flatMap(({ routes = [] }) => routes);
    partRoutes(ofParts, () => this.#served)(app);
  };

  open(options: QueryServiceOptions): void {
    const { log, codec, clock, manifest, member, restores, part, ask } = options;
    const { crawl, partitions, keyMode } = manifest;
    this.#served = { log, codec, clock, topics: manifest, crawl, part };
    const queries = new Queries({ log, clock, crawl, member, ask });
    const placed = { log, crawl, partitions, self: member, restores, queries };
    const places = async () => partitionPlaces({ ...placed, members: await queries.members() });
    const own = () => ownPartitions(partitions, member, restores);
    const known = keepPlaces({ clock, look: places, own, isCutOff: () => log.brokersAway?.()?.isCutOff === true });
    this.#queried = { partitions, keyMode, queries, places: known, own };
    const shown = { folder: null, stop: null, ...options, queries, places, parts: this.#parts };
    for (const display of this.#displays) display.open(shown);
  }

  /** Starts the parts beside a crawl that is up and fetches. */
  async start(fetcher: FetcherConfig): Promise<readonly Work[]> {
    const served = this.#served;
    if (served === undefined) return [];
    const crawl = { ...served, fetcher, options: this.#options };
    const started = await Promise.all(this.#parts.map((part) => part.start?.(crawl)));
    return started.filter((work) => work !== undefined);
  }

  /** As Display has it. */
  async awaitsRelease(): Promise<boolean> {
    for (const display of this.#displays) if (await display.awaitsRelease()) return true;
    return false;
  }

  /** The crawl is at its end. */
  async over(end: Parameters<Display['over']>[0]): Promise<void> {
    await Promise.all(this.#displays.map((display) => display.over(end)));
  }

  close(): void {
    this.#queried = undefined;
    this.#served = undefined;
    for (const display of this.#displays) display.close();
  }
}
