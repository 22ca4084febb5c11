/** Bounds of the processes beside a crawl's: fetch workers, and the one of its consumers. */

/** File descriptor of a worker's channel. 3 is left to code that is loaded into processes from outside. */
export const channelFd = 4;
/**
 * How often a worker reports its figures, ms. Shown figures are at most this old, and each report is a sign of life.
 */
export const statsEveryMs = 500;

export const workerLimits = {
  /** Workers of one crawl: as many as the cores of the largest machines; each costs some 100 MB. */
  workersMax: 256,
  /** A worker without a sign of life for this many checks is ended and replaced. */
  silentLooksMax: 60,
  lookEveryMs: 1_000,
  /** How often to check for a task of a worker that was not started yet, ms. */
  workLookMs: 25,
  /** A worker that died soon after its start is replaced after a pause, which doubles up to `pauseMaxMs`. ms */
  pauseMaxMs: 30_000,
  pauseMs: 500,
  /** A worker that lived at least this long begins with the shortest pause again, ms. */
  soonMs: 10_000,
  /** A worker that ends this often before it can fetch, without being killed, ends the crawl. */
  startsFailedMax: 5,
  /** How often a lease that was at the same URL when its worker died is ended at once. */
  deathsPerUrlMax: 2,
  /** Hosts with a count of such deaths. */
  hostsCountedMax: 100_000,
  /** Old objects of a worker's heap, MB: beyond it the worker ends, and another takes its place. */
  heapMbMax: 1_024,
  heapMbMin: 256,
  /** If the consumers' process ends this often without being killed, before it has handled a record, the crawl ends. */
  consumersDeathsMax: 5,
  /** How long the consumers of a killed crawl may take to end, before the next crawl is refused, ms. */
  predecessorMs: 60_000,
  predecessorLookMs: 50,
  /** Time for the end of a worker, beyond the time for current requests, ms. */
  endMs: 10_000,
  /** Tasks read at once in the search for those of a dead worker. */
  tasksPerRead: 500,
  /** Characters kept of a dying worker's output: the reason is at its beginning or at its end. */
  saidCharsMax: 4_096,
} as const;
