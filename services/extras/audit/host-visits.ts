/**
 * Facts for a webmaster about a crawl's visits: when and how often it came, the host's answers, and the crawl's
 * actions. Collected during the audit, for one host; bounded, whatever the number of requests.
 */
import type { Request, Result } from '../../../schemas/types.ts';
import { originOf } from '../../../topology/extras/audit/audit.ts';
import type { Contact } from '../../../topology/extras/audit/contact.ts';

export interface HostVisits {
  contact(contact: Contact, request: Request): void;
  result(result: Result): void;
  end(): Visits;
}

export interface Pause {
  readonly atMs: number;
  readonly status: number;
  readonly askedMs: number;
  /** Time from its end to the next request, ms; null: none came. */
  readonly keptMs: number | null;
}

export interface Visits {
  readonly requests: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly addresses: readonly string[];
  readonly bytes: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Requests by the hour they started in (UTC), the last `hoursKept` of them. */
  readonly byHour: readonly (readonly [hour: string, requests: number])[];
  /** Shortest time from the end of a request to the start of the next, ms; null: there was one request at most. */
  readonly shortestGapMs: number | null;
  readonly meanGapMs: number | null;
  readonly pauses: readonly Pause[];
  /** URLs that were not requested because robots.txt forbids them: their number, and some of them. */
  readonly denied: number;
  readonly deniedUrls: readonly string[];
  readonly origins: readonly string[];
}

const hoursKept = 48;
const pausesKept = 20;
const deniedKept = 10;

export function createHostVisits(isMeant: (host: string) => boolean): HostVisits {
  const tallies = { kind: {} as Record<string, number>, status: {} as Record<string, number> };
  const addresses = new Set<string>();
  const origins = new Set<string>();
  const hours = new Map<string, number>();
  const pauses: Pause[] = [];
  const deniedUrls: string[] = [];
  let [requests, bytes, denied, gaps, gapSumMs] = [0, 0, 0, 0, 0];
  let [firstMs, lastMs, shortestGapMs] = [Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY];
  let waiting: Contact | undefined;

  const noteGap = (startMs: number) => {
    const gapMs = startMs - lastMs;
    shortestGapMs = Math.min(shortestGapMs, gapMs);
    gaps += 1;
    gapSumMs += gapMs;
  };
  const endPause = (keptMs: number | null) => {
    if (waiting === undefined) return;
    const { endMs, status, retryAfterMs } = waiting;
    pauses.push({ atMs: endMs, status, askedMs: retryAfterMs, keptMs });
    if (pauses.length > pausesKept) pauses.shift();
    waiting = undefined;
  };

  return {
    contact(contact, request) {
      if (!isMeant(contact.host)) return;
      const { startMs, endMs, status, retryAfterMs } = contact;
      if (requests > 0) noteGap(startMs);
      if (waiting !== undefined && startMs >= waiting.endMs) endPause(startMs - waiting.endMs);
      if (retryAfterMs > 0) waiting = contact;
      requests += 1;
      bytes += request.bytes;
      firstMs = Math.min(firstMs, startMs);
      lastMs = Math.max(lastMs, endMs);
      count(tallies.kind, request.kind);
      count(tallies.status, status === 0 ? 'no answer' : String(status));
      if (request.address !== '') addresses.add(request.address);
      origins.add(originOf(request.url));
      const hour = `${new Date(startMs).toISOString().slice(0, 13)}:00`;
      hours.set(hour, (hours.get(hour) ?? 0) + 1);
      if (hours.size > hoursKept) hours.delete(hours.keys().next().value!);
    },
    result({ hostKey, outcomes }) {
      if (!isMeant(hostKey)) return;
      for (const { kind, url } of outcomes) {
        if (kind !== 'robotsDenied') continue;
        denied += 1;
        if (deniedUrls.length < deniedKept && !deniedUrls.includes(url)) deniedUrls.push(url);
      }
    },
    end() {
      endPause(null);
      return {
        requests,
        byKind: tallies.kind,
        byStatus: tallies.status,
        addresses: [...addresses],
        bytes,
        firstMs,
        lastMs,
        byHour: [...hours],
        shortestGapMs: gaps === 0 ? null : shortestGapMs,
        meanGapMs: gaps === 0 ? null : Math.round(gapSumMs / gaps),
        pauses,
        denied,
        deniedUrls,
        origins: [...origins],
      };
    },
  };
}

function count(tally: Record<string, number>, name: string): void {
  tally[name] = (tally[name] ?? 0) + 1;
}
