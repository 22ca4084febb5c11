/**
 * One Set-Cookie header as a cookie of the host that sent it, and of no other (RFC 6265 §5.2, §5.3, §5.1.4; the rules for
 * `Secure`, for names with a prefix and for cookies without a name are those of RFC 6265bis §5.6 and §5.7).
 *
 * Every cookie is host-only here. A Domain attribute only decides whether the cookie is taken at all: one that does not cover
 * the host, or is a public suffix, makes it void, as in a browser; one that does is kept for the host alone.
 */
import { registrableDomain } from '../url/registrable-domain.ts';
import { parseCookieDate } from './cookie-date.ts';

export interface Cookie {
  /** Empty: the field had none (RFC 6265bis §5.6). */
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** ms since the Unix epoch; null: until the session ends. */
  readonly expiresAtMs: number | null;
  readonly secure: boolean;
}

/** The URL that sets a cookie, or to which it is sent. */
export interface CookieOrigin {
  /** Host name, lower-case, without port. */
  readonly host: string;
  /** Path of the URL, without its query. */
  readonly path: string;
  readonly isSecure: boolean;
}

/** Longest name and value together, characters: the limit of browsers. */
export const cookieCharsMax = 4_096;
const attributeCharsMax = 1_024;

/** Parses a Set-Cookie header; null if it is malformed, or its host may not set the cookie. */
export function parseSetCookie(header: string, from: CookieOrigin, nowMs: number): Cookie | null {
  const [pair = '', ...attributes] = header.split(';');
  const equals = pair.indexOf('=');
  const name = pair.slice(0, Math.max(equals, 0)).trim();
  const value = pair.slice(equals + 1).trim();
  if (name === '' && !mayBeNameless(value)) return null;
  // The cookie becomes part of a request header, so it must not contain characters that would start another field.
  if (name.length + value.length > cookieCharsMax || !isText(name) || !isText(value)) return null;
  let expires: number | null = null;
  let maxAge: number | null = null;
  let path = defaultPath(from.path);
  let domain = '';
  let hasPath = false;
  let secure = false;
  for (const attribute of attributes) {
    const at = attribute.indexOf('=');
    const key = (at < 0 ? attribute : attribute.slice(0, at)).trim().toLowerCase();
    const given = at < 0 ? '' : attribute.slice(at + 1).trim();
    if (given.length > attributeCharsMax) continue;
    if (key === 'expires') expires = parseCookieDate(given) ?? expires;
    else if (key === 'max-age' && /^-?\d+$/.test(given)) maxAge = Number(given);
    else if (key === 'domain') domain = given.replace(/^\./, '').toLowerCase();
    else if (key === 'path') [path, hasPath] = given.startsWith('/') ? [given, true] : [defaultPath(from.path), false];
    else if (key === 'secure') secure = true;
  }
  if (domain !== '' && !mayNameDomain(from.host, domain)) return null;
  if (secure && !from.isSecure) return null;
  if (/^__(secure|host)-/i.test(name) && !secure) return null;
  if (/^__host-/i.test(name) && (domain !== '' || !hasPath || path !== '/')) return null;
  const expiresAtMs = maxAge === null ? expires : maxAge <= 0 ? 0 : nowMs + 1_000 * maxAge;
  return { name, value, path, expiresAtMs, secure };
}

/** The value of a Cookie field (RFC 6265bis §5.8.3): a cookie without a name is its value alone. */
export function cookieField(cookies: readonly Cookie[]): string {
  return cookies.map(({ name, value }) => (name === '' ? value : `${name}=${value}`)).join('; ');
}

/** True if a cookie of the host is sent with a request for this path. */
export function isSentTo({ path, secure, expiresAtMs }: Cookie, to: CookieOrigin, nowMs: number): boolean {
  if ((secure && !to.isSecure) || (expiresAtMs !== null && expiresAtMs <= nowMs)) return false;
  if (!to.path.startsWith(path)) return false;
  return path.length === to.path.length || path.endsWith('/') || to.path.charAt(path.length) === '/';
}

/** RFC 6265bis §5.7: a value that reads like a name with a prefix would come back as such a cookie. */
function mayBeNameless(value: string): boolean {
  return value !== '' && !/^__(secure|host)-/i.test(value);
}

/** RFC 6265 §5.1.3; a public suffix names no host but itself. */
function mayNameDomain(host: string, domain: string): boolean {
  if (host === domain) return true;
  return host.endsWith(`.${domain}`) && registrableDomain(domain) !== null && registrableDomain(host) !== null;
}

/** RFC 6265 §5.1.4. */
function defaultPath(path: string): string {
  const last = path.lastIndexOf('/');
  return last <= 0 ? '/' : path.slice(0, last);
}

/** Visible ASCII, blanks and tabs, and bytes beyond ASCII, which are returned unchanged (RFC 6265 §5.2, §5.4). */
function isText(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}
