/** Bounds of the watch over the event loop. */
export const loopLimits = {
  /** Interval of the main thread's beats, and of the watching thread's checks, ms. */
  beatMs: 250,
  /**
   * A loop that is blocked for longer is recorded on disk, ms: after a kill, or a lack of memory, the record names
   * its subject.
   */
  notedMs: 1_000,
  /**
   * A process with a loop that is blocked for longer is ended, ms: several times as long as any ordinary work takes
   * on a busy machine.
   */
  stillMsMax: 15_000,
  /** A thread in native code cannot run the exit: its process is killed after this time, ms. */
  exitMs: 1_000,
  /** Two deaths with the same subject within this time are blamed on it, ms: a supervisor restarts within minutes. */
  deathsMs: 600_000,
  /** Deaths that the record keeps. */
  deathsMax: 100,
} as const;
