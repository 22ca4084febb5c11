/** A request that Crawlee processes, and its result so far. */
import type { Answer, Failure, LeasedUrl } from '../typescript/lease-client.ts';
import { reportedHeaders } from '../typescript/lease-client.ts';
import { type CrawleeRequest, type Headers, requestStates } from './crawlee-types.ts';

export interface Held {
  readonly leased: LeasedUrl;
  readonly request: CrawleeRequest;
  /** The URL to request. */
  readonly at: string;
  /** The retry count at the time of the lease. */
  readonly retryCount: number;
  /** Times by `performance.now()`. */
  startedMs?: number;
  endedMs?: number;
  /** The response, or the reason for a missing one. Absent: neither was seen. */
  seen?: Answer;
  /** Target of a redirect. */
  redirect?: string;
}

/** Statuses that the frontier retries after a pause that all clients keep. */
const retriable: ReadonlySet<number> = new Set([408, 425, 429]);

export function responseSeen(status: number, headers: Headers): Answer {
  const reported: Record<string, string> = {};
  for (const name of reportedHeaders) {
    const value = headers[name];
    if (value !== undefined) reported[name] = `${Array.isArray(value) ? value[0] : value}`.slice(0, 8_192);
  }
  return { status, headers: reported };
}

export function failureSeen(error: unknown): Answer {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const text = `${code} ${message}`;
  return { failure: failureIn(text) ?? 'connectionFailed', detail: text.trim().slice(0, 1_000) };
}

/** undefined: the error is not a failed connection. */
function failureIn(text: string): Failure | undefined {
  if (/ENOTFOUND|EAI_AGAIN|ERR_NAME_NOT_RESOLVED/.test(text)) return 'dnsFailed';
  if (/CERT|SSL|TLS/.test(text)) return 'tlsFailed';
  if (/^(?:request|Navigation) timed out|ETIMEDOUT|ESOCKETTIMEDOUT|ERR_(?:CONNECTION_)?TIMED_OUT/m.test(text))
    return 'timeout';
  if (/HPE_|Parse Error|ERR_INVALID_HTTP_RESPONSE|ERR_CONTENT_LENGTH_MISMATCH/.test(text)) return 'badResponse';
  if (/ECONN|EPIPE|EHOSTUNREACH|ENETUNREACH|net::ERR_|NS_ERROR_|socket hang up/.test(text)) return 'connectionFailed';
  return undefined;
}

/**
 * The result of a request that Crawlee wants to retry. undefined: for a reason that the frontier does not know, such as
 * an exception of a handler.
 */
export function triedAgain({ seen, request, retryCount }: Held): Answer | undefined {
  const { status = 0 } = seen ?? {};
  if (seen !== undefined)
    return seen.failure !== undefined || status >= 500 || retriable.has(status) ? seen : undefined;
  // Crawlee put the request back unchanged.
  if (request.retryCount === retryCount) return { failure: 'returned' };
  const detail = lastError(request);
  const failure = failureIn(detail);
  return failure && { failure, detail };
}

/**
 * The result of a request that Crawlee has finished, with success or not. The responses of browsers are not visible
 * here: they count as 200 unless `note` is called.
 */
export function doneWith({ seen, request }: Held): Answer {
  if (request.state === requestStates.skipped && seen === undefined) return { failure: 'robotsDenied' };
  if (request.state !== requestStates.errorHandler) return { ...(seen ?? { status: 200 }), final: true };
  const detail = `after ${request.retryCount} retries: ${lastError(request)}`.slice(0, 1_000);
  const { status = 0 } = seen ?? {};
  // A page that no handler could process has failed, whatever its status is.
  return status >= 400 ? { ...seen, detail, final: true } : { failure: 'refused', detail };
}

function lastError({ errorMessages }: CrawleeRequest): string {
  return (errorMessages.at(-1) ?? '').split('\n', 1)[0]!.slice(0, 900);
}
