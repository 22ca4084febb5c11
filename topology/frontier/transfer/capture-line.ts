/**
 * An archive index's entries for a URL, as a dump line that makes the URL known, as if this crawl had made the
 * captures.
 *
 * The captured responses decide the URL's place, like those of a fetch. Temporary failures (5xx, 429) leave it unknown,
 * so that it is requested. Several captures count as visits: their digests show whether the page changed. With a
 * schedule, the last capture sets the time of the next visit.
 *
 * An index has no validators. Without a Last-Modified, the time of the capture replaces it: a request may send
 * If-Modified-Since with the time at which its copy was received (RFC 9110 §13.1.3). Digests of archives are SHA-1 and
 * ours are not, so the first visit has no body to compare with.
 */
import type { OutcomeKind } from '../../../schemas/types.ts';
import { noHistory, visited } from '../../policy/recrawl/history.ts';
import type { VisitKind } from '../../policy/recrawl/recrawl-config.ts';
import type { Recrawl } from '../../policy/recrawl/schedule.ts';
import { frontQueueCount } from '../../url/front-queue.ts';
import type { FinalStatus } from '../changes/changes.ts';
import type { KnownLine } from './dump-line.ts';

export interface KnownCapture {
  /** In the spelling of the index. */
  readonly url: string;
  /** ms since the Unix epoch. */
  readonly atMs: number;
  /** 0: unknown. */
  readonly status: number;
  /** Digest of the payload; empty: unknown. */
  readonly digest: string;
  readonly etag: string;
  readonly lastModified: string;
}

/** `url`: normal. `captures`: of it, by time, at least one. Null: it is to be asked for again. */
export function captureLine(url: string, captures: readonly KnownCapture[], recrawl: Recrawl | null): KnownLine | null {
  const last = captures.at(-1)!;
  const { status: http, atMs, etag } = last;
  if (http === 0) return { url, status: 'known', atMs };
  const end = endOf(http);
  if (end === null) return null;
  const [status, outcome] = end;
  const lastModified = last.lastModified || (status === 'page' ? new Date(atMs).toUTCString() : '');
  const line: KnownLine = {
    url,
    status,
    outcome,
    http,
    atMs,
    ...(etag !== '' && { etag }),
    ...(lastModified !== '' && { lastModified }),
  };
  if (recrawl === null) return line;
  const frontQueue = Math.min(frontQueueCount - 1, segmentsOf(url));
  let history = noHistory;
  let [visitedAtMs, changedAtMs, digest] = [0, 0, ''];
  let delayS: number | null = null;
  for (const one of captures) {
    const kind = endOf(one.status)?.[2] ?? 'error';
    let changed: boolean | null = null;
    if (endOf(one.status)?.[0] === 'page') {
      if (visitedAtMs > 0 && digest !== '' && one.digest !== '') {
        changed = one.digest !== digest;
        history = visited(history, (one.atMs - visitedAtMs) / 1_000, changed);
      }
      if (visitedAtMs === 0 || changed === true) changedAtMs = one.atMs;
      visitedAtMs = one.atMs;
      digest = one.digest || digest;
    }
    const sinceChangeS = changed === true || changedAtMs === 0 ? 0 : Math.round((one.atMs - changedAtMs) / 1_000);
    const next = recrawl.next({ url, kind, history, changed, sinceChangeS, frontQueue }, null);
    delayS = next?.delayS ?? null;
    history = { ...history, intervalS: next?.intervalS ?? history.intervalS };
  }
  if (delayS === null) return line;
  const visits = { frontQueue, visitedAtMs, changedAtMs, history, signature: '', failures: 0 };
  return { ...line, visits: { ...visits, dueAtMs: atMs + delayS * 1_000 } };
}

/** Null: the next answer may well differ. */
function endOf(status: number): readonly [FinalStatus, OutcomeKind, VisitKind] | null {
  if (status >= 200 && status < 300) return ['page', 'fetched', 'page'];
  if (status === 304) return ['page', 'notModified', 'page'];
  if (status >= 300 && status < 400) return ['redirected', 'redirect', 'error'];
  if (status === 404 || status === 410) return ['failed', 'gone', 'gone'];
  const passes = status === 408 || status === 425 || status === 429;
  return status >= 400 && status < 500 && !passes ? ['failed', 'clientError', 'error'] : null;
}

/** Priority by path: a home page is worth more than deep pages. */
function segmentsOf(url: string): number {
  const path = url.indexOf('/', url.indexOf('//') + 2);
  let count = 0;
  for (let at = path + 1; at > 0 && at < url.length && url[at] !== '?'; at++) if (url[at] === '/') count += 1;
  return path < 0 || path === url.length - 1 ? 0 : count + 1;
}
