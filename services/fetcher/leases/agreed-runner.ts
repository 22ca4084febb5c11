/** Leases of a host that agreed to another name: as that, in each request and for each word that is addressed by name. */
import { acceptEncoding } from '../http/content-coding.ts';
import { type Identity, pageAccept, productTokensOf, requestHeaders, sitemapAccept } from '../http/identity.ts';
import type { LeaseRunner } from './lease-runner.ts';

/** `identity` null: the crawl's own. */
export function runnerAs(runner: LeaseRunner, identity: Identity | null): LeaseRunner {
  if (identity === null) return runner;
  return {
    ...runner,
    // Answers that other crawls got under their names are not for this one.
    sharedRobots: undefined,
    reader: { ...runner.reader, productToken: productTokensOf(identity) },
    headers: requestHeaders(identity, pageAccept, acceptEncoding),
    sitemapHeaders: requestHeaders(identity, sitemapAccept, 'gzip'),
  };
}
