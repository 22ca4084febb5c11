/** The frontier with all its partitions, and fetchers beside it: what a crawl in one process is made of. */
import type { Frontier } from '../../frontier/frontier.ts';
import type { Application } from '../application.ts';
import type { TaskPositions } from '../ports.ts';
import type { FetchWorkersStart, RunningFetcher } from '../workers/fetch-workers.ts';

export interface WholeCrawl {
  /** From `endOfTasks`, before this is called. */
  readonly at: TaskPositions;
  readonly frontier: Parameters<Application['frontier']>[0];
  readonly fetcher: Parameters<Application['fetcher']>[0];
  /** Starts fetchers in separate processes, in the place of the one in this process. */
  readonly workers?: ((start: FetchWorkersStart) => RunningFetcher) | undefined;
  /** Fetchers are other processes, which take tasks from the log. Absent: they are here. */
  readonly elsewhere?: FetchersElsewhere | undefined;
  /** How long requests under way may take to finish when it ends, ms. Absent: their whole timeout. */
  readonly graceMs?: number | undefined;
}

export interface FetchersElsewhere {
  /** Leases that they would hold now, with those they hold. */
  leasesHeld(): number;
  /** `tell` is called when there are more, until the returned function is called. */
  onMore(onMoreLeases: () => void): () => void;
  /** A fetcher as far as this process has to do with them. */
  start(frontier: Pick<Frontier, 'committed'>): RunningFetcher;
}

export interface RunningWhole {
  readonly frontier: Frontier;
  readonly fetcher: RunningFetcher;
  /** Drains: no lease is granted any more, those that are out are finished, and their results may still be decided. */
  endLeases(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * After a kill nothing is lost: `at` is taken before any partition is claimed, and a claim ends all earlier leases, so
 * older tasks are void, and results that were not decided are on the log for the next start.
 */
export function startWhole(application: Application, { at, graceMs, workers, ...options }: WholeCrawl): RunningWhole {
  if (options.elsewhere !== undefined) return startElsewhere(application, options.frontier, options.elsewhere, graceMs);
  // One that shares hosts with other crawls holds few leases where it gets few requests: more would run out before their turn.
  let held = 0;
  const { crawlPace } = options.fetcher;
  const isSharing = crawlPace !== undefined && workers === undefined;
  const frontier = application.frontier({ ...options.frontier, ...(isSharing && { leasesHeld: () => held }) });
  const withRoom = (one: NonNullable<typeof crawlPace>): typeof one => Object.assign(Object.create(one), { onRoom });
  const onRoom = (leases: number) => {
    const isMore = leases > held;
    held = leases;
    if (isMore) frontier.look();
  };
  const fetcher =
    workers === undefined
      ? application.fetcher(
          { ...options.fetcher, ...(crawlPace !== undefined && { crawlPace: withRoom(crawlPace) }) },
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
