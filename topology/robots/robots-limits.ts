/** Bounds on reading robots.txt. */
export const robotsLimits = {
  /** RFC 9309 §2.5: at least 500 KiB must be read; the rest is ignored. */
  bodyBytesMax: 500 * 1024,
  /** RFC 9309 §2.3.1.2: at least five redirects are followed. */
  redirectsMax: 5,
  /** A request that is answered 408 or 425 is repeated so often: a slow moment passes; a server that always says so means it. */
  repeatsMax: 2,
  /** RFC 9309 §2.4: no longer than 24 hours without asking again. */
  cacheMsMax: 24 * 3_600_000,
  /** RFC 9309 §2.3.1.4: after about 30 days, an old copy no longer counts. */
  staleMsMax: 30 * 86_400_000,
  /** A larger Crawl-delay is read as this one: beyond any crawl's patience, and still safe to compute with. */
  crawlDelayMsMax: 30 * 86_400_000,
  /** Sitemaps of one host. Real sites name more than a thousand; a file of 500 KiB can hold about this many. */
  sitemapsMax: 10_000,
  /** Licences of one host: a site has one, and one for each part that has its own. */
  licencesMax: 10,
} as const;
