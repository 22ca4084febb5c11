/**
 * Stores the cookies of hosts, and sends them back, if a request rule has `session`. They are only in the memory of
 * this fetcher: a restart starts over, with the login if there is one.
 *
 * A cookie belongs to its host (name and port): no Domain attribute, redirect or subdomain extends it. Cookies are
 * bounded per host and in all. Records of responses show that a cookie was set, and not its value.
 */

import { hash } from 'node:crypto';
import {
  type Cookie,
  type CookieOrigin,
  cookieField,
  isSentTo,
  parseSetCookie,
} from '../../../topology/fetch/set-cookie.ts';
import { canParse } from '../../../topology/url/can-parse.ts';
import { hostKeyOf, withoutPort } from '../../../topology/url/host-key.ts';
import { hostFits } from '../connect/host-pattern.ts';
import type { HttpResponse } from './client.ts';
import type { RequestManner } from './request-rules.ts';
import { redactedValue } from './sent-request.ts';
import { sessionLimits } from './session-limits.ts';

/** A form that is sent before anything else of its host. */
export interface Login {
  /** Normal. */
  readonly url: string;
  /** Time of the last login; 0: none. */
  sentAtMs: number;
  /** The login in progress; null: none. */
  underWay: Promise<void> | null;
}

export interface Sessions {
  /** True if a rule keeps cookies of the host. `hostname`: the URL's. */
  keeps(hostname: string): boolean;
  /** The headers and cookies of a request, with those that its host has set. */
  withCookies(url: string, manner: RequestManner | undefined): RequestManner | undefined;
  /** Keeps the response's cookies; returns the response without their values, for records. */
  keep(url: string, response: HttpResponse): HttpResponse;
  /** The login that a request to this origin needs now; null: none, or it was sent recently. */
  loginOf(origin: string): Login | null;
  /**
   * Notes that one URL redirects to another. Returns true if the target redirected when it was requested before, and
   * would get other cookies now, so that it may answer otherwise (RFC 6265 §5.4).
   */
  redirected(from: string, to: string): boolean;
  /** True if the host has set a cookie that is still valid. */
  isOpen(url: string): boolean;
  /** For the log. */
  readonly say: (text: string) => void;
}

const plain: RequestManner = { method: 'GET', body: null, headers: [], secrets: [], proxies: null };

export function createSessions(
  patterns: readonly string[],
  loginUrls: readonly string[],
  nowMs: () => number,
  say: (text: string) => void = () => {},
): Sessions {
  return new HostSessions(patterns, loginUrls, nowMs, say);
}

/** Its public acts are fields, since callers hand out single ones: `sessions.redirected`. */
class HostSessions implements Sessions {
  readonly #patterns: readonly string[];
  readonly #nowMs: () => number;
  readonly say: (text: string) => void;
  /** By host key, the last used at the end. */
  readonly #jars = new Map<string, Map<string, Cookie>>();
  readonly #logins: ReadonlyMap<string, Login>;
  /** URL → cookies of its request, for requests in progress, and for URLs that redirected. */
  readonly #askedWith = createMemory();
  readonly #redirectedWith = createMemory();

  constructor(
    patterns: readonly string[],
    loginUrls: readonly string[],
    nowMs: () => number,
    say: (text: string) => void,
  ) {
    this.#patterns = patterns;
    this.#nowMs = nowMs;
    this.#logins = new Map(
      loginUrls.map((url): [string, Login] => [new URL(url).origin, { url, sentAtMs: 0, underWay: null }]),
    );
    this.say = say;
  }

  #jarOf(url: string): ReadonlyMap<string, Cookie> | undefined {
    return this.#jars.get(hostKeyOf(url));
  }

  #use(url: string): Map<string, Cookie> {
    const key = hostKeyOf(url);
    const jar = this.#jars.get(key) ?? new Map<string, Cookie>();
    this.#jars.delete(key);
    this.#jars.set(key, jar);
    for (const oldest of this.#jars.keys()) {
      if (this.#jars.size <= sessionLimits.hostsMax) break;
      this.#jars.delete(oldest);
    }
    return jar;
  }

  #sent(url: string): Cookie[] {
    const to = originOf(url);
    const now = this.#nowMs();
    const cookies = [...(this.#jarOf(url)?.values() ?? [])].filter((cookie) => isSentTo(cookie, to, now));
    // RFC 6265 §5.4: longer paths first.
    return cookies.sort((a, b) => b.path.length - a.path.length);
  }

  readonly keeps: Sessions['keeps'] = (hostname) => this.#patterns.some((pattern) => hostFits(pattern, hostname));
  readonly withCookies: Sessions['withCookies'] = (url, manner) => {
    const cookies = this.#sent(url);
    this.#askedWith.set(url, digestOf(cookies));
    if (cookies.length === 0) return manner;
    const headers: string[] = [];
    const values = [cookieField(cookies)];
    const given = manner ?? plain;
    for (let i = 0; i < given.headers.length; i += 2) {
      if (given.headers[i] === 'cookie') values.unshift(given.headers[i + 1]!);
      else headers.push(given.headers[i]!, given.headers[i + 1]!);
    }
    return { ...given, headers: [...headers, 'cookie', values.join('; ')] };
  };

  readonly keep: Sessions['keep'] = (url, response) => {
    // A body that fails leaves the fields that came before it (RFC 6265 §5.2 speaks of fields alone).
    if (response.status === 0) return response;
    const from = originOf(url);
    const now = this.#nowMs();
    const { headers } = response;
    let jar: Map<string, Cookie> | undefined;
    for (let i = 0; i < headers.length; i += 2) {
      if (headers[i]!.toLowerCase() !== 'set-cookie') continue;
      const cookie = parseSetCookie(headers[i + 1]!, from, now);
      if (cookie === null) continue;
      jar ??= this.#use(url);
      const key = `${cookie.name};${cookie.path}`;
      const before = jar.get(key);
      // RFC 6265bis §5.7: a cookie set over TLS is not overwritten by one that was not.
      if (before?.secure === true && !from.isSecure) continue;
      jar.delete(key);
      const isOver = cookie.expiresAtMs !== null && cookie.expiresAtMs <= now;
      if (!isOver && (before !== undefined || jar.size < sessionLimits.cookiesPerHostMax)) jar.set(key, cookie);
    }
    if (response.failure === null && isThrownOut(url, response, this.#logins.get(new URL(url).origin)))
      this.#jars.delete(hostKeyOf(url));
    return withoutCookies(response);
  };

  readonly loginOf: Sessions['loginOf'] = (origin) => {
    const login = this.#logins.get(origin);
    if (login === undefined || this.#sent(login.url).length > 0) return null;
    const isLate = login.sentAtMs === 0 || this.#nowMs() - login.sentAtMs >= sessionLimits.loginEveryMs;
    return isLate || login.underWay !== null ? login : null;
  };

  readonly redirected: Sessions['redirected'] = (from, to) => {
    const asked = this.#askedWith.get(from);
    if (asked === undefined) return false;
    this.#redirectedWith.set(from, asked);
    const before = from === to ? undefined : this.#redirectedWith.get(to);
    return before !== undefined && before !== digestOf(this.#sent(to));
  };

  readonly isOpen: Sessions['isOpen'] = (url) => this.#sent(url).length > 0;
}

interface Memory {
  get(url: string): string | undefined;
  set(url: string, text: string): void;
}

/** Keeps the newest entries, up to the limit. */
function createMemory(): Memory {
  const texts = new Map<string, string>();
  return {
    get: (url) => texts.get(url),
    set(url, text) {
      texts.delete(url);
      texts.set(url, text);
      if (texts.size > sessionLimits.redirectsMax) texts.delete(texts.keys().next().value!);
    },
  };
}

/** Cookies are distinguished by this many characters, whatever their length. */
function digestOf(cookies: readonly Cookie[]): string {
  return hash('sha256', JSON.stringify(cookies.map(({ name, value }) => [name, value])), 'base64');
}

/** True if the site redirects to its login, or answers that there is no session. */
function isThrownOut(url: string, { status, headers }: HttpResponse, login: Login | undefined): boolean {
  if (login === undefined || url === login.url) return false;
  if (status === 401) return true;
  if (status < 300 || status > 399) return false;
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i]!.toLowerCase() !== 'location' || !canParse(headers[i + 1]!, url)) continue;
    const to = new URL(headers[i + 1]!, url);
    return `${to.origin}${to.pathname}` === login.url.split('?')[0];
  }
  return false;
}

function originOf(url: string): CookieOrigin {
  const { pathname, protocol } = new URL(url);
  return { host: withoutPort(hostKeyOf(url)), path: pathname, isSecure: protocol === 'https:' };
}

/** Values of Set-Cookie are replaced: a reader of an archive could otherwise continue the session. */
function withoutCookies(response: HttpResponse): HttpResponse {
  const { headers, wire } = response;
  let isClean = true;
  for (let i = 0; i < headers.length; i += 2) if (headers[i]!.toLowerCase() === 'set-cookie') isClean = false;
  if (isClean) return response;
  const shown = headers.map((text, at) =>
    at % 2 === 1 && headers[at - 1]!.toLowerCase() === 'set-cookie' ? redactedValue : text,
  );
  if (wire === undefined) return { ...response, headers: shown };
  const rawHeaders = wire.rawHeaders.map((bytes, at) =>
    at % 2 === 1 && wire.rawHeaders[at - 1]!.toString('latin1').toLowerCase() === 'set-cookie'
      ? Buffer.from(redactedValue)
      : bytes,
  );
  return { ...response, headers: shown, wire: { ...wire, rawHeaders } };
}
