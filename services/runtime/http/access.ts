/**
 * Who may call what: decided before a route is looked into.
 *
 * - On loopback, `Host` must name this machine: a web page whose name was rebound to 127.0.0.1 is turned away
 *   (DNS rebinding), and so is a page elsewhere that posts here (`Origin`).
 * - What a browser says a page of another origin has asked for (`Sec-Fetch-Site`) is turned away, but for a person who
 *   follows a link to something to read.
 * - A control call changes something. With a token it needs `Authorization: Bearer <token>` wherever it comes from;
 *   without one it is off, unless only this machine can reach the service.
 * - Without a token, a control call by GET or HEAD needs `X-Crawlstream`, which no page of elsewhere can send, or the word
 *   of the browser that a page of this service asks: an `<img>` sends no Origin.
 * - An open call checks its caller itself (a hub's signature).
 *
 * Tokens are compared by their hashes, in constant time.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopbackHost } from './listen-address.ts';

/** `read` changes nothing. Absent: GET and HEAD read, whatever else is control. */
export type Access = 'read' | 'control' | 'open';

export interface AccessRules {
  /** Can only this machine reach the service? */
  readonly loopback: boolean;
  readonly token: string | undefined;
}

export interface Call {
  readonly access: Access;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  readonly method: string;
  /** `Sec-Fetch-Site`, `Sec-Fetch-Dest`: what a browser says of who asks, and for what. */
  readonly site: string | undefined;
  readonly dest: string | undefined;
  /** Has it the header `X-Crawlstream`? */
  readonly marked: boolean;
}

export interface Refusal {
  readonly status: 401 | 403;
  readonly message: string;
}

export function refusalOf({ loopback, token }: AccessRules, call: Call): Refusal | null {
  if (loopback && !namesThisMachine(call.host)) {
    return forbidden(`Host ${JSON.stringify(call.host ?? '')} is not this machine: ask for localhost or 127.0.0.1`);
  }
  if (call.access === 'open') return null;
  const isElsewhere = call.site === 'cross-site' || call.site === 'same-site';
  if (call.access === 'read') {
    return isElsewhere && call.dest !== 'document' ? forbidden('a page of elsewhere may not read this crawl') : null;
  }
  if (token !== undefined) {
    const given = /^Bearer +(\S+)$/i.exec(call.authorization ?? '')?.[1];
    if (given !== undefined && equal(given, token)) return null;
    return { status: 401, message: 'this call needs the header Authorization: Bearer <token>' };
  }
  if (!loopback) {
    return forbidden('control calls are off beyond loopback without a token: start with CRAWLSTREAM_HTTP_TOKEN set');
  }
  if (call.origin !== undefined && !isOwnOrigin(call.origin, call.host)) {
    return forbidden(`a page of ${call.origin} may not control this crawl: start with CRAWLSTREAM_HTTP_TOKEN set`);
  }
  if (isElsewhere) return forbidden('a page of elsewhere may not control this crawl');
  const isOfService = call.site === 'same-origin' || call.site === 'none';
  if (/^(GET|HEAD)$/.test(call.method) && !call.marked && !isOfService) {
    return forbidden(
      'this call has an effect: send the header X-Crawlstream: 1, which no web page can make a browser send',
    );
  }
  return null;
}

function forbidden(message: string): Refusal {
  return { status: 403, message };
}

function namesThisMachine(host: string | undefined): boolean {
  const name = /^(?:\[([^\]]+)\]|([^:]*))(?::\d+)?$/.exec(host ?? '');
  return name !== null && isLoopbackHost((name[1] ?? name[2] ?? '').toLowerCase());
}

function isOwnOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

function equal(given: string, token: string): boolean {
  return timingSafeEqual(hashOf(given), hashOf(token));
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
