/** A client's report, in the fetcher's form. */
import type { Report } from '../../runtime/leases/outside.ts';
import type { ClientResult } from './api-schemas.ts';
import type { Lease } from './lease-pool.ts';

const nothing: Report = {
  ...{ kind: null, status: 0, failure: null, detail: '', headers: [], startMs: 0, endMs: 0, bytes: 0 },
  ...{ contentHash: '', title: '', text: '', links: 0, body: null, final: false, follow: false },
};

/** The URL goes back to its queue without using up an attempt: no request was made. */
export function returned(why: string): Report {
  return { ...nothing, kind: 'returned', detail: why };
}

/**
 * The report for a client that fell silent, possibly because this URL killed it. It uses up an attempt, so a URL that
 * kills its clients is abandoned in the end. It counts as a contact that lasted until now.
 */
export function unheard(why: string, sinceMs: number, nowMs: number): Report {
  return { ...nothing, failure: { kind: 'badResponse', detail: why }, detail: why, startMs: sinceMs, endMs: nowMs };
}

/** `links`: URLs of it that were published. */
export function reportOf(given: ClientResult, links: number, { sinceMs }: Lease<unknown>, nowMs: number): Report {
  const { status = 0, failure, detail, headers, bytes, contentHash, title, text, body, final, follow } = given;
  // The client's times are clamped: not before it got the URL, and not after now.
  const endMs = within(nowMs - (given.endedMsAgo ?? 0), sinceMs, nowMs);
  const startMs = within(given.startedMsAgo === undefined ? sinceMs : nowMs - given.startedMsAgo, sinceMs, endMs);
  const isOwnKind = failure === 'returned' || failure === 'robotsDenied' || failure === 'tooLarge';
  return {
    kind: isOwnKind ? failure : null,
    status,
    failure: failure === undefined || isOwnKind ? null : { kind: failure, detail: detail || 'as its client says' },
    detail,
    headers: Object.entries(headers).flatMap(([name, value]) => [name.toLowerCase(), value]),
    startMs,
    endMs,
    bytes: body === undefined ? bytes : Buffer.byteLength(body, 'base64'),
    contentHash,
    title,
    text,
    links,
    body: body === undefined ? null : Buffer.from(body, 'base64'),
    final,
    follow,
  };
}

function within(ms: number, leastMs: number, mostMs: number): number {
  return Math.max(leastMs, Math.min(ms, mostMs));
}
