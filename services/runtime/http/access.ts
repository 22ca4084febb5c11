/**
 * Access rules, applied before a route runs.
 *
 * - On loopback, `Host` must name this machine. This refuses a web page with a name that was rebound to 127.0.0.1
 * (DNS rebinding), and a page elsewhere that posts here (`Origin`).
 * - A request from a page of another origin (`Sec-Fetch-Site`) is refused, unless a person follows a link to
 * something to read.
 * - Beyond loopback, a read needs the token as well. `--http-open` opens metrics or all reads by name. Opened reads,
 * except metrics, are answered only if the request names an address, or a name that no stranger can own (DNS
 * rebinding again). Probes, and the files of a page, contain nothing of a crawl, and are open to everybody.
 * - A control call changes something. If a token is set, it needs `Authorization: Bearer <token>` from every address.
 * Without a token, control works on loopback only.
 * - Without a token, a control call by GET or HEAD needs `X-Crawlstream`, which no page elsewhere can send, or a
 * `Sec-Fetch-Site` that names a page of this service, because an `<img>` sends no Origin. `none` is not enough: a
 * link in a mail or a terminal may lead to a hostile page, and browsers also send `none` for its redirect.
 * - An open call checks its caller itself (a hub's signature), and so does a keyed one (an owner's key), which is
 * reported like any control call.
 *
 * Tokens are compared by their hashes, in constant time.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { canParse } from '../../../topology/url/can-parse.ts';
import { isLoopbackHost } from './listen-address.ts';

/** `public`, `metrics` and `read` change nothing. Absent: GET and HEAD are reads, all else is control. */
export type Access = 'public' | 'metrics' | 'read' | 'control' | 'open' | 'keyed';

/** Calls that need no token beyond loopback; `reads` includes metrics. */
export const openings = ['metrics', 'reads'] as const;
export type Opening = (typeof openings)[number];

export interface AccessRules {
  /** True if only this machine can reach the service. */
  readonly loopback: boolean;
  readonly token: string | undefined;
  /** Absent: only public calls. */
  readonly opened?: Opening | undefined;
}

export interface Call {
  readonly access: Access;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  readonly method: string;
  /** `Sec-Fetch-Site` and `Sec-Fetch-Dest`: the site that makes the request, by the browser, and its purpose. */
  readonly site: string | undefined;
  readonly dest: string | undefined;
  /** True if it has the header `X-Crawlstream`. */
  readonly marked: boolean;
}

export interface Refusal {
  readonly status: 401 | 403;
  readonly message: string;
}

export function refusalOf(rules: AccessRules, call: Call): Refusal | null {
  const { loopback, token } = rules;
  if (loopback && !namesThisMachine(call.host)) {
    return forbidden(
      `Host ${JSON.stringify(call.host ?? '')} is not this machine: use localhost or 127.0.0.1 in the URL`,
    );
  }
  if (call.access === 'open' || call.access === 'keyed') return null;
  const isElsewhere = call.site === 'cross-site' || call.site === 'same-site';
  if (call.access !== 'control') {
    if (isElsewhere && call.dest !== 'document') return forbidden('web pages of other origins may not read this crawl');
    return loopback || call.access === 'public' ? null : refusalOfRead(rules, call);
  }
  if (token !== undefined) return isAuthorized(token, call) ? null : unauthorized;
  if (!loopback) {
    return forbidden('control calls from other machines need a token: set CRAWLSTREAM_HTTP_TOKEN and restart');
  }
  if (call.origin !== undefined && !isOwnOrigin(call.origin, call.host)) {
    return forbidden(`a web page of ${call.origin} may not control this crawl: set CRAWLSTREAM_HTTP_TOKEN and restart`);
  }
  if (isElsewhere) return forbidden('web pages of other origins may not control this crawl');
  if (/^(GET|HEAD)$/.test(call.method) && !call.marked && call.site !== 'same-origin') {
    return forbidden(
      'this call changes the crawl: send the header X-Crawlstream: 1, to prove that no web page caused it',
    );
  }
  return null;
}

/** Beyond loopback. */
function refusalOfRead({ token, opened }: AccessRules, call: Call): Refusal | null {
  if (token !== undefined && isAuthorized(token, call)) return null;
  if (opened !== undefined && call.access === 'metrics') return null;
  if (opened === 'reads') {
    if (isNobodysElse(call.host)) return null;
    const remedy = 'use an address or a name of your own network, or send a token';
    return forbidden(`Host ${JSON.stringify(call.host)} may belong to any website: ${remedy}`);
  }
  if (token !== undefined) return unauthorized;
  const opening = call.access === 'metrics' ? 'metrics' : 'reads';
  return forbidden(
    `calls from other machines need a token: set CRAWLSTREAM_HTTP_TOKEN, or add --http-open ${opening}, and restart`,
  );
}

const unauthorized: Refusal = { status: 401, message: 'this call needs the header Authorization: Bearer <token>' };

function isAuthorized(token: string, { authorization }: Call): boolean {
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  return given !== undefined && equal(given, token);
}

function forbidden(message: string): Refusal {
  return { status: 403, message };
}

function namesThisMachine(host: string | undefined): boolean {
  const name = nameOf(host ?? '');
  return name !== undefined && isLoopbackHost(name);
}

/**
 * An origin that no stranger's page can have: an address, a name of one label, or a name that the DNS does not give
 * out.
 */
function isNobodysElse(host: string | undefined): boolean {
  // No browser leaves it out.
  if (host === undefined) return true;
  const name = nameOf(host)?.replace(/\.$/, '');
  if (name === undefined || name === '') return false;
  return isIP(name) !== 0 || !name.includes('.') || /\.(?:local|localhost|internal|svc|home\.arpa)$/.test(name);
}

/** Without port and brackets. */
function nameOf(host: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:]*))(?::\d+)?$/.exec(host) ?? [];
  return (bracketed ?? plain)?.toLowerCase();
}

function isOwnOrigin(origin: string, host: string | undefined): boolean {
  return canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

function equal(given: string, token: string): boolean {
  return timingSafeEqual(hashOf(given), hashOf(token));
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
