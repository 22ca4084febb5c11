/**
 * Maps the result of a fetch to one of a closed set of outcomes. Each has consequences for the URL and its host.
 *
 * | what came | outcome | why |
 * | --- | --- | --- |
 * | 2xx but 206 and 226 | `fetched` | whatever the body; 204 and 205 have none |
 * | 206, 226 | `badResponse` | a part, if it is not all there is (RFC 9110 §15.3.7) or a difference (RFC 3229), for which we do not ask |
 * | 304 | `notModified` | only if we sent a validator, which the caller must know. Counts as a success |
 * | 301 302 303 307 308, with a usable Location | `redirect` | the target passes through the frontier like any link |
 * | any other 3xx | `clientError` | 300, 305, 306 and broken Locations lead nowhere, again and again |
 * | 402 | `paymentRequired` | the site sells the page; what it asks for is in the outcome (quote.ts) |
 * | 404, 410 | `gone` | the URL has no page; asking soon again is no use |
 * | 408 | `timeout` | the server gave up on a slow request: ours may be quicker next time |
 * | 425 | `serverError` | too early (RFC 8470): the same request is expected to succeed later |
 * | 429, 503 | `throttled` | the host asks for fewer requests: back-off, with its Retry-After |
 * | any other 4xx | `clientError` | the request itself is refused; 401 and 403 do not change by repeating |
 * | 5xx | `serverError` | may pass; several in a row are the host's trouble (`serverErrorsAfter`) |
 * | 1xx as a final answer, below 100, 600 and above | `badResponse` | not HTTP |
 * | an error | the kind that the error names | a failure before any status, or while the body came |
 */
import type { Outcome, OutcomeKind } from '../../schemas/types.ts';
import { isRedirectStatus } from './redirect.ts';

/** Failures without, or despite, a status. The client's error codes are mapped to these by the fetcher. */
export type FetchFailure = Extract<
  OutcomeKind,
  | 'timeout'
  | 'connectionFailed'
  | 'dnsFailed'
  | 'tlsFailed'
  | 'blockedAddress'
  | 'refused'
  | 'badResponse'
  | 'throttled'
  | 'tooLarge'
>;

export interface Exchange {
  /** HTTP status. 0 or absent: no response. */
  readonly status?: number;
  /** Kind of the failure. It outweighs the status: a response that broke off is not a response. */
  readonly failure?: FetchFailure;
  /** Target of a redirect (redirect.ts); null or absent: none that can be followed. */
  readonly redirectUrl?: string | null;
}

export function classify({ status = 0, failure, redirectUrl = null }: Exchange): OutcomeKind {
  if (failure !== undefined) return failure;
  if (status === 0) return 'connectionFailed';
  if (status < 200 || status > 599) return 'badResponse';
  if (status === 206 || status === 226) return 'badResponse';
  if (status < 300) return 'fetched';
  if (status === 304) return 'notModified';
  if (status < 400) return isRedirectStatus(status) && redirectUrl !== null ? 'redirect' : 'clientError';
  if (status >= 500) return status === 503 ? 'throttled' : 'serverError';
  if (status === 404 || status === 410) return 'gone';
  if (status === 402) return 'paymentRequired';
  if (status === 408) return 'timeout';
  if (status === 425) return 'serverError';
  return status === 429 ? 'throttled' : 'clientError';
}

/** Is a 206 all there is (RFC 9110 §14.4)? Some caches send a whole file as its only part. */
export function isWholeRange(contentRange: string): boolean {
  const [, last, size] = /^bytes +0-(\d+)\/(\d+)$/i.exec(contentRange.trim()) ?? [];
  return last !== undefined && Number(last) + 1 === Number(size);
}

/**
 * Statuses of answers to a Range, delta or conditional request. If the request was none of these, the body is not the
 * whole page.
 */
export function isPartOrNothing(status: number): boolean {
  return status === 206 || status === 226 || status === 304;
}

/**
 * retriable: a repeat after a wait may succeed, and costs an attempt.
 * final: settled, no repeat. again: back to its queue, without costing an attempt.
 */
type Fate = 'retriable' | 'final' | 'again';

const fates: Readonly<Record<OutcomeKind, Fate>> = {
  fetched: 'final',
  notModified: 'final',
  redirect: 'final',
  clientError: 'final',
  gone: 'final',
  paymentRequired: 'final',
  serverError: 'retriable',
  throttled: 'retriable',
  timeout: 'retriable',
  connectionFailed: 'retriable',
  dnsFailed: 'retriable',
  tlsFailed: 'retriable',
  blockedAddress: 'final',
  robotsDenied: 'final',
  robotsUnreachable: 'retriable',
  refused: 'final',
  badResponse: 'retriable',
  tooLarge: 'final',
  parseFailed: 'final',
  // The host is deferred, and its URLs wait with it.
  crawlDelayTooLong: 'again',
  returned: 'again',
  // A newer version wrote this kind: its meaning is unknown here, so nothing is concluded from it.
  unknown: 'again',
};

export function isRetriable(kind: OutcomeKind): boolean {
  return fates[kind] === 'retriable';
}

/** Returns whether the outcome is final: nothing follows for this URL, except a recrawl. */
export function isTerminal(kind: OutcomeKind): boolean {
  return fates[kind] === 'final';
}

/** Returns whether the host is at fault rather than the URL: its other URLs would fail too. */
export function isHostFailure(kind: OutcomeKind): boolean {
  return kind === 'dnsFailed' || kind === 'connectionFailed' || kind === 'tlsFailed' || kind === 'robotsUnreachable';
}

/**
 * The same for a whole outcome. A failure of one origin alone is not a failure of the host, which answers under its
 * other scheme.
 */
export function failsHost({ kind, originOnly }: Pick<Outcome, 'kind' | 'originOnly'>): boolean {
  return isHostFailure(kind) && !originOnly;
}

/** Returns whether the server answered well, but with a media type that is not parsed: nothing failed. */
export function isNotRead(kind: OutcomeKind, status: number): boolean {
  return kind === 'refused' && status >= 200 && status < 300;
}

/** The host asks for, or shows that it needs, fewer requests. */
export function isPressure(kind: OutcomeKind): boolean {
  return kind === 'throttled' || kind === 'timeout';
}

/**
 * Returns whether it is a 5xx other than 503, with which a host asks for fewer requests. Other server errors (425)
 * concern one request.
 */
export function isServerError({ kind, status }: Pick<Outcome, 'kind' | 'status'>): boolean {
  return kind === 'serverError' && status >= 500;
}

/** Returns whether the host answered without a sign of trouble. A refusal counts as a good answer. */
export function isGoodAnswer(outcome: Pick<Outcome, 'kind' | 'status' | 'originOnly'>): boolean {
  const { kind, status } = outcome;
  if (status === 0 || kind === 'returned' || kind === 'unknown' || kind === 'crawlDelayTooLong') return false;
  return !failsHost(outcome) && !isPressure(kind) && !isServerError(outcome);
}

/**
 * Number of consecutive server errors of a host, after one more outcome. Only first tries count, because they are of
 * different URLs: repeated failures of one broken page are no sign of trouble with the host.
 */
export function serverErrorsAfter(
  before: number,
  outcome: Pick<Outcome, 'kind' | 'status' | 'originOnly'>,
  isFirstTry: boolean,
): number {
  if (isServerError(outcome)) return isFirstTry ? before + 1 : before;
  return isGoodAnswer(outcome) ? 0 : before;
}
