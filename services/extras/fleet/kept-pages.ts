/**
 * Which records of a crawl's pages still count: not those that were purged, nor those that were taken back since. Of
 * tombstones, in memory: the URLs of crawls whose policy names uses, read once and on from there.
 */
import { readPurges } from '../../runtime/crawl/purges.ts';
import { addTakenBack, hasUses } from '../../runtime/crawl/taken-back.ts';
import { fleetServiceLimits } from './fleet-service-limits.ts';
import type { ReadLog } from './running-crawl.ts';

/** Does the record of a page count that stands there? */
export type Counts = (page: { readonly url: string; readonly fetchedAtMs: number }, offset: number) => boolean;

interface Known {
  readonly takenBack: Map<string, number>;
  next: number;
}

export class KeptPages {
  readonly #known = new Map<string, Known>();

  /** `id`: of the crawl; another one of its name has another. */
  async of(id: string, { log, codec, crawl }: ReadLog): Promise<Counts> {
    const purges = await readPurges(log, codec, { crawl, partitions: 1 });
    const known = this.#known.get(id) ?? { takenBack: new Map<string, number>(), next: 0 };
    if (await hasUses(log, codec, crawl)) {
      known.next = await addTakenBack(log, crawl, 0, known.takenBack, known.next);
      this.#known.set(id, known);
      // Nobody asks again about a deleted crawl.
      if (this.#known.size > fleetServiceLimits.crawlsMax) this.#known.delete(this.#known.keys().next().value!);
    }
    return ({ url, fetchedAtMs }, offset) =>
      !purges.refuses(url, fetchedAtMs) && offset >= (known.takenBack.get(url) ?? 0);
  }
}
