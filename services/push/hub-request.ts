/**
 * Requests to topics and hubs, which publishers name: addresses are checked as for a fetch (topology/fetch/address.ts).
 * No redirect is followed, and no body is read beyond `bytesMax`.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { CrawlstreamError } from '../../topology/errors.ts';
import { isBlockedPort } from '../../topology/url/ports.ts';
import { BodyBuffer } from '../runtime/body-buffer.ts';

export interface HubAnswer {
  readonly status: number;
  /** Values of all Link fields. */
  readonly links: readonly string[];
  readonly text: string;
}

/** `form`: posted. Absent: a GET. Rejects with HUB_UNREACHABLE. */
export type HubRequest = (url: string, form?: Readonly<Record<string, string>>) => Promise<HubAnswer>;

const timeoutMs = 15_000;
const bytesMax = 1 << 20;

/** `isBlocked`: may an address not be contacted? */
export function createHubRequest(userAgent: string, isBlocked: (address: string) => boolean): HubRequest {
  const guarded: LookupFunction = (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const refused = error ?? refusalOf(hostname, addresses, isBlocked);
      const first = addresses?.[0];
      if (refused !== null || first === undefined) done(refused ?? new Error(`${hostname} has no address`), '', 4);
      else if (options.all === true) done(null, addresses as never);
      else done(null, first.address, first.family);
    });
  };
  return (url, form) => {
    const { protocol, hostname, port: given } = new URL(url);
    const literal = hostname.replace(/^\[|\]$/g, '');
    if (protocol !== 'http:' && protocol !== 'https:') {
      return Promise.reject(unreachable(url, `scheme ${protocol.slice(0, -1)} is not spoken`));
    }
    const port = Number(given || (protocol === 'https:' ? 443 : 80));
    if (isBlockedPort(port)) return Promise.reject(unreachable(url, `port ${port} is not for the web`));
    if (isIP(literal) > 0 && isBlocked(literal))
      return Promise.reject(unreachable(url, `${literal} may not be contacted`));
    const body = form === undefined ? undefined : new URLSearchParams(form).toString();
    const headers = {
      'user-agent': userAgent,
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
    };
    return new Promise((resolve, reject) => {
      const send = protocol === 'https:' ? overHttps : overHttp;
      const signal = AbortSignal.timeout(timeoutMs);
      const options = {
        method: body === undefined ? 'GET' : 'POST',
        headers,
        lookup: guarded,
        signal,
        agent: false as const,
      };
      const request = send(url, options, (response) => {
        read(response).then(
          (text) => resolve({ status: response.statusCode ?? 0, links: linksOf(response), text }),
          reject,
        );
      });
      request.on('error', (error) => reject(unreachable(url, error.message)));
      request.end(body);
    });
  };
}

function refusalOf(hostname: string, addresses: readonly LookupAddress[], isBlocked: (address: string) => boolean) {
  const blocked = addresses.find(({ address }) => isBlocked(address));
  return blocked === undefined ? null : new Error(`${hostname} is at ${blocked.address}, which may not be contacted`);
}

function linksOf({ headers }: IncomingMessage): string[] {
  const { link } = headers as { readonly link?: string | string[] };
  return link === undefined ? [] : [link].flat();
}

async function read(response: IncomingMessage): Promise<string> {
  const body = new BodyBuffer(bytesMax);
  for await (const chunk of response as AsyncIterable<Buffer>) {
    body.add(chunk.subarray(0, bytesMax - body.length));
    if (body.length >= bytesMax) break;
  }
  return body.whole().toString('utf8');
}

function unreachable(url: string, why: string): CrawlstreamError {
  return new CrawlstreamError('HUB_UNREACHABLE', `${url} cannot be asked (${why}): try again later`);
}
