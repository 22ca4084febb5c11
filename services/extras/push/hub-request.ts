/**
 * Requests to topics and hubs, which publishers name: addresses are checked as for a fetch (topology/fetch/address.ts).
 * No redirect is followed, and no body is read beyond `bytesMax`.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { createGuardedRequest } from '../../runtime/http/guarded-request.ts';

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

/** `userAgentOf`: User-Agent for a URL. `isBlocked`: true for an address that must not be contacted. */
export function createHubRequest(
  userAgentOf: (url: string) => string,
  isBlocked: (address: string) => boolean,
): HubRequest {
  const request = createGuardedRequest({ isBlocked, timeoutMs, bytesMax });
  return async (url, form) => {
    const body = form === undefined ? undefined : new URLSearchParams(form).toString();
    const headers = {
      'user-agent': userAgentOf(url),
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
    };
    try {
      const { status, headers: answered, text } = await request(url, headers, body);
      return { status, links: linksOf(answered), text };
    } catch (error) {
      throw unreachable(url, (error as Error).message);
    }
  };
}

function linksOf(headers: IncomingHttpHeaders): string[] {
  const { link } = headers as { readonly link?: string | string[] };
  return link === undefined ? [] : [link].flat();
}

function unreachable(url: string, why: string): CrawlstreamError {
  return new CrawlstreamError('HUB_UNREACHABLE', `${url} did not answer (${why}): try again later`);
}
