/**
 * Reads a crawl of a fleet, even if it is paused, resumed or deleted meanwhile. A new crawl may have taken the name, and
 * with it the folder. Then a call about the former crawl is refused, and reads nothing of the new one.
 */
import { countedReads } from './counted-reads.ts';
import type { Fleet } from './fleet.ts';
import type { CrawlAnswer } from './fleet-schemas.ts';
import type { ReadLog } from './running-crawl.ts';
import { missingCrawl } from './turns.ts';

/** A crawl, distinguished from others of its name. */
export type ThisCrawl = Pick<CrawlAnswer, 'name' | 'createdAtMs'>;

export interface CrawlReads {
  readonly fleet: Pick<Fleet, 'find' | 'reads' | 'pathOf' | 'settled'>;
  /** Opens the log of a crawl that does not run. `path`: of the crawl's folder. */
  reading<T>(path: string, act: (reads: ReadLog) => Promise<T>): Promise<T>;
  /** Called with the bytes of each read of a crawl's log. Absent: they count for nobody. */
  onRead?(name: string, bytes: number): void;
}

/** Most tries. A crawl is paused, resumed or deleted about once during a read, so a last failure has another cause. */
const triesMax = 3;

/** Returns the key of a crawl for caches in memory. It differs between crawls of one name. */
export function idOf({ name, createdAtMs }: ThisCrawl): string {
  return `${name} ${createdAtMs}`;
}

/** Throws NOT_FOUND if the crawl is deleted, even if another crawl has its name. */
export function needThere(fleet: Pick<Fleet, 'find'>, { name, createdAtMs }: ThisCrawl): void {
  if (fleet.find(name)?.createdAtMs !== createdAtMs) throw missingCrawl(name);
}

/** Does `act`, again if it fails because the crawl is paused or resumed. Throws NOT_FOUND if the crawl is deleted. */
export async function whileThere<T>(
  { fleet }: Pick<CrawlReads, 'fleet'>,
  crawl: ThisCrawl,
  act: () => Promise<T>,
): Promise<T> {
  for (let left = triesMax; ; left--) {
    needThere(fleet, crawl);
    try {
      return await act();
    } catch (error) {
      await fleet.settled(crawl.name);
      needThere(fleet, crawl);
      if (left === 1) throw error;
    }
  }
}

/** Reads a crawl's log by `act`. While the crawl runs, its own open log is used. */
export function readCrawl<T>(parts: CrawlReads, crawl: ThisCrawl, act: (reads: ReadLog) => Promise<T>): Promise<T> {
  const { fleet, reading } = parts;
  return whileThere(parts, crawl, async () => {
    const reads = fleet.reads(crawl.name);
    const counting = (log: ReadLog) => act(countedReads(log, (bytes) => parts.onRead?.(crawl.name, bytes)));
    const read = await (reads === undefined ? reading(fleet.pathOf(crawl.name), counting) : counting(reads));
    // The opened folder may belong to another crawl by now.
    needThere(fleet, crawl);
    return read;
  });
}

/** Passes bytes on. Throws NOT_FOUND if the crawl is deleted: further bytes may be of another crawl. */
export async function* bytesWhileThere(
  fleet: Pick<Fleet, 'find'>,
  crawl: ThisCrawl,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    needThere(fleet, crawl);
    yield chunk;
  }
}
