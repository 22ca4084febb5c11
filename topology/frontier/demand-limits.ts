/** Bounds of what is granted by what fetchers take (topology/frontier/task-window.ts, services/frontier/demand/). */
export const demandLimits = {
  /** How far fetchers have come with tasks is looked at this often, while any waits: one small request for all partitions. */
  fetcherLookMs: 200,
  /** Whether there are fetchers is looked at this often: their group drops one that died 10 s after. */
  membersLookMs: 2_000,
  /** The same while there is none, so that a fetcher that joins has work at once. */
  nobodyLookMs: 500,
  /** Tasks wait about this long for a fetcher at most: ten looks, so that none runs dry, and a fraction of a lease's life. */
  taskWaitMs: 2_000,
  /** Tasks of a partition that wait before anything is known of the fetchers' pace; doubled at each look while they take all. */
  taskWindowMin: 2,
  /** The most tasks of a partition that wait, however many are taken: some megabytes. */
  taskWindowMax: 4_096,
  /** About how many tasks a new owner reads again beyond those that wait. */
  tasksReadAgainMax: 256,
  /** A new owner's read of tasks that are there waits this long. */
  tasksPollMs: 1_000,
} as const;
