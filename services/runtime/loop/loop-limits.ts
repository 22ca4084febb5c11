/** Bounds of the watch over the event loop. */
export const loopLimits = {
  /** The main thread beats so often, and the watching thread looks so often, ms. */
  beatMs: 250,
  /** A loop that stands for longer is noted on disk, ms: a kill, or a death for want of memory, then leaves a name. */
  notedMs: 1_000,
  /** A loop that stands for longer is ended with its process, ms: several times what any ordinary work takes on a busy machine. */
  stillMsMax: 15_000,
  /** A thread in native code cannot run the exit: its process is killed after this, ms. */
  exitMs: 1_000,
  /** Two deaths with one name, no further apart than this, are put down to that name, ms: a supervisor starts again within minutes. */
  deathsMs: 600_000,
  /** Deaths that the note keeps. */
  deathsMax: 100,
} as const;
