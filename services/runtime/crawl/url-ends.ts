/**
 * URLs that ended without a page, from the changelog of a partition: each with its newest record. A URL that was sent
 * again waits until it ends once more.
 */
import { readChangelog } from '../../../topology/frontier/changes/changelog.ts';
import type { Change, KnownUrl } from '../../../topology/frontier/changes/changes.ts';
import { seenKey } from '../../../topology/url/seen-key.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';

export interface UrlEnd {
  readonly record: KnownUrl;
  /** The host with which the URL was given up; null: the URL was given up alone. */
  readonly hostKey: string | null;
}

const withoutPage: ReadonlySet<KnownUrl['status']> = new Set(['failed', 'dead', 'denied']);

export class UrlEnds {
  /** By seen key. */
  readonly ends = new Map<string, UrlEnd>();
  /** Number of all ends without a page, as the counters have it: a URL that is sent again may have several. */
  endings = 0;
  /** Of the keys that were asked about: those that wait, and those that ended well on an earlier visit. */
  readonly #waiting = new Set<string>();
  readonly #kept = new Set<string>();
  readonly #isAsked: (key: string) => boolean;

  constructor(isAsked: (key: string) => boolean) {
    this.#isAsked = isAsked;
  }

  /** undefined: it has ended, or the changelog does not know it. */
  placeOf(key: string): 'waiting' | 'kept' | undefined {
    if (this.#waiting.has(key)) return 'waiting';
    return this.#kept.has(key) ? 'kept' : undefined;
  }

  take(change: Change): void {
    switch (change.kind) {
      case 'admit':
        for (const { url } of change.entries) this.#wait(url);
        return;
      case 'resolve':
        if (change.disposition.to === 'again') this.#wait(change.disposition.entry.url);
        else if (change.record !== null) this.#end(change.record, null, 1);
        return;
      case 'finish':
        return this.#end(change.record, null, 1);
      case 'abandon':
        return this.#end(change.record, change.hostKey, 1);
      case 'visit':
        // A visit moves its URL from one place to another.
        return this.#end(change.page.record, null, 0);
      case 'load':
        if (change.row.row === 'known') for (const record of change.row.urls) this.#end(record, null, 1);
        return;
    }
  }

  #wait(url: string): void {
    const key = seenKey(url);
    this.ends.delete(key);
    if (this.#isAsked(key)) this.#waiting.add(key);
  }

  #end(record: KnownUrl, hostKey: string | null, count: 0 | 1): void {
    const key = seenKey(record.url);
    this.#waiting.delete(key);
    this.#kept.delete(key);
    if (withoutPage.has(record.status)) {
      this.ends.set(key, { record, hostKey });
      this.endings += count;
      return;
    }
    this.ends.delete(key);
    if (this.#isAsked(key)) this.#kept.add(key);
  }
}

/** `isAsked`: whether the place of a URL with this seen key is wanted, if it has not ended. */
export async function urlEnds(
  log: Pick<Log, 'offsets' | 'reader'>,
  crawl: string,
  partition: number,
  isAsked: (key: string) => boolean,
): Promise<{ readonly urls: UrlEnds; readonly isWhole: boolean }> {
  const topic = `${crawl}.frontier-changelog`;
  const { start, end } = await log.offsets(topic, partition);
  const urls = new UrlEnds(isAsked);
  for await (const { value } of recordsOf(log, topic, partition, start, end)) {
    const record = readChangelog(value);
    if (record.kind === 'commit') for (const change of record.changes) urls.take(change);
  }
  return { urls, isWhole: start === 0 };
}
