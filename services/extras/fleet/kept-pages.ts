/**
 * Decides which page records of a crawl still count: those that were neither purged nor deleted since. For crawls with
 * `uses` in a policy, the URLs of tombstones are in memory. They are read once, and then updated.
 */
import { readPurges } from '../../runtime/crawl/purges.ts';
import { addTakenBack, hasUses } from '../../runtime/crawl/taken-back.ts';
import { fleetServiceLimits } from './fleet-service-limits.ts';
import type { ReadLog } from './running-crawl.ts';

/** Returns whether the record of a page at this offset still counts. */
export type Counts = (page: { readonly url: string; readonly fetchedAtMs: number }, offset: number) => boolean;

interface Known {
  readonly takenBack: Map<string, number>;
  next: number;
}

export class KeptPages {
  readonly #known = new Map<string, Known>();

  /** `id`: identity of the crawl; another crawl of its name has another one. */
  async of(id: string, { log, codec, crawl }: ReadLog): Promise<Counts> {
    const purges = await readPurges(log, codec, { crawl, partitions: 1 });
    const known = this.#known.get(id) ?? { takenBack: new Map<string, number>(), next: 0 };
    if (await hasUses(log, codec, crawl)) {
      known.next = await addTakenBack(log, crawl, 0, known.takenBack, known.next);
      this.#known.set(id, known);
      // The oldest entry goes: entries of deleted crawls are not used again.
      if (this.#known.size > fleetServiceLimits.crawlsMax) this.#known.delete(this.#known.keys().next().value!);
    }
    return ({ url, fetchedAtMs }, offset) =>
      !purges.refuses(url, fetchedAtMs) && offset >= (known.takenBack.get(url) ?? 0);
  }
}
