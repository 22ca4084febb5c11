/**
 * How a URL was spelt where it was found: path and query as a browser would ask for them, where they are others than in
 * the URL's normal form. Scheme and host are never others: a queue, its pace and its robots.txt are a host's.
 */
import { canParse } from './can-parse.ts';
import type { Normalizer } from './normalize.ts';
import { urlLimits } from './url-limits.ts';

/** Empty: none that may be asked for. `found`: absolute. `normal`: its normal form. */
export function spellingOf(found: string, normal: string): string {
  if (found === normal || !canParse(found)) return '';
  const { origin, pathname, search, href } = new URL(found);
  if (!normal.startsWith(`${origin}/`)) return '';
  // An empty query is kept: `?` alone makes another URL to some servers.
  const query = search === '' && href.split('#', 1)[0]!.endsWith('?') ? '?' : search;
  const spelling = pathname + query;
  return origin + spelling === normal ? '' : spelling;
}

/** The URL as it is asked for. */
export function spelt(normal: string, spelling: string | undefined): string {
  return spelling === undefined ? normal : normal.slice(0, normal.indexOf('/', normal.indexOf('//') + 2)) + spelling;
}

/** Is it a spelling of that URL? Whoever sends a link may claim anything. */
export function isSpellingOf(spelling: string, normal: string, normalize: Normalizer): boolean {
  if (!spelling.startsWith('/') || spelling.length > urlLimits.urlCharsMax) return false;
  const url = spelt(normal, spelling);
  return url !== normal && normalize(url) === normal;
}
