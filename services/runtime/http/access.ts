/**
 * Who may call what: decided before a route is looked into.
 *
 * - On loopback, `Host` must name this machine: a web page whose name was rebound to 127.0.0.1 is turned away
 *   (DNS rebinding), and so is a page elsewhere that posts here (`Origin`).
 * - A control call changes something. With a token it needs `Authorization: Bearer <token>` wherever it comes from;
 *   without one it is off, unless only this machine can reach the service.
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
}

export interface Refusal {
  readonly status: 401 | 403;
  readonly message: string;
}

export function refusalOf({ loopback, token }: AccessRules, call: Call): Refusal | null {
  if (loopback && !namesThisMachine(call.host)) {
    return forbidden(`Host ${JSON.stringify(call.host ?? '')} is not this machine: ask for localhost or 127.0.0.1`);
  }
  if (call.access !== 'control') return null;
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
