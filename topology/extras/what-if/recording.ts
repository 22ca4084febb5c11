/**
 * The web behind a recording: each URL's responses, its page's links, its host's behaviour, and external links with
 * their times.
 *
 * Links that the fetchers' caches kept from `discovered`, as they had been sent before, belong to the page that had
 * them first: under another order that page may come later, or not at all. Memory: the recorded links and outcomes.
 */
import type { Control, Discovered, HostFacts, LinkGroup, Outcome, Result } from '../../../schemas/types.ts';

/** An answer, with its duration, ms; 0: no request was made. */
export interface Answer {
  readonly outcome: Outcome;
  readonly tookMs: number;
}

/** An input from outside the loop of pages and links. */
export type Arrival = { readonly atMs: number; readonly partition: number } & (
  | { readonly topic: 'discovered'; readonly record: Discovered }
  | { readonly topic: 'control'; readonly record: Control }
);

/** Outcomes that say nothing of the URL, because it was not requested. */
const notAsked: ReadonlySet<string> = new Set(['returned', 'unknown', 'crawlDelayTooLong']);

/** Events that frontiers send each other: frontiers that decide again send their own. */
const ownEvents: ReadonlySet<string> = new Set(['quota', 'quotaReport', 'pauseHost', 'manifest']);

export class Recording {
  /** By URL as it was fetched, in order. */
  readonly answers = new Map<string, Answer[]>();
  /** By host key, the newest. */
  readonly hosts = new Map<string, HostFacts>();
  /** Links of each source, by URL. */
  readonly links = new Map<string, LinkGroup[]>();
  /** Links to each URL, as it was sent: its in-link mass. */
  readonly mass = new Map<string, number>();
  readonly #others: Arrival[] = [];
  outcomes = 0;
  discovered = 0;

  result(result: Result): void {
    if (result.host.robotsStatus !== 'unknown') this.hosts.set(result.hostKey, result.host);
    for (const outcome of result.outcomes) {
      this.outcomes += 1;
      if (notAsked.has(outcome.kind)) continue;
      const request = result.requests.findLast(({ outcomeIndex }) => outcomeIndex === outcome.index);
      const answer = { outcome, tookMs: request === undefined ? 0 : Math.max(1, request.endMs - request.startMs) };
      const before = this.answers.get(outcome.url);
      if (before === undefined) this.answers.set(outcome.url, [answer]);
      else before.push(answer);
    }
  }

  /** After all results: a source that was never fetched as a page (a seed list, a sitemap, a push) came from elsewhere. */
  found(message: Discovered, partition: number, atMs: number): void {
    const others: LinkGroup[] = [];
    for (const group of message.groups) {
      this.discovered += group.links.length;
      for (const { url } of group.links) this.mass.set(url, (this.mass.get(url) ?? 0) + 1);
      if (group.sourceUrl === '' || !this.answers.has(group.sourceUrl)) others.push(group);
      else {
        const before = this.links.get(group.sourceUrl);
        if (before === undefined) this.links.set(group.sourceUrl, [group]);
        else before.push(group);
      }
    }
    if (others.length > 0) this.#others.push({ atMs, partition, topic: 'discovered', record: { groups: others } });
  }

  control(record: Control, partition: number, atMs: number): void {
    if (!ownEvents.has(record.kind)) this.#others.push({ atMs, partition, topic: 'control', record });
  }

  /** Arrivals from `fromMs` on, in order of time. */
  arrivalsFrom(fromMs: number): readonly Arrival[] {
    return this.#others.filter(({ atMs }) => atMs >= fromMs).sort((a, b) => a.atMs - b.atMs);
  }
}
