/** The parts of a crawl in one process: the frontier with all its partitions, and fetchers beside it. */
import type { Frontier } from '../../frontier/frontier.ts';
import type { Application } from '../application.ts';
import type { TaskPositions } from '../ports.ts';
import type { FetchWorkersStart, RunningFetcher } from '../workers/fetch-workers.ts';

export interface WholeCrawl {
  /** From `endOfTasks`, before this is called. */
  readonly at: TaskPositions;
  readonly frontier: Parameters<Application['frontier']>[0];
  readonly fetcher: Parameters<Application['fetcher']>[0];
  /** Starts fetchers in separate processes, instead of the one in this process. */
  readonly workers?: ((start: FetchWorkersStart) => RunningFetcher) | undefined;
  /** Fetchers in other processes, which take tasks from the log. Absent: they are in this process. */
  readonly elsewhere?: FetchersElsewhere | undefined;
  /** How long current requests may take to finish when it ends, ms. Absent: their whole timeout. */
  readonly graceMs?: number | undefined;
}

export interface FetchersElsewhere {
  /** Number of leases that they could hold now, including those they hold. */
  leasesHeld(): number;
  /** `onMoreLeases` is called when there are more, until the returned function is called. */
  onMore(onMoreLeases: () => void): () => void;
  /** A handle to such a fetcher, with the parts that this process needs. */
  start(frontier: Pick<Frontier, 'committed'>): RunningFetcher;
}

export interface RunningWhole {
  readonly frontier: Frontier;
  readonly fetcher: RunningFetcher;
  /** Drains: no more leases are granted, active ones are finished, and their results may still be decided. */
  endLeases(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts frontier and fetchers. Nothing is lost after a kill: `at` is read before any partition is claimed, and a
 * claim ends all earlier leases. So older tasks are void, and undecided results are on the log for the next start.
 */
export function startWhole(application: Application, { at, graceMs, workers, ...options }: WholeCrawl): RunningWhole {
  if (options.elsewhere !== undefined) return startElsewhere(application, options.frontier, options.elsewhere, graceMs);
  // A fetcher that shares hosts with other crawls holds few leases if it gets few requests: more would expire before
  // their turn.
  let held = 0;
  const aside = new Map<number, number>();
  const { crawlPace } = options.fetcher;
  const isSharing = crawlPace !== undefined && workers === undefined;
  const frontier = application.frontier({
    ...options.frontier,
    ...(isSharing && { leasesHeld: () => held }),
    leasesAside: (partition) => aside.get(partition) ?? 0,
  });
  const withRoom = (one: NonNullable<typeof crawlPace>): typeof one => Object.assign(Object.create(one), { onRoom });
  const onRoom = (leases: number) => {
    const isMore = leases > held;
    held = leases;
    if (isMore) frontier.look();
  };
  const onAside = (partition: number, leases: number) => {
    const isMore = leases > (aside.get(partition) ?? 0);
    aside.set(partition, leases);
    if (isMore) frontier.look();
  };
  const fetcher =
    workers === undefined
      ? application.fetcher(
          { ...options.fetcher, ...(crawlPace !== undefined && { crawlPace: withRoom(crawlPace) }), onAside },
          at,
        )
      : workers({ at, frontier, onFailure: options.fetcher.onFailure });
  const endLeases = async () => {
    frontier.endGrants();
    await fetcher.stop(graceMs);
  };
  return {
    frontier,
    fetcher,
    endLeases,
    async stop() {
      await endLeases();
      await frontier.stop();
    },
  };
}

function startElsewhere(
  application: Application,
  options: WholeCrawl['frontier'],
  elsewhere: FetchersElsewhere,
  graceMs: number | undefined,
): RunningWhole {
  const frontier = application.frontier({ ...options, leasesHeld: () => elsewhere.leasesHeld() });
  const fetcher = elsewhere.start(frontier);
  const stopHearing = elsewhere.onMore(() => frontier.look());
  const endLeases = async () => {
    stopHearing();
    frontier.endGrants();
    await fetcher.stop(graceMs);
  };
  return {
    frontier,
    fetcher,
    endLeases,
    async stop() {
      await endLeases();
      await frontier.stop();
    },
  };
}
