/**
 * The spelling of a URL where it was found: the path and query that a browser would request, if they differ from the
 * normal form. Scheme and host never differ, because a queue, its delay and its robots.txt belong to one host.
 */
import { canParse } from './can-parse.ts';
import type { Normalizer } from './normalize.ts';
import { urlLimits } from './url-limits.ts';

/**
 * The spelling to request; empty if it equals the normal form or has another origin. `found`: absolute. `normal`: its
 * normal form.
 */
export function spellingOf(found: string, normal: string): string {
  if (found === normal || !canParse(found)) return '';
  const { origin, pathname, search, href } = new URL(found);
  if (!normal.startsWith(`${origin}/`)) return '';
  // An empty query is kept: `?` alone makes another URL to some servers.
  const query = search === '' && href.split('#', 1)[0]!.endsWith('?') ? '?' : search;
  const spelling = pathname + query;
  return origin + spelling === normal ? '' : spelling;
}

/** The URL to request: the origin of `normal` with `spelling` as path and query. */
export function spelt(normal: string, spelling: string | undefined): string {
  return spelling === undefined ? normal : normal.slice(0, normal.indexOf('/', normal.indexOf('//') + 2)) + spelling;
}

/** Returns whether `spelling` is a spelling of `normal`. Senders of links can claim anything, so it is checked. */
export function isSpellingOf(spelling: string, normal: string, normalize: Normalizer): boolean {
  if (!spelling.startsWith('/') || spelling.length > urlLimits.urlCharsMax) return false;
  const url = spelt(normal, spelling);
  return url !== normal && normalize(url) === normal;
}
