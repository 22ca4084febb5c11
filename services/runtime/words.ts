/**
 * The words of a crawl: one name for each thing, for the dashboard's page and for the output of commands. It imports
 * nothing, so that the page, which is compiled for browsers, may read it as well.
 */

/** Names of admitted URLs' states, by counter. */
export const placeNames = {
  page: 'pages fetched',
  queued: 'queued',
  leased: 'on lease',
  retrying: 'retrying',
  deferred: 'deferred',
  redirected: 'redirected',
  denied: 'refused by robots.txt',
  failed: 'failed',
  dead: 'dead-lettered',
} as const;

/** Reasons for which links were not admitted, by counter. */
export const linkNames = {
  duplicates: 'links already known',
  outOfScope: 'links out of scope',
  filtered: 'links filtered out',
  tooDeep: 'links too deep',
  invalid: 'links not crawlable',
  tooLong: 'links too long',
  hostFull: 'dropped, host full',
  queueFull: 'dropped, queue full',
  linksDropped: 'dropped, page too long',
} as const;

/** Reasons for which a host takes no leases. */
export const holdNames: Readonly<Record<string, string>> = {
  blocked: 'blocked',
  paused: 'paused',
  purged: 'purged',
  crawlDelay: 'Crawl-delay above the limit',
  limit: 'limit reached',
};
