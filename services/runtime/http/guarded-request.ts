/**
 * Makes a request to a URL that others chose, such as a hub or a receiver of webhooks. Addresses are checked as for a
 * fetch (topology/fetch/address.ts), and the connection goes to the checked address. No redirect is followed, and at
 * most `bytesMax` bytes of the body are read.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { type IncomingHttpHeaders, type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import { isBlockedPort } from '../../../topology/url/ports.ts';
import { BodyBuffer } from '../body-buffer.ts';

export interface GuardedOptions {
  /** True if the address must not be contacted. */
  isBlocked(address: string): boolean;
  /** An address that the operator gave a name: it is not checked. Absent: there are none. */
  readonly overrides?: ((hostname: string, port: number) => string | undefined) | undefined;
  /** Certificates to trust. Absent: those of the system. */
  readonly secureContext?: SecureContext | undefined;
  /** Time limit of the whole exchange, ms. */
  readonly timeoutMs: number;
  readonly bytesMax: number;
}

export interface GuardedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** `body` absent: a GET. Rejects with why there was no answer. */
export type GuardedRequest = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
) => Promise<GuardedAnswer>;

/** Returns the reason why a URL must never be requested, at any address; null: it may be. */
export function refusalOfUrl(url: URL, isBlocked: (address: string) => boolean): string | null {
  const { protocol } = url;
  if (protocol !== 'http:' && protocol !== 'https:') return `scheme ${protocol.slice(0, -1)} is not supported`;
  const port = portOf(url);
  if (isBlockedPort(port)) return `port ${port} is not for the web`;
  const literal = literalOf(url);
  return isIP(literal) > 0 && isBlocked(literal) ? `${literal} may not be contacted` : null;
}

export function createGuardedRequest(options: GuardedOptions): GuardedRequest {
  const { isBlocked, overrides, secureContext, timeoutMs, bytesMax } = options;
  const guarded: LookupFunction = (hostname, how, done) => {
    lookup(hostname, { ...how, all: true }, (error, addresses: LookupAddress[]) => {
      const refused = error ?? blockedAmong(hostname, addresses, isBlocked);
      const first = addresses?.[0];
      if (refused !== null || first === undefined) done(refused ?? new Error(`${hostname} has no address`), '', 4);
      else if (how.all === true) done(null, addresses as never);
      else done(null, first.address, first.family);
    });
  };
  return async (target, headers, body) => {
    const url = new URL(target);
    const refusal = refusalOfUrl(url, isBlocked);
    if (refusal !== null) throw new Error(refusal);
    const given = overrides?.(literalOf(url), portOf(url));
    const isSecure = url.protocol === 'https:';
    return new Promise((resolve, reject) => {
      const request = (isSecure ? overHttps : overHttp)(
        url,
        {
          method: body === undefined ? 'GET' : 'POST',
          headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
          lookup: given === undefined ? guarded : leadingTo(given),
          signal: AbortSignal.timeout(timeoutMs),
          agent: false as const,
          ...(isSecure && secureContext !== undefined && { secureContext }),
        },
        (response) => {
          const { statusCode: status = 0, headers: answered } = response;
          read(response, bytesMax).then((text) => resolve({ status, headers: answered, text }), reject);
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  };
}

function leadingTo(address: string): LookupFunction {
  const family = isIP(address);
  return (_, { all }, done) => {
    if (all === true) done(null, [{ address, family }] as never);
    else done(null, address, family);
  };
}

function literalOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

function blockedAmong(hostname: string, addresses: readonly LookupAddress[], isBlocked: (address: string) => boolean) {
  const blocked = addresses?.find(({ address }) => isBlocked(address));
  return blocked === undefined ? null : new Error(`${hostname} is at an address that may not be contacted`);
}

async function read(response: IncomingMessage, bytesMax: number): Promise<string> {
  const body = new BodyBuffer(bytesMax);
  for await (const chunk of response as AsyncIterable<Buffer>) {
    body.add(chunk.subarray(0, bytesMax - body.length));
    if (body.length >= bytesMax) break;
  }
  return body.whole().toString('utf8');
}
