import { CrawlstreamError } from '../errors.ts';
import { withoutPlainFragment } from './fragment.ts';

/**
 * A seed as people type it: `example.org` is `https://example.org/`. White space around it and the fragment (but `#!…`) go; the
 * policy normalises the rest.
 *
 * Throws INVALID_SEED with the seed and what to write instead.
 */
export function parseSeed(text: string): string {
  const typed = text.trim();
  if (typed === '') throw invalid(text, 'it is empty; write a URL such as https://example.org/');
  if (/\s/.test(typed)) throw invalid(typed, 'it contains white space; give several seeds as separate arguments');
  const scheme = schemeOf(typed);
  if (scheme !== null && scheme !== 'http' && scheme !== 'https') {
    throw invalid(typed, `the scheme ${scheme}: is not supported; use http:// or https://`);
  }
  let url: URL;
  try {
    url = new URL(scheme === null ? `https://${typed.replace(/^\/\//, '')}` : typed);
  } catch {
    throw invalid(typed, 'it is not a URL; write one such as https://example.org/');
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid(url.host, 'it has a user name or password, which a crawl never sends; remove the part before @');
  }
  return withoutPlainFragment(url.href);
}

/** A URL as people type it, with a scheme: `https://` is added if there is none. Nothing else is checked. */
export function withScheme(typed: string): string {
  return schemeOf(typed.trim()) === null ? `https://${typed.trim().replace(/^\/\//, '')}` : typed;
}

export function hasScheme(typed: string): boolean {
  return schemeOf(typed.trim()) !== null;
}

/** null if the text begins with a host: `example.org:8080/a` has a port there, not a scheme. */
function schemeOf(typed: string): string | null {
  const match = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(typed);
  if (match === null) return null;
  const scheme = match[1]!.toLowerCase();
  const rest = match[2]!;
  if (rest.startsWith('//') || scheme === 'http' || scheme === 'https') return scheme;
  return /^\d+(?:[/?#]|$)/.test(rest) ? null : scheme;
}

function invalid(seed: string, why: string): CrawlstreamError {
  const shown = seed.length > 100 ? `${seed.slice(0, 100)}…` : seed;
  return new CrawlstreamError('INVALID_SEED', `seed ${JSON.stringify(shown)}: ${why}`);
}
