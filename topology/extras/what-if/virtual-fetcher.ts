/**
 * A fetcher on virtual time. It processes a lease as the real one does, one URL after another with the delay from
 * completion. Responses come from the recording, or from the model for URLs that were never fetched.
 *
 * It leaves out requests for robots.txt and sitemaps, time in queues and logs, limits by address, and robots hops. A
 * URL's second fetch gets its second recorded response, and so on; the last one repeats.
 */

import { blankOutcome, blankRequest, blankResult } from '../../../schemas/blank.ts';
import type { LinkGroup, Outcome, OutcomeKind, Request, Result } from '../../../schemas/types.ts';
import { failsHost, isPressure, isServerError, serverErrorsAfter } from '../../fetch/outcome.ts';
import type { EventQueue } from '../../fleet/event-queue.ts';
import { isCrawlDelayTooLong } from '../../robots/crawl-delay-cap.ts';
import type { PageModel } from './page-model.ts';
import type { Answer, Recording } from './recording.ts';

export interface VirtualLease {
  readonly partition: number;
  readonly epoch: number;
  readonly leaseId: number;
  readonly hostKey: string;
  readonly delayMs: number;
  readonly delayFactor: number;
  readonly delayFactorCapMs: number;
  readonly crawlDelayCapMs: number;
  readonly serverErrorsMax: number;
  readonly serverErrors: number;
  readonly notBeforeMs: number;
  readonly deadlineMs: number;
  readonly urls: readonly {
    readonly index: number;
    readonly url: string;
    readonly depth: number;
    readonly hop: number;
    readonly attempt: number;
    readonly cash: number;
  }[];
}

export interface FetcherPorts {
  readonly recording: Recording;
  readonly model: PageModel;
  readonly events: EventQueue;
  /** Time before its deadline at which a lease starts its last request, ms. */
  readonly lastRequestMs: number;
  nowMs(): number;
  report(partition: number, result: Result): void;
  discover(groups: readonly LinkGroup[]): void;
}

/** A URL's present answer; null: unknown. */
type AnswerOf = (url: string) => { readonly answer: Answer; readonly links: readonly LinkGroup[] } | null;

/** Longest wait of outcomes for the end of their lease, ms. */
const reportMs = 1_000;

export class VirtualFetcher {
  readonly #ports: FetcherPorts;
  /** Answers given, by URL. */
  readonly #given = new Map<string, number>();
  /** Number of URLs answered from the recording, and from the model; `unknown`: neither had an answer. */
  readonly answered = { recorded: 0, modelled: 0, unknown: 0 };

  constructor(ports: FetcherPorts) {
    this.#ports = ports;
  }

  take(lease: VirtualLease): void {
    const { events, nowMs } = this.#ports;
    const run = new LeaseRun(lease, this.#ports, (url) => this.#answer(url, lease.hostKey));
    events.at(Math.max(nowMs(), lease.notBeforeMs), () => run.next(0));
  }

  #answer(url: string, hostKey: string): ReturnType<AnswerOf> {
    const { recording, model } = this.#ports;
    const number = this.#given.get(url) ?? 0;
    this.#given.set(url, number + 1);
    const answers = recording.answers.get(url);
    if (answers === undefined) {
      const page = model.page(url, hostKey);
      this.answered[page === null ? 'unknown' : 'modelled'] += 1;
      return page;
    }
    this.answered.recorded += 1;
    const answer = answers[Math.min(number, answers.length - 1)]!;
    const gives = answer.outcome.links > 0 || answer.outcome.kind === 'redirect';
    return { answer, links: gives ? (recording.links.get(url) ?? []) : [] };
  }
}

/** One lease, while it is worked on. */
class LeaseRun {
  readonly #lease: VirtualLease;
  readonly #ports: FetcherPorts;
  readonly #answer: AnswerOf;
  readonly #outcomes: Outcome[] = [];
  readonly #requests: Request[] = [];
  #completedAtMs = 0;
  #unsentSinceMs = 0;
  #serverErrors: number;

  constructor(lease: VirtualLease, ports: FetcherPorts, answer: AnswerOf) {
    this.#lease = lease;
    this.#serverErrors = lease.serverErrors;
    this.#ports = ports;
    this.#answer = answer;
  }

  next(at: number): void {
    const { urls, hostKey, deadlineMs } = this.#lease;
    const { events, recording, lastRequestMs, nowMs } = this.#ports;
    const target = urls[at];
    if (target === undefined) return this.#finish(at, 'returned');
    const crawlDelayMs = recording.hosts.get(hostKey)?.crawlDelayMs ?? -1;
    if (isCrawlDelayTooLong(crawlDelayMs, this.#lease)) return this.#finish(at, 'crawlDelayTooLong');
    if (nowMs() > deadlineMs - lastRequestMs) return this.#finish(at, 'returned');
    const found = this.#answer(target.url);
    if (found === null) return this.#finish(at, 'returned');
    const { answer, links } = found;
    const startMs = nowMs();
    events.at(startMs + answer.tookMs, () => {
      const { kind, bytes, status } = answer.outcome;
      const endMs = nowMs();
      this.#outcomes.push({ ...answer.outcome, index: target.index, url: target.url });
      if (this.#outcomes.length === 1) this.#unsentSinceMs = endMs;
      if (answer.tookMs > 0) {
        const made = {
          kind: 'page',
          url: target.url,
          outcomeIndex: target.index,
          startMs,
          endMs,
          bytes,
          status,
        } as const;
        this.#requests.push({ ...blankRequest, ...made, delayMs: this.#lease.delayMs });
        this.#completedAtMs = endMs;
      }
      if (links.length > 0) this.#ports.discover(from(target, links, endMs));
      this.#serverErrors = serverErrorsAfter(this.#serverErrors, answer.outcome, target.attempt === 0);
      if (failsHost(answer.outcome) || isPressure(kind) || this.#isFailing(answer))
        return this.#finish(at + 1, 'returned');
      if (endMs - this.#unsentSinceMs >= reportMs) this.#report(false);
      const pauseMs = answer.tookMs === 0 || at + 1 === urls.length ? 0 : this.#pauseMs(answer.tookMs, crawlDelayMs);
      events.at(endMs + pauseMs, () => this.next(at + 1));
    });
  }

  /** True if the server has failed enough URLs in a row to count against the host. */
  #isFailing({ outcome }: Answer): boolean {
    const { serverErrorsMax } = this.#lease;
    return serverErrorsMax > 0 && isServerError(outcome) && this.#serverErrors >= serverErrorsMax;
  }

  #pauseMs(tookMs: number, crawlDelayMs: number): number {
    const { delayMs, delayFactor, delayFactorCapMs } = this.#lease;
    return Math.max(delayMs, crawlDelayMs, Math.round(Math.min(delayFactor * tookMs, delayFactorCapMs)));
  }

  /** The rest of the lease shares one fate. */
  #finish(at: number, kind: OutcomeKind): void {
    for (const { index, url } of this.#lease.urls.slice(at)) this.#outcomes.push({ ...blankOutcome, index, url, kind });
    this.#report(true);
  }

  #report(last: boolean): void {
    const { partition, epoch, leaseId, hostKey } = this.#lease;
    const host = this.#ports.recording.hosts.get(hostKey) ?? blankResult.host;
    const about = { partition, epoch, leaseId, hostKey, fetcherId: 'virtual', last };
    const work = { outcomes: this.#outcomes.splice(0), requests: this.#requests.splice(0) };
    this.#ports.report(partition, { ...blankResult, ...about, ...work, completedAtMs: this.#completedAtMs, host });
  }
}

/** The recorded links of a page, as found by this fetch of it. */
function from(
  { depth, hop, cash }: VirtualLease['urls'][number],
  groups: readonly LinkGroup[],
  discoveredAtMs: number,
): LinkGroup[] {
  const share = cash === 0 ? 0 : cash / groups.reduce((sum, { links }) => sum + links.length, 0);
  return groups.map((group) => {
    const place = group.hop > 0 ? { depth, hop: hop + 1 } : { depth: depth + 1, hop: 0 };
    return { ...group, ...place, share, discoveredAtMs };
  });
}
