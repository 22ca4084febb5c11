/**
 * Additional state of a crawl that the pull API serves. Per queue: the number of its URLs and of the finished ones
 * among them, until when a client has blocked it, and when it was deleted.
 *
 * A queue is a host of the frontier with a key that a client may choose. Its URLs are distinguished by key and URL as
 * given, not by the seen key: a client gets exactly the URL that it put. Cost: 12 bytes a host. Without the pull API,
 * all of it stays empty.
 */

import type { FactsTable } from '../hosts/facts-table.ts';
import type { KeyTable } from '../hosts/key-table.ts';
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';
import { fitted } from '../storage/columns.ts';
import { FullQueues } from './full-queues.ts';
import { KnownRows } from './known-rows.ts';
import { QueueIndexes } from './queue-indexes.ts';

interface QueueMarks {
  /** GetURLs skips the queue until this time, ms; 0: not blocked. */
  readonly blockedUntilMs: number;
  /** Changelog offsets of its deletions. */
  readonly drops: readonly number[];
  /** URLs that a purge has forgotten and that were not put again. */
  readonly forgotten: number;
}

const noMarks: QueueMarks = { blockedUntilMs: 0, drops: [], forgotten: 0 };

export class PullState {
  /** Is the crawl served? */
  on = false;
  /** Delay of all queues without their own, ms. */
  delayMs = 0;
  readonly known = new KnownRows();
  /** Places in leases with URLs in rows of `known`, to be read before the next step. */
  reads: { readonly leaseId: number; readonly index: number; readonly key: Buffer }[] = [];
  readonly full = new FullQueues();
  readonly indexes = new QueueIndexes();
  /** Number of queues with a URL, done or not; and of those with a URL that is not done. */
  queues = 0;
  activeQueues = 0;
  /** By host number: number of its URLs, and of the finished ones among them. */
  #urls = new Uint32Array(0);
  #done = new Uint32Array(0);
  /** By host number: number of URLs on lease. Counted from the leases, and not saved. */
  #out = new Uint32Array(0);
  readonly #marks = new Map<number, QueueMarks>();

  /** Sets the delay. Returns true if the ready times of queues change. */
  set(on: boolean, delayMs: number): boolean {
    const moves = this.on && this.delayMs !== delayMs;
    this.on = on;
    this.delayMs = delayMs;
    return moves;
  }

  /** The delay of a queue after a grant, ms. */
  delayOf(host: number, facts: FactsTable): number {
    const ownMs = facts.ownDelayMs(host);
    if (ownMs < 0) return this.delayMs;
    return facts.get(host).ownDelayIsLeast ? Math.max(ownMs, this.delayMs) : ownMs;
  }

  /**
   * From when on a host of a served crawl may be leased, ms: a delay after it last gave URLs, and not before a block
   * ends. There, a host's `readyAtMs` is when it last gave some, so that a new delay applies to hosts that already wait.
   */
  readyAtMs(host: number, facts: FactsTable): number {
    const gaveAtMs = facts.readyAtMs(host);
    if (!this.on) return gaveAtMs;
    const { blockedUntilMs } = this.marksOf(host);
    return Math.max(gaveAtMs === 0 ? 0 : gaveAtMs + this.delayOf(host, facts), blockedUntilMs);
  }

  urlsOf(host: number): number {
    return this.#urls[host] ?? 0;
  }

  doneOf(host: number): number {
    return this.#done[host] ?? 0;
  }

  outOf(host: number): number {
    return this.#out[host] ?? 0;
  }

  countOut(host: number, by: number): void {
    if (!this.on) return;
    this.#out = fitted(this.#out, host);
    this.#out[host] = this.#out[host]! + by;
  }

  marksOf(host: number): QueueMarks {
    return this.#marks.get(host) ?? noMarks;
  }

  count(host: number, urlsBy: number, doneBy: number): void {
    if (!this.on) return;
    this.#urls = fitted(this.#urls, host);
    this.#done = fitted(this.#done, host);
    const [urls, done] = [this.#urls[host]!, this.#done[host]!];
    const [urlsNow, doneNow] = [urls + urlsBy, done + doneBy];
    this.queues += Number(urlsNow > 0) - Number(urls > 0);
    this.activeQueues += Number(urlsNow > doneNow) - Number(urls > done);
    this.#urls[host] = urlsNow;
    this.#done[host] = doneNow;
  }

  mark(host: number, change: Partial<QueueMarks>): void {
    const { blockedUntilMs, drops, forgotten } = { ...this.marksOf(host), ...change };
    if (blockedUntilMs === 0 && drops.length === 0 && forgotten === 0) this.#marks.delete(host);
    else this.#marks.set(host, { blockedUntilMs, drops, forgotten });
  }

  /**
   * The generation of a queue as of a commit's offset: the number of deletions before it. It depends on the offset,
   * so that it is right in a replay with a checkpoint that is ahead. A deletion is the last thing that its commit
   * does to a queue.
   */
  generation(host: number, offset: number): number {
    const marks = this.#marks.get(host);
    if (marks === undefined) return 0;
    let count = 0;
    for (const drop of marks.drops) if (drop < offset) count += 1;
    return count;
  }

  /** The name that distinguishes a URL of a queue from all others of the partition. */
  nameOf(keys: KeyTable, hostKey: string, url: string, offset: number): string {
    const generation = this.#marks.size === 0 ? 0 : this.generation(keys.find(hostKey), offset);
    if (generation > 0) return `${generation}\n${hostKey}\n${url}`;
    return isHostOf(url, hostKey) ? url : `${hostKey}\n${url}`;
  }

  /** All fields of a queue, for a digest; null: the crawl is not served. */
  rowOf(host: number): number[] | null {
    if (!this.on) return null;
    const { blockedUntilMs, drops, forgotten } = this.marksOf(host);
    return [this.urlsOf(host), this.doneOf(host), blockedUntilMs, forgotten, ...drops];
  }

  save(writer: ByteWriter, host: number): void {
    if (!this.on) return;
    const { blockedUntilMs, drops, forgotten } = this.marksOf(host);
    writer.uint(this.urlsOf(host));
    writer.uint(this.doneOf(host));
    writer.uint(blockedUntilMs);
    writer.uint(forgotten);
    writer.uint(drops.length);
    for (const drop of drops) writer.uint(drop);
  }

  load(reader: ByteReader, host: number): void {
    if (!this.on) return;
    this.count(host, reader.uint(), reader.uint());
    const [blockedUntilMs, forgotten] = [reader.uint(), reader.uint()];
    this.mark(host, { blockedUntilMs, forgotten, drops: Array.from({ length: reader.uint() }, () => reader.uint()) });
  }
}

/** Is a key just the host name that the URL begins with? Then the URL alone names its queue. */
function isHostOf(url: string, hostKey: string): boolean {
  const from = url.charCodeAt(4) === 58 ? 7 : 8;
  if (!url.startsWith(hostKey, from)) return false;
  const end = from + hostKey.length;
  if (end === url.length) return true;
  const code = url.charCodeAt(end);
  return code === 47 || code === 58 || code === 63 || code === 35;
}
