/**
 * Where the newest record of a page stands in a crawl's log: read once from its beginning, and on from there at each
 * question. In memory, some hundred bytes a page; of a crawl that was deleted nothing is kept.
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
   * All pages of a crawl, the newest record of each, in the order in which they were first fetched. `id`: of the crawl; another one of
   * its name has another.
   */
  async pages(id: string, reads: ReadLog): Promise<ReadonlyMap<string, FoundPage>> {
    const topic = `${reads.crawl}.pages`;
    const { start, end } = await reads.log.offsets(topic, 0);
    let known = this.#known.get(id);
    if (known === undefined) this.#known.set(id, (known = { pages: new Map(), next: 0 }));
    const from = Math.max(known.next, start);
    for await (const { offset, key, value } of recordsOf(reads.log, topic, 0, from, end)) {
      known.next = offset + 1;
      // A tombstone: the page was purged, or is not to be used any more.
      if (value.length === 0) known.pages.delete(key?.toString() ?? '');
      const page = await readRecord(reads.codec, 'pages', value, () => {});
      if (page !== undefined) {
        const { url, fetchedAtMs } = page;
        known.pages.set(url, { url, fetchedAtMs, offset });
      }
    }
    return known.pages;
  }

  /** undefined: it was purged, or dropped for its age. */
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

  /** Nothing is kept of other crawls. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
  }
}
