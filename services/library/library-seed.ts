/** Seeds and the User-Agent of a crawl in a program, with the same checks as in the command. */
import { CrawlstreamError } from '../../topology/errors.ts';
import { hasScheme, parseSeed } from '../../topology/url/seed.ts';
import { isIP, isLocalName } from './local-host.ts';

/** Normalizes a seed. Throws INVALID_SEED; also for a word without scheme and dot, which is mostly a mistake. */
export function librarySeed(given: string): string {
  const url = parseSeed(given);
  const { hostname } = new URL(url);
  if (hasScheme(given) || hostname.includes('.') || isIP(hostname) || hostname === 'localhost') return url;
  const remedy = `write a URL such as https://example.org/, or https://${hostname}/ if it is a host of your network`;
  throw new CrawlstreamError('INVALID_SEED', `seed ${JSON.stringify(given)}: it is not a URL; ${remedy}`);
}

export interface Requester {
  readonly seeds: readonly string[];
  readonly userAgent: string;
  readonly resolve?: readonly string[];
  readonly fetch?: unknown;
}

/** Webmasters must be able to reach who crawls. Throws INVALID_ARGUMENT. */
export function needContact({ seeds, userAgent, resolve = [], fetch }: Requester): void {
  if (fetch !== undefined || /@|https?:\/\//.test(userAgent)) return;
  if (seeds.length > 0 && seeds.every((seed) => isLocalName(new URL(librarySeed(seed)), resolve))) return;
  const remedy = `add a web or mail address where webmasters can reach you, as in '${userAgent} (+me@example.org)'`;
  throw new CrawlstreamError('INVALID_ARGUMENT', `crawl: userAgent has no contact: ${remedy}`);
}
