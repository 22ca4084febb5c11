/** From where on `doctor` warns. */
export const doctorLimits = {
  /** A log, its state and their compaction: below, a crawl stops within minutes. */
  freeBytesMin: 1 << 30,
  /** A crawl of a million pages takes some ten gigabytes. */
  freeBytesWarn: 10 * (1 << 30),
  /** A thousand hosts at once take a socket each, and the stores some hundred files. */
  openFilesMin: 4_096,
  /** A clock that is further behind the folder's newest record was set back. */
  clockBehindMs: 60_000,
  /** Wait for a name server, a registry, or a port. */
  patienceMs: 5_000,
} as const;
