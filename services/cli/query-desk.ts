/**
 * Where HTTP clients meet the frontier of this process, which comes after the server and goes before it: their questions,
 * the URLs that they push, and the hubs that push for them.
 */
import { ownPartitions, type Restores } from '../frontier/own-partitions.ts';
import { partitionPlaces } from '../frontier/partition-places.ts';
import { type Asked, Queries } from '../frontier/queries.ts';
import { type Queried, queryRoutes } from '../frontier/query-routes.ts';
import { pushRoutes } from '../push/push-routes.ts';
import type { PushTarget } from '../push/pushed-urls.ts';
import type { Websub } from '../push/websub.ts';
import { websubRoutes } from '../push/websub-routes.ts';
import type { RecordCodec } from '../runtime/avro/record-codec.ts';
import type { Clock } from '../runtime/clock.ts';
import type { MembersLog } from '../runtime/crawl/frontier-members.ts';
import type { Manifest } from '../runtime/data-folder/manifest.ts';
import type { HttpApp } from '../runtime/http/http-server.ts';
import type { Log } from '../runtime/log/log.ts';

export interface DeskOptions {
  readonly log: MembersLog & Pick<Log, 'append'>;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly manifest: Manifest;
  readonly member: Asked;
  /** Of partitions of this process. */
  readonly restores: Restores;
}

export class QueryDesk {
  #queried: Queried | undefined;
  #pushes: PushTarget | undefined;
  /** Absent: hubs cannot reach this process. */
  websub: Websub | undefined;

  readonly routes = (app: HttpApp): void => {
    queryRoutes(() => this.#queried)(app);
    pushRoutes(() => this.#pushes)(app);
    websubRoutes(() => this.websub)(app);
  };

  open({ log, codec, clock, manifest, member, restores }: DeskOptions): void {
    this.#pushes = { log, codec, clock, topics: manifest };
    const { crawl, partitions, keyMode } = manifest;
    const queries = new Queries({ log, clock, crawl, member });
    const placed = { log, crawl, partitions, self: member, restores };
    const places = async () => partitionPlaces({ ...placed, members: await queries.members() });
    const own = () => ownPartitions(partitions, member, restores);
    this.#queried = { partitions, keyMode, queries, places, own };
  }

  close(): void {
    this.#queried = undefined;
    this.#pushes = undefined;
    this.websub = undefined;
  }
}
