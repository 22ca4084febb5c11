/**
 * Crawlee's HTTP client with leases: it notes each leased request's status, the headers that the crawl reads, and its
 * start and end. Redirects are not followed: a target is leased when its host may be contacted.
 */
import { finished } from 'node:stream';
import type { Crawlee, HttpClient, HttpRequest, HttpResponse, Session } from './crawlee-types.ts';
import { failureSeen, type Held, responseSeen } from './held-request.ts';

export interface LeasedHttpClientOptions {
  /** The leased request with this URL; undefined: there is none. */
  heldAt(url: string): Held | undefined;
  /** False: send the User-Agent for which the crawl has evaluated robots.txt. */
  readonly ownUserAgent: boolean;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function leasedHttpClient(
  { RetryRequestError }: Crawlee,
  inner: HttpClient,
  { heldAt, ownUserAgent }: LeasedHttpClientOptions,
): HttpClient {
  const begun = (request: HttpRequest): { held: Held; leased: HttpRequest } | null => {
    const held = heldAt(`${request.url}`);
    // A handler's additional requests are not counted.
    if (held === undefined || held.startedMs !== undefined) return null;
    held.startedMs = performance.now();
    const { userAgent } = held.leased;
    const headers = { ...request.headers, ...(!ownUserAgent && userAgent !== '' && { 'user-agent': userAgent }) };
    return { held, leased: { ...request, url: held.at, headers, followRedirect: false } };
  };
  const came = (held: Held, { statusCode, headers }: HttpResponse, { sessionToken }: HttpRequest) => {
    held.seen = responseSeen(statusCode, headers);
    const { location } = held.seen.headers ?? {};
    if (!redirects.has(statusCode) || location === undefined) return;
    try {
      // Not `URL.canParse`: in Node 20 it returns false for Latin characters after many calls.
      held.redirect = new URL(location, held.at).href;
    } catch {
      return;
    }
    restore(sessionToken as Session | undefined);
  };
  const failed = (held: Held, error: unknown) => {
    held.endedMs = performance.now();
    held.seen ??= failureSeen(error);
  };
  const leads = (held: Held) => new RetryRequestError(`it leads to ${held.redirect}, which is leased in its turn`);

  return {
    sendRequest: async (request) => {
      const begins = begun(request);
      if (begins === null) return inner.sendRequest(request);
      const { held, leased } = begins;
      const response = await inner.sendRequest(leased).catch((error: unknown) => {
        failed(held, error);
        throw error;
      });
      held.endedMs = performance.now();
      came(held, response, request);
      if (held.redirect !== undefined) throw leads(held);
      return response;
    },
    stream: async (request, onRedirect) => {
      const begins = begun(request);
      if (begins === null) return inner.stream(request, onRedirect);
      const { held, leased } = begins;
      const response = await inner.stream(leased).catch((error: unknown) => {
        failed(held, error);
        throw error;
      });
      came(held, response, request);
      finished(response.stream, { writable: false }, () => (held.endedMs ??= performance.now()));
      if (held.redirect === undefined) return response;
      // The session stores the cookies.
      onRedirect?.(response, { url: held.redirect, headers: {} });
      response.stream.on('error', () => {});
      response.stream.destroy();
      held.endedMs ??= performance.now();
      throw leads(held);
    },
  };
}

/** Crawlee counts the redirect as an error of the session, which two successes offset. */
function restore(session: Session | undefined): void {
  if (typeof session?.markGood !== 'function') return;
  setTimeout(() => {
    session.markGood();
    session.markGood();
  }, 50).unref();
}
