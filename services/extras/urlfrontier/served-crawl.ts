/** What the API serves: crawls by id, each a frontier whose partitions this process may own. */

import type { Call } from '../../../topology/frontier/decide/pull/calls.ts';
import type { FrontierPartition } from '../../../topology/frontier/partition.ts';
import type { StoreJob } from '../../../topology/frontier/storage/store-job.ts';
import type { StateStore } from '../../runtime/store/store.ts';

export const defaultCrawlId = 'DEFAULT';

/** A partition that this process owns. */
export interface ServedPartition {
  /** The partition as it is decided on; undefined while it is being opened. */
  readonly core: FrontierPartition | undefined;
  call(call: Call): void;
  look<Result>(job: (partition: FrontierPartition) => StoreJob<Result>): Promise<Result>;
  scan(range: Parameters<StateStore['scan']>[0]): ReturnType<StateStore['scan']>;
}

export interface ServedCrawl {
  readonly id: string;
  /** Prefix of its topics and groups. */
  readonly name: string;
  /** By number; undefined: another process owns it. */
  readonly partitions: readonly (ServedPartition | undefined)[];
}

export interface ServedCrawls {
  /** Ids of the crawls to which anything was put since they were last deleted. */
  ids(): readonly string[];
  /** Those of them that are open in this process: others are opened once they are asked about. */
  list(): readonly ServedCrawl[];
  /** undefined: nothing was put there. */
  find(id: string): Promise<ServedCrawl | undefined>;
  /** The crawl, which is made if it does not exist. */
  open(id: string): Promise<ServedCrawl>;
  /** Frees the id for all processes: who puts to it from now on starts over. The default's stays. */
  free(id: string): Promise<void>;
  /** Ends this process's part of a crawl with a freed id. */
  close(id: string): Promise<void>;
}

/** Empty or blank stands for the default. */
export function crawlIdOf(given: string): string {
  return given.trim() === '' ? defaultCrawlId : given;
}
