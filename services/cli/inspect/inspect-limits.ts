/** Bounds of the output that commands print about a crawl. */
export const inspectLimits = {
  /** URLs of each rule in `links`: a screen for each of the usual rules. */
  links: 20,
  /** Each is held until all are printed, with its page: about 10 MB. */
  linksMax: 10_000,
} as const;
