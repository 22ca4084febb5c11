/**
 * The schedule of visits to one host according to its rules, in the plainest way: when each page is due, whether it is
 * on lease, whether a refetch was requested meanwhile, which new URLs it led to, and the verdict of the dedup on it.
 * For policies of one fixed interval, under which every page is visited for ever.
 */
import assert from 'node:assert/strict';
import type { OutcomeKind, Task } from '../../schemas/types.ts';

export interface NaiveVisit {
  dueS: number;
  out: boolean;
  pushed: boolean;
}

/** Fields of a page beside its due time. */
interface Known {
  fetches: number;
  fetchedMs: number;
  /** New URLs since the last fetch. */
  gained: number;
  /** New URLs, seconds and visits since a visit first brought some; halved after eight visits. */
  gain: [urls: number, seconds: number, visits: number] | null;
  isCopy: boolean;
  /** The last visit that had an end: a page, or none any more. */
  lastMs: number;
  wasGone: boolean;
}

/**
 * Times after which a page is due again, ms: after a visit, after its end, after an error, and after a first failure.
 */
export interface NaiveWaits {
  readonly intervalMs: number;
  readonly goneMs: number;
  readonly errorMs: number;
  readonly retryMs: number;
  /** A page returns when the given number of new URLs is expected, but not within a second. */
  readonly hubUrls: number;
  /** A copy waits this many times as long. */
  readonly copyFactor: number;
}

export class NaiveSchedule {
  readonly visits = new Map<string, NaiveVisit>();
  readonly #failures = new Map<string, number>();
  readonly #known = new Map<string, Known>();
  #waits: NaiveWaits;

  constructor(waits: NaiveWaits) {
    this.#waits = waits;
  }

  /** The URLs of a lease must be the first due ones. */
  grant({ urls }: Task, nowMs: number): void {
    const granted = urls.map(({ url }) => url);
    const last = Math.max(...granted.map((url) => this.visits.get(url)!.dueS));
    for (const [url, { dueS, out }] of this.visits) {
      if (granted.includes(url)) assert.ok(!out && 1_000 * dueS <= nowMs, `${url} is due, and not on lease`);
      else assert.ok(out || dueS >= last, `${url} is due before another that is granted`);
    }
    for (const url of granted) this.visits.get(url)!.out = true;
  }

  push(url: string, nowMs: number): void {
    const visit = this.visits.get(url)!;
    if (visit.out) visit.pushed = true;
    else visit.dueS = Math.min(visit.dueS, Math.floor(nowMs / 1_000));
  }

  /** Links of the page led to new URLs. The first visit does not count, since all its links are new. */
  leadsTo(url: string, urls: number): void {
    const known = this.#known.get(url)!;
    if (known.fetches > 1 || this.visits.get(url)!.out) known.gained = Math.min(31, known.gained + urls);
  }

  judged(url: string, isCopy: boolean): void {
    this.#known.get(url)!.isCopy = isCopy;
  }

  /** A policy has other times: pages that wait for their next visit are due by them. */
  retimed(waits: NaiveWaits, nowMs: number): void {
    this.#waits = waits;
    const nowS = Math.floor(nowMs / 1_000);
    for (const [url, visit] of this.visits) {
      if (visit.out || visit.dueS <= Math.ceil(nowMs / 1_000) || this.#failures.get(url)! > 0) continue;
      const known = this.#known.get(url)!;
      const waitMs = known.wasGone ? waits.goneMs : this.#waitMs(known);
      visit.dueS = Math.max(nowS, Math.ceil((known.lastMs + waitMs) / 1_000));
    }
  }

  /**
   * The outcome of a fetch. A refetch that was requested meanwhile is granted at once, except after a failure with a
   * retry soon.
   */
  visited(url: string, kind: OutcomeKind, atMs: number, nowMs: number): void {
    const { goneMs, errorMs, retryMs } = this.#waits;
    const failures = this.#failures.get(url) ?? 0;
    if (kind === 'returned') return this.#due(url, atMs, failures);
    if (kind === 'serverError' && failures === 0) return this.#due(url, atMs + retryMs, 1);
    const waitMs = kind === 'fetched' ? this.#fetched(url, atMs) : kind === 'gone' ? goneMs : errorMs;
    if (kind !== 'serverError') Object.assign(this.#known.get(url)!, { lastMs: atMs, wasGone: kind === 'gone' });
    this.#due(url, this.visits.get(url)?.pushed === true ? nowMs : atMs + waitMs, 0);
  }

  #fetched(url: string, atMs: number): number {
    const first = { fetches: 0, fetchedMs: 0, gained: 0, gain: null, isCopy: false, lastMs: 0, wasGone: false };
    const known: Known = this.#known.get(url) ?? first;
    this.#known.set(url, known);
    if (known.fetches > 0 && (known.gain !== null || known.gained > 0)) {
      let [urls, seconds, visits] = known.gain ?? [0, 0, 0];
      if (visits === 8) [urls, seconds, visits] = [urls >> 1, seconds >> 1, 4];
      urls += known.gained;
      seconds += Math.max(1, Math.round((atMs - known.fetchedMs) / 1_000));
      known.gain = urls === 0 ? null : [urls, seconds, visits + 1];
    }
    known.fetches += 1;
    known.fetchedMs = atMs;
    known.gained = 0;
    return this.#waitMs(known);
  }

  #waitMs({ gain, isCopy }: Known): number {
    const { intervalMs, hubUrls, copyFactor } = this.#waits;
    const expectedMs = gain === null ? intervalMs : 1_000 * Math.ceil((hubUrls * gain[1]) / gain[0]);
    return Math.min(intervalMs, Math.max(1_000, expectedMs)) * (isCopy ? copyFactor : 1);
  }

  /** Its fetcher died: it returns unchanged. */
  cameBack(url: string, nowMs: number): void {
    this.#due(url, nowMs, this.#failures.get(url) ?? 0);
  }

  /**
   * Its lease expired. If it was alone on the lease, the page may be the cause: the third time it waits for a day, and
   * a request does not shorten that.
   */
  expired(url: string, isAlone: boolean, nowMs: number): void {
    const failures = (this.#failures.get(url) ?? 0) + (isAlone ? 1 : 0);
    this.#due(url, failures < 3 ? nowMs : nowMs + 86_400_000, failures < 3 ? failures : 0);
  }

  #due(url: string, dueMs: number, failures: number): void {
    this.visits.set(url, { dueS: Math.ceil(dueMs / 1_000), out: false, pushed: false });
    this.#failures.set(url, failures);
  }
}
