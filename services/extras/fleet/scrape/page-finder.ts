/**
 * Finds the newest record of a page in a crawl's log. The log is read once from its beginning, and each further call
 * reads only new records. This takes about a hundred bytes of memory a page, until the crawl is deleted.
 */
import type { Page } from '../../../../schemas/types.ts';
import { readRecord } from '../../../runtime/avro/read-record.ts';
import { readPurges } from '../../../runtime/crawl/purges.ts';
import { recordsOf } from '../../../runtime/log/records-of.ts';
import type { ReadLog } from '../running-crawl.ts';

export interface FoundPage {
  readonly url: string;
  readonly fetchedAtMs: number;
  readonly offset: number;
}

interface Known {
  readonly pages: Map<string, FoundPage>;
  next: number;
}

export class PageFinder {
  readonly #known = new Map<string, Known>();

  /**
   * Returns all pages of a crawl with their newest records, in the order of their first fetches. `id`: identity of the
   * crawl; another crawl of its name has another one.
   */
  async pages(id: string, reads: ReadLog): Promise<ReadonlyMap<string, FoundPage>> {
    const topic = `${reads.crawl}.pages`;
    const { start, end } = await reads.log.offsets(topic, 0);
    let known = this.#known.get(id);
    if (known === undefined) this.#known.set(id, (known = { pages: new Map(), next: 0 }));
    const from = Math.max(known.next, start);
    for await (const { offset, key, value } of recordsOf(reads.log, topic, 0, from, end)) {
      known.next = offset + 1;
      // A tombstone: the page was purged, or must not be used any more.
      if (value.length === 0) known.pages.delete(key?.toString() ?? '');
      const page = await readRecord(reads.codec, 'pages', value, () => {});
      if (page !== undefined) {
        const { url, fetchedAtMs } = page;
        known.pages.set(url, { url, fetchedAtMs, offset });
      }
    }
    return known.pages;
  }

  /** Reads a page. undefined: it was purged, or its record was dropped for its age. */
  async read(reads: ReadLog, { offset }: FoundPage): Promise<Page | undefined> {
    const topic = `${reads.crawl}.pages`;
    const purges = await readPurges(reads.log, reads.codec, { crawl: reads.crawl, partitions: 1 });
    const { start } = await reads.log.offsets(topic, 0);
    if (offset < start) return undefined;
    for await (const { value } of recordsOf(reads.log, topic, 0, offset, offset + 1)) {
      const page = await readRecord(reads.codec, 'pages', value, () => {});
      return page === undefined || purges.refuses(page.url, page.fetchedAtMs) ? undefined : page;
    }
    return undefined;
  }

  /** Forgets all other crawls. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
  }
}
