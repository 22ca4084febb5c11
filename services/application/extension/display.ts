/** Shows the crawl of a process to people, in a browser. An extra offers this. */

import type { PartitionPlace } from '../../frontier/query/partition-places.ts';
import type { Asked, Queries } from '../../frontier/query/queries.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { MembersLog } from '../../runtime/crawl/frontier-members.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Routes } from '../../runtime/http/http-server.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { CrawlPart } from './crawl-part.ts';

export interface Display {
  /** Its endpoints. They are called while no crawl is open, too. */
  readonly routes: Routes;
  /** Called once the crawl is up. */
  open(crawl: DisplayedCrawl): void;
  /** Called at the end of the crawl, before `close`: those who look get a last update. */
  over(end: 'done' | 'quotaSpent' | 'stopped'): Promise<void>;
  /** True: all that is left are URLs of hosts that were blocked here, and somebody looks who may unblock them. */
  awaitsRelease(): Promise<boolean>;
  close(): void;
}

export interface DisplayedCrawl {
  readonly log: MembersLog & Pick<Log, 'append' | 'committed' | 'offsetAt'>;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly manifest: Manifest;
  readonly member: Asked;
  readonly queries: Queries;
  places(): Promise<readonly PartitionPlace[]>;
  /** The options that name the crawl, and that lead to the lists of its policy. */
  readonly flags: { readonly brokers?: string; readonly data?: string; readonly registry?: string };
  /** Path of a file or folder in the data folder of this process. */
  part(name: string): string;
  /** Those of extras and plugins. */
  readonly parts: readonly CrawlPart[];
  /** null: its order is not shown. Absent: the crawl is on Kafka. */
  readonly about?: (() => Promise<CrawlOrder | null>) | undefined;
  /** The folder of a crawl on this machine, with a disk that may become full; null: there is none, or it is not shown. */
  readonly folder: string | null;
  /** Ends the crawl in order; false: nothing in this process heeds it. null: this process does not run it. */
  readonly stop: ((by: string) => boolean) | null;
}

/** The order of a crawl. */
export interface CrawlOrder {
  /** The first three; none: they are not known here. */
  readonly seeds: readonly string[];
  readonly seedCount: number;
  /** The options that name the crawl to commands; null: only its operator may know. */
  readonly place: string | null;
  readonly startedMs: number | null;
}
