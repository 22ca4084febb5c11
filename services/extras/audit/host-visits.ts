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
  return new CountedVisits(isMeant);
}

class CountedVisits implements HostVisits {
  readonly #isMeant: (host: string) => boolean;
  readonly #tallies = { kind: {} as Record<string, number>, status: {} as Record<string, number> };
  readonly #addresses = new Set<string>();
  readonly #origins = new Set<string>();
  readonly #hours = new Map<string, number>();
  readonly #pauses: Pause[] = [];
  readonly #deniedUrls: string[] = [];
  #requests = 0;
  #bytes = 0;
  #denied = 0;
  #gaps = 0;
  #gapSumMs = 0;
  #firstMs = Number.POSITIVE_INFINITY;
  #lastMs = 0;
  #shortestGapMs = Number.POSITIVE_INFINITY;
  #waiting: Contact | undefined;

  constructor(isMeant: (host: string) => boolean) {
    this.#isMeant = isMeant;
  }

  #noteGap(startMs: number) {
    const gapMs = startMs - this.#lastMs;
    this.#shortestGapMs = Math.min(this.#shortestGapMs, gapMs);
    this.#gaps += 1;
    this.#gapSumMs += gapMs;
  }

  #endPause(keptMs: number | null) {
    if (this.#waiting === undefined) return;
    const { endMs, status, retryAfterMs } = this.#waiting;
    this.#pauses.push({ atMs: endMs, status, askedMs: retryAfterMs, keptMs });
    if (this.#pauses.length > pausesKept) this.#pauses.shift();
    this.#waiting = undefined;
  }

  readonly contact: HostVisits['contact'] = (contact, request) => {
    if (!this.#isMeant(contact.host)) return;
    const { startMs, endMs, status, retryAfterMs } = contact;
    if (this.#requests > 0) this.#noteGap(startMs);
    if (this.#waiting !== undefined && startMs >= this.#waiting.endMs) this.#endPause(startMs - this.#waiting.endMs);
    if (retryAfterMs > 0) this.#waiting = contact;
    this.#requests += 1;
    this.#bytes += request.bytes;
    this.#firstMs = Math.min(this.#firstMs, startMs);
    this.#lastMs = Math.max(this.#lastMs, endMs);
    count(this.#tallies.kind, request.kind);
    count(this.#tallies.status, status === 0 ? 'no answer' : String(status));
    if (request.address !== '') this.#addresses.add(request.address);
    this.#origins.add(originOf(request.url));
    const hour = `${new Date(startMs).toISOString().slice(0, 13)}:00`;
    this.#hours.set(hour, (this.#hours.get(hour) ?? 0) + 1);
    if (this.#hours.size > hoursKept) this.#hours.delete(this.#hours.keys().next().value!);
  };

  readonly result: HostVisits['result'] = ({ hostKey, outcomes }) => {
    if (!this.#isMeant(hostKey)) return;
    for (const { kind, url } of outcomes) {
      if (kind !== 'robotsDenied') continue;
      this.#denied += 1;
      if (this.#deniedUrls.length < deniedKept && !this.#deniedUrls.includes(url)) this.#deniedUrls.push(url);
    }
  };

  readonly end: HostVisits['end'] = () => {
    this.#endPause(null);
    return {
      requests: this.#requests,
      byKind: this.#tallies.kind,
      byStatus: this.#tallies.status,
      addresses: [...this.#addresses],
      bytes: this.#bytes,
      firstMs: this.#firstMs,
      lastMs: this.#lastMs,
      byHour: [...this.#hours],
      shortestGapMs: this.#gaps === 0 ? null : this.#shortestGapMs,
      meanGapMs: this.#gaps === 0 ? null : Math.round(this.#gapSumMs / this.#gaps),
      pauses: this.#pauses,
      denied: this.#denied,
      deniedUrls: this.#deniedUrls,
      origins: [...this.#origins],
    };
  };
}

function count(tally: Record<string, number>, name: string): void {
  tally[name] = (tally[name] ?? 0) + 1;
}
