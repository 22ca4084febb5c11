/**
 * The composition root: the only place that creates the frontier, the fetcher and the consumers of a crawl, over a
 * given log, clock and stores. The embedded crawl, each role on Kafka, the gRPC server, the library and the simulator
 * all use it, so the simulator runs the same code as users.
 */
import { type Frontier, type FrontierOptions, startFrontier } from '../frontier/frontier.ts';
import { type FrontierGroup, type FrontierGroupOptions, joinFrontierGroup } from '../frontier/frontier-group.ts';
import { createFetchers, type Fetchers } from './fetchers.ts';
import type { Ports, TaskPositions } from './ports.ts';
import { frontier, urlfrontier } from './processor/declarations.ts';
import { declaredLog } from './processor/declared-log.ts';

type FromPorts = 'log' | 'codec' | 'clock' | 'crawl' | 'partitions' | 'keyMode';

export interface Application extends Fetchers {
  /** The frontier with every partition of the crawl. `leases: 'pull'`: clients take its leases, by calls. */
  frontier(options: Omit<FrontierOptions, FromPorts>, leases?: 'tasks' | 'pull'): Frontier;
  /** The frontier as a member of its consumer group. */
  frontierMember(options: Omit<FrontierGroupOptions, FromPorts>, leases?: 'tasks' | 'pull'): Promise<FrontierGroup>;
}

export function createApplication(ports: Ports): Application {
  const { log, codec, clock, manifest, onEdge } = ports;
  const { crawl, partitions, keyMode } = manifest;
  const frontierOf = (leases: 'tasks' | 'pull' = 'tasks') => ({
    ...{ codec, clock, crawl, partitions, keyMode },
    log: declaredLog(log, leases === 'tasks' ? frontier : urlfrontier, crawl, onEdge),
  });
  return {
    frontier: (options, leases) => startFrontier({ ...frontierOf(leases), ...options }),
    frontierMember: (options, leases) => joinFrontierGroup({ ...frontierOf(leases), ...options }),
    ...createFetchers(ports),
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
