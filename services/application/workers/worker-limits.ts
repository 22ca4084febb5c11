/** Bounds of the processes beside a crawl's: fetch workers, and the one of its consumers. */

/** Where a worker finds its channel. 3 is left to what is loaded into processes from outside. */
export const channelFd = 4;
/** How often a worker reports its figures: shown figures are no older, and each report is a sign of life. ms */
export const statsEveryMs = 500;

export const workerLimits = {
  /** Workers of one crawl: as many as the cores of the largest machines; each costs some 100 MB. */
  workersMax: 256,
  /** A worker that gave no sign of life for so many of our own looks is ended and replaced. */
  silentLooksMax: 60,
  lookEveryMs: 1_000,
  /** How often it is looked whether there is a task for a worker that was not started yet. ms */
  workLookMs: 25,
  /** A worker that died soon after its start is replaced after a pause, which doubles up to this. ms */
  pauseMaxMs: 30_000,
  pauseMs: 500,
  /** One that lived so long begins with the shortest pause again. ms */
  soonMs: 10_000,
  /** A worker that ends so often before it can fetch, and nobody kills it, ends the crawl. */
  startsFailedMax: 5,
  /** How often a lease comes back at once that stood at the same URL when its worker died. */
  deathsPerUrlMax: 2,
  /** Hosts of which that is counted. */
  hostsCountedMax: 100_000,
  /** Old objects of a worker's heap, MB: beyond it the worker ends, and another takes its place. */
  heapMbMax: 1_024,
  heapMbMin: 256,
  /** The process of the consumers that ends so often, unless it is killed, before they have dealt with a record ends the crawl. */
  consumersDeathsMax: 5,
  /** How long the consumers of a crawl that was killed may take to end, before the next is refused. ms */
  predecessorMs: 60_000,
  predecessorLookMs: 50,
  /** Beyond the time that requests under way may take, for the end of a worker. ms */
  endMs: 10_000,
  /** Tasks looked at in one go for those of a worker that died. */
  tasksPerRead: 500,
  /** Said by a worker as it died, that is kept: the reason stands at its beginning or at its end. */
  saidCharsMax: 4_096,
} as const;
