/** Bounds of grants by the demand of fetchers (topology/frontier/task-window.ts, services/frontier/demand/). */
export const demandLimits = {
  /**
   * How often the fetchers' position on `tasks` is read while any tasks wait, ms: one small request for all
   * partitions.
   */
  fetcherLookMs: 200,
  /** How often the members of the fetchers' group are read, ms; the group drops a dead member after 10 s. */
  membersLookMs: 2_000,
  /** The same while the group has no member, ms, so that a new fetcher has work at once. */
  nobodyLookMs: 500,
  /**
   * Longest wait of a task for a fetcher, ms, approximately: ten reads of the position, so that no fetcher runs out,
   * and a fraction of a lease's duration.
   */
  taskWaitMs: 2_000,
  /**
   * Waiting tasks of a partition before the fetchers' rate is known; doubled at each read while they take all of
   * them.
   */
  taskWindowMin: 2,
  /** Most waiting tasks of a partition, whatever the rate of fetchers: some megabytes. */
  taskWindowMax: 4_096,
  /** About how many tasks a new owner reads again beyond those that wait. */
  tasksReadAgainMax: 256,
  /** A new owner's read of tasks that are there waits this long. */
  tasksPollMs: 1_000,
} as const;
