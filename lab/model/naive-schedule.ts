/**
 * The schedule of visits to one host as its rules read, in the plainest way: when each page is due, whether it is on lease,
 * and whether somebody asked for it meanwhile. For a policy of one fixed interval, under which every page is visited for ever.
 */
import assert from 'node:assert/strict';
import type { OutcomeKind, Task } from '../../schemas/types.ts';

export interface NaiveVisit {
  dueS: number;
  out: boolean;
  pushed: boolean;
}

/** Times after which a page is due again, ms: after a visit, after its end, after an error, and of a first failure. */
export interface NaiveWaits {
  readonly intervalMs: number;
  readonly goneMs: number;
  readonly errorMs: number;
  readonly retryMs: number;
}

export class NaiveSchedule {
  readonly visits = new Map<string, NaiveVisit>();
  readonly #failures = new Map<string, number>();
  readonly #waits: NaiveWaits;

  constructor(waits: NaiveWaits) {
    this.#waits = waits;
  }

  /** The URLs of a lease must be those that are due first. */
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

  /** What a fetch came to. Who asked for it meanwhile is heard at once, but for a failure that is tried again soon. */
  visited(url: string, kind: OutcomeKind, atMs: number, nowMs: number): void {
    const { intervalMs, goneMs, errorMs, retryMs } = this.#waits;
    const failures = this.#failures.get(url) ?? 0;
    if (kind === 'returned') return this.#due(url, atMs, failures);
    if (kind === 'serverError' && failures === 0) return this.#due(url, atMs + retryMs, 1);
    const waitMs = kind === 'fetched' ? intervalMs : kind === 'gone' ? goneMs : errorMs;
    this.#due(url, this.visits.get(url)?.pushed === true ? nowMs : atMs + waitMs, 0);
  }

  /** Its fetcher died: it comes back as it was. */
  cameBack(url: string, nowMs: number): void {
    this.#due(url, nowMs, this.#failures.get(url) ?? 0);
  }

  /** Its lease ran out. Alone on it, it may have been the page's own doing: the third time it waits for a day, and is not asked for sooner. */
  expired(url: string, isAlone: boolean, nowMs: number): void {
    const failures = (this.#failures.get(url) ?? 0) + (isAlone ? 1 : 0);
    this.#due(url, failures < 3 ? nowMs : nowMs + 86_400_000, failures < 3 ? failures : 0);
  }

  #due(url: string, dueMs: number, failures: number): void {
    this.visits.set(url, { dueS: Math.ceil(dueMs / 1_000), out: false, pushed: false });
    this.#failures.set(url, failures);
  }
}
