/** Where the questions of HTTP clients meet the frontier of this process, which comes after the server and goes before it. */
import { partitionPlaces } from '../frontier/partition-places.ts';
import { type Asked, Queries } from '../frontier/queries.ts';
import { type Queried, queryRoutes } from '../frontier/query-routes.ts';
import type { Clock } from '../runtime/clock.ts';
import type { MembersLog } from '../runtime/crawl/frontier-members.ts';
import type { Manifest } from '../runtime/data-folder/manifest.ts';

export interface DeskOptions {
  readonly log: MembersLog;
  readonly clock: Clock;
  readonly manifest: Manifest;
  readonly member: Asked;
}

export class QueryDesk {
  #queried: Queried | undefined;
  readonly routes = queryRoutes(() => this.#queried);

  open({ log, clock, manifest, member }: DeskOptions): void {
    const { crawl, partitions, keyMode } = manifest;
    const queries = new Queries({ log, clock, crawl, member });
    const places = async () => partitionPlaces(log, crawl, partitions, await queries.members(), member);
    this.#queried = { partitions, keyMode, queries, places };
  }

  close(): void {
    this.#queried = undefined;
  }
}
