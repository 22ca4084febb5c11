/**
 * Counts the duplicate pages of a crawl by kind, from the verdicts of the dedup on `duplicates`. Each look reads only
 * what has come since the look before.
 */
import { hash } from 'node:crypto';
import { contentLimits } from '../../../topology/content/content-limits.ts';
import { type DuplicateKind, duplicateKindOf, duplicateKinds } from '../../../topology/content/duplicate-kind.ts';
import { readRecord } from '../avro/read-record.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';
import { readPurges } from './purges.ts';

export interface DuplicatePages extends Readonly<Record<DuplicateKind, number>> {
  /** More pages are duplicates: the count stopped at its limit. Absent: all are counted. */
  readonly isLeast?: true;
}

interface CountedCrawl {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly topics: { readonly crawl: string; readonly partitions: number };
}

export class DuplicateCounts {
  readonly #crawl: CountedCrawl;
  /** By 48 bits of a hash of the URL: the place of its kind in `duplicateKinds`. */
  readonly #kinds = new Map<number, number>();
  readonly #counts = duplicateKinds.map(() => 0);
  readonly #ends: number[];
  #purges: Awaited<ReturnType<typeof readPurges>> | undefined;
  #isLeast = false;
  readonly #countedMax: number;

  constructor(crawl: CountedCrawl, countedMax: number = contentLimits.duplicatesCountedMax) {
    this.#crawl = crawl;
    this.#countedMax = countedMax;
    this.#ends = Array.from({ length: crawl.topics.partitions }, () => 0);
  }

  /** Null: the dedup has written no verdict. */
  async look(): Promise<DuplicatePages | null> {
    for (const partition of this.#ends.keys()) await this.#read(partition);
    if (this.#ends.every((end) => end === 0)) return null;
    const counts = Object.fromEntries(duplicateKinds.map((kind, at) => [kind, this.#counts[at]!]));
    return { ...(counts as Record<DuplicateKind, number>), ...(this.#isLeast && { isLeast: true }) };
  }

  async #read(partition: number): Promise<void> {
    const { log, codec, topics } = this.#crawl;
    const topic = `${topics.crawl}.duplicates`;
    const { start, end } = await log.offsets(topic, partition);
    const unread = Math.max(start, this.#ends[partition]!);
    // The newest ones: a crawl of a billion pages has too many verdicts to read for a summary.
    const from = Math.max(unread, end - Math.ceil(this.#countedMax / this.#ends.length));
    if (from > unread) this.#isLeast = true;
    for await (const { value } of recordsOf(log, topic, partition, from, end)) {
      const verdict = await readRecord(codec, 'duplicates', value);
      if (verdict === undefined) continue;
      this.#purges ??= await readPurges(log, codec, topics);
      const isPurged = this.#purges.refuses(verdict.url, verdict.fetchedAtMs);
      this.#count(verdict.url, isPurged ? null : duplicateKindOf(verdict));
    }
    this.#ends[partition] = end;
  }

  /** The newest verdict of a URL counts. */
  #count(url: string, kind: DuplicateKind | null): void {
    const key = hash('sha256', url, 'buffer').readUIntBE(0, 6);
    const before = this.#kinds.get(key);
    if (before !== undefined) this.#counts[before]! -= 1;
    if (kind === null) {
      this.#kinds.delete(key);
      return;
    }
    if (before === undefined && this.#kinds.size >= this.#countedMax) {
      this.#isLeast = true;
      return;
    }
    const now = duplicateKinds.indexOf(kind);
    this.#kinds.set(key, now);
    this.#counts[now]! += 1;
  }
}

/** Returns the counts in words; null: there is nothing to say. */
export function duplicatePagesText(pages: DuplicatePages | null): string | null {
  if (pages === null) return null;
  const sum = duplicateKinds.reduce((all, kind) => all + pages[kind], 0);
  if (sum === 0) return null;
  const kinds = duplicateKinds.filter((kind) => pages[kind] > 0).map((kind) => `${number(pages[kind])} ${kind}`);
  const least = pages.isLeast === true ? 'at least ' : '';
  return `${least}${number(sum)} duplicate ${sum === 1 ? 'page' : 'pages'}: ${kinds.join(', ')}`;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
