/**
 * The part of the composition root that makes fetchers: all that a fetch worker needs of it, which is started often, and
 * would load frontier, stores and consumers for nothing.
 */
import { type Fetcher, startFetcher } from '../fetcher/fetcher.ts';
import type { FetcherOptions } from '../fetcher/fetcher-options.ts';
import { type FetcherGroup, joinFetcherGroup } from '../fetcher/group.ts';
import { withPlugins } from './plugin/record-plugins.ts';
import type { Ports, TaskPositions } from './ports.ts';
import { fetcher } from './processor/declarations.ts';
import { declaredLog } from './processor/declared-log.ts';

type Given = Omit<
  FetcherOptions,
  'log' | 'codec' | 'clock' | 'crawl' | 'partitions' | 'keyMode' | 'group' | 'positions'
>;

export interface Fetchers {
  /** A fetcher that has all tasks to itself, from `at`, an end of `tasks`, on. */
  fetcher(options: Given, at: TaskPositions): Fetcher;
  /** A fetcher as a member of its consumer group. */
  fetcherMember(options: Given): Promise<FetcherGroup>;
}

export function createFetchers({ log, codec, clock, manifest, onEdge }: Ports): Fetchers {
  const { crawl, partitions, keyMode } = manifest;
  /** One that may pay writes its payments on `control`. */
  const portsFor = ({ hooks = [] }: FetcherOptions['config']) => ({
    ...{ codec, clock, crawl, partitions, keyMode },
    log: declaredLog(log, hooks.some(({ pay }) => pay !== undefined) ? withPlugins(fetcher) : fetcher, crawl, onEdge),
  });
  return {
    fetcher: (options, positions) => startFetcher({ ...portsFor(options.config), ...options, group: null, positions }),
    fetcherMember: (options) => joinFetcherGroup({ ...portsFor(options.config), ...options }),
  };
}
