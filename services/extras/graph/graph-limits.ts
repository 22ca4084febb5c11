/** Bounds of the link graph. */
export const graphLimits = {
  /** Pages written at once: some 10 kB of rows. */
  batchRecords: 256,
  /** Pages and links of a host that a map of hosts reads: a map of 40 hosts reads two million links at most. */
  pagesOfHost: 500,
  linksOfHost: 50_000,
  /** Hosts to which a host leads that a map looks at: many times those that have a place. */
  targetsOfHost: 1_000,
} as const;
