/**
 * Makes the links of a page absolute (WHATWG URL Standard §4.4), without their fragment (but `#!…`: fragment.ts).
 *
 * Most links are absolute and normal, or a plain path; those are recognised by a scan and joined by hand. Everything
 * else — dot segments, white space, odd characters, other schemes — goes through the parser. Both ways agree on all
 * input (fuzzed against `new URL`).
 */
import { withoutPlainFragment } from './fragment.ts';
import { scanAuthority, scanPath, scanQuery } from './normal-scan.ts';
import type { Normalizer } from './normalize.ts';

/** The parts of a base URL that joining needs. */
interface Base {
  readonly href: string;
  readonly origin: string;
  /** `origin` and path up to its last slash. */
  readonly folder: string;
}

/** The base of the current page, parsed once for all its links. Only a memo: results depend on the arguments alone. */
let memoBase = '';
let memo: Base | 'parser' | 'malformed' = 'malformed';

/**
 * The absolute URL; null if `href` cannot be resolved or the normaliser refuses it. Without a normaliser, the result
 * may have any scheme.
 */
export function resolveLink(href: string, base: string | URL, normalizer?: Normalizer): string | null {
  const resolved = resolve(href, typeof base === 'string' ? base : base.href);
  return resolved === null || normalizer === undefined ? resolved : normalizer(resolved);
}

function resolve(href: string, base: string): string | null {
  if (base !== memoBase) {
    memo = parseBase(base);
    memoBase = base;
  }
  if (memo === 'malformed') return null;
  return (memo === 'parser' ? null : joinFast(href, memo)) ?? joinSlow(href, memo === 'parser' ? base : memo.href);
}

function parseBase(base: string): Base | 'parser' | 'malformed' {
  let url: URL;
  try {
    url = new URL(base);
  } catch {
    return 'malformed';
  }
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '' || url.password !== '') {
    return 'parser';
  }
  const folder = url.origin + url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1);
  return { href: url.href, origin: url.origin, folder };
}

/** null: not one of the plain cases. */
function joinFast(href: string, base: Base): string | null {
  // A fragment that is kept is spelt by the parser.
  if (href.includes('#!')) return null;
  const first = href.charCodeAt(0);
  if (first === 47) {
    const end = scanTail(href, 1);
    return end < 0 ? null : base.origin + cut(href, end);
  }
  const slash = scanAuthority(href);
  if (slash > 0) {
    const end = scanTail(href, slash + 1);
    return end < 0 ? null : cut(href, end);
  }
  // A relative path: begins with a letter or digit, and nothing before its first slash looks like a scheme.
  if (!isAlphanumeric(first)) return null;
  const colon = href.indexOf(':');
  if (colon !== -1) return null;
  const end = scanTail(href, 0);
  return end < 0 ? null : base.folder + cut(href, end);
}

/** Scans a path and query that parsing leaves unchanged. Returns the index of their end (at `#` or the end), or -1. */
function scanTail(href: string, at: number): number {
  const pathEnd = scanPath(href, at);
  return pathEnd >= 0 && href.charCodeAt(pathEnd) === 63 ? scanQuery(href, pathEnd + 1) : pathEnd;
}

function cut(href: string, end: number): string {
  return end === href.length ? href : href.slice(0, end);
}

function isAlphanumeric(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

function joinSlow(href: string, base: string): string | null {
  let resolved: string;
  try {
    resolved = new URL(href, base).href;
  } catch {
    return null;
  }
  // In a serialised URL the first `#` begins the fragment: elsewhere it is escaped.
  return withoutPlainFragment(resolved);
}
