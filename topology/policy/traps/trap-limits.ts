/** Bounds of the data from which a host's traps are detected: together below 8 kB of JSON at worst. */
export const trapLimits = {
  /** Longer shapes are cut, so URLs that differ only beyond this length share a shape. */
  shapeCharsMax: 96,
  /** A site has some dozen templates; chains recur all the time and so stay. */
  shapesMax: 24,
  pathsMax: 12,
  parametersMax: 6,
  prefixesMax: 12,
  /** Hashes of a path or parameter set that are remembered: above every default bound. */
  setsMax: 64,
  parameterPathsMax: 8,
  /** Contents to compare with: duplicates of a trap follow each other. */
  contentsMax: 64,
  /** Fetched URLs without one of their values, 100 B each: variants of some dozen pages. */
  basesMax: 64,
  placesMax: 8,
  placeBasesMax: 8,
  /** Places looked at in one URL: the first ones. */
  placesPerUrlMax: 6,
  /** Longer values and names of parameters are no places: they would be stored in a trap's pattern. */
  valueCharsMax: 256,
  nameCharsMax: 64,
  /** Places in a host's queue that folded variants left empty, 2–5 B each in a checkpoint, until the queue passes them. */
  foldedMax: 32_768,
  /** Active traps of one host: half as many as there are queues for them. */
  trapsMax: 16,
  /** Hosts remembered per partition in order to notice traps, 1–2 kB each: those with links coming in now. */
  summariesMax: 20_000,
  /** Counts of fetches halve when they reach this: the last few thousand decide. */
  hostFetchesMax: 4_000,
  prefixFetchesMax: 512,
  /** Links per level that a chain may have: to the next page, and to the previous one. */
  chainWidthMax: 2,
  /**
   * From this many steps on, a chain does not count as the yield of another chain: traps must not vouch for each
   * other.
   */
  chainFrom: 4,
  /**
   * When room is short, a step of a chain counts as much as this many events of age, so that chains outlive shapes that
   * occurred once.
   */
  eventsPerStep: 64,
  /** Hosts with fewer admitted URLs than this need no summary: no trap has shown by then. */
  admittedBefore: 8,
} as const;
