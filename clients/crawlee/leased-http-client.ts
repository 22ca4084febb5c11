/**
 * Crawlee's HTTP client, and what it sees of each leased request: its status, the headers that the crawl looks at, when it
 * began and ended. A redirect is not followed: its target is leased when its host may be contacted.
 */
import { finished } from 'node:stream';
import type { Crawlee, HttpClient, HttpRequest, HttpResponse, Session } from './crawlee-types.ts';
import { failureSeen, type Held, responseSeen } from './held-request.ts';

export interface LeasedHttpClientOptions {
  /** What is leased under this URL; undefined: it was not. */
  heldAt(url: string): Held | undefined;
  /** False: with the User-Agent that the crawl has asked robots.txt for. */
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
    // What a handler asks for besides is its own affair.
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
      // Not `URL.canParse`: Node 20's says no to what has Latin characters, once it has been called often.
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
      // The session takes the cookies.
      onRedirect?.(response, { url: held.redirect, headers: {} });
      response.stream.on('error', () => {});
      response.stream.destroy();
      held.endedMs ??= performance.now();
      throw leads(held);
    },
  };
}

/** Crawlee will count the redirect as an error of the session, which is worth two times that something went well. */
function restore(session: Session | undefined): void {
  if (typeof session?.markGood !== 'function') return;
  setTimeout(() => {
    session.markGood();
    session.markGood();
  }, 50).unref();
}
