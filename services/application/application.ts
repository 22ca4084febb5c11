/**
 * The composition root: the one place where the frontier, the fetcher and the consumers of a crawl are made, over the log,
 * the clock and the stores they are given. The embedded crawl, each role on Kafka, the gRPC server, the library and the
 * simulator all come through here, so that what is simulated is what users run.
 */
import type { FetcherOptions } from '../fetcher/fetcher.ts';
import { type Fetcher, startFetcher } from '../fetcher/fetcher.ts';
import { type FetcherGroup, joinFetcherGroup } from '../fetcher/group.ts';
import { type Frontier, type FrontierOptions, startFrontier } from '../frontier/frontier.ts';
import { type FrontierGroup, type FrontierGroupOptions, joinFrontierGroup } from '../frontier/frontier-group.ts';
import type { RecordCodec } from '../runtime/avro/record-codec.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Manifest } from '../runtime/data-folder/manifest.ts';
import type { Log } from '../runtime/log/log.ts';
import { withPlugins } from './plugin/tell-plugins.ts';
import { declaredLog, type Edge } from './processor/declared-log.ts';
import type { Declaration } from './processor/processor.ts';
import * as topology from './topology.ts';

export interface Ports {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  /** Prefix of the topics, their number of partitions, and by what a host is assigned to its partition. */
  readonly manifest: Pick<Manifest, 'crawl' | 'partitions' | 'keyMode'>;
  /** Is called with each topic that a processor reads or appends to. */
  readonly onEdge?: ((edge: Edge) => void) | undefined;
}

type FromPorts = 'log' | 'codec' | 'clock' | 'crawl' | 'partitions' | 'keyMode';

export interface Application {
  /** The frontier with every partition of the crawl. `leases: 'pull'`: clients take its leases, by calls. */
  frontier(options: Omit<FrontierOptions, FromPorts>, leases?: 'tasks' | 'pull'): Frontier;
  /** The frontier as a member of its consumer group. */
  frontierMember(options: Omit<FrontierGroupOptions, FromPorts>, leases?: 'tasks' | 'pull'): Promise<FrontierGroup>;
  /** A fetcher that has all tasks to itself, from `at`, an end of `tasks`, on. */
  fetcher(options: Omit<FetcherOptions, FromPorts | 'group' | 'positions'>, at: TaskPositions): Fetcher;
  /** A fetcher as a member of its consumer group. */
  fetcherMember(options: Omit<FetcherOptions, FromPorts | 'group' | 'positions'>): Promise<FetcherGroup>;
}

export type TaskPositions = FetcherOptions['positions'];

export function createApplication({ log, codec, clock, manifest, onEdge }: Ports): Application {
  const { crawl, partitions, keyMode } = manifest;
  const portsOf = (declaration: Declaration) => ({
    ...{ codec, clock, crawl, partitions, keyMode },
    log: declaredLog(log, declaration, crawl, onEdge),
  });
  const frontierOf = (leases: 'tasks' | 'pull' = 'tasks') =>
    portsOf(leases === 'tasks' ? topology.frontier : topology.urlfrontier);
  /** One that may pay writes its payments on `control`. */
  const fetcherOf = ({ hooks = [] }: FetcherOptions['config']) =>
    portsOf(hooks.some(({ pay }) => pay !== undefined) ? withPlugins(topology.fetcher) : topology.fetcher);
  return {
    frontier: (options, leases) => startFrontier({ ...frontierOf(leases), ...options }),
    frontierMember: (options, leases) => joinFrontierGroup({ ...frontierOf(leases), ...options }),
    fetcher: (options, positions) =>
      startFetcher({ ...fetcherOf(options.config), ...options, group: `${crawl}.fetcher`, positions }),
    fetcherMember: (options) => joinFetcherGroup({ ...fetcherOf(options.config), ...options }),
  };
}

/** The present end of `tasks`: older tasks are void once the partitions are claimed, since a claim ends all leases. */
export async function endOfTasks({ log, manifest }: Pick<Ports, 'log' | 'manifest'>): Promise<TaskPositions> {
  const positions: { readonly partition: number; readonly offset: number }[] = [];
  for (let partition = 0; partition < manifest.partitions; partition++) {
    const { end } = await log.offsets(`${manifest.crawl}.tasks`, partition);
    positions.push({ partition, offset: end });
  }
  return positions;
}
