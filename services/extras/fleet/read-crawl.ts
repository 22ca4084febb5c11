/**
 * Reads a crawl of a fleet, whatever is done to the crawl meanwhile. A crawl that takes the name, and with it the folder, is another:
 * a call about the former crawl is refused, and reads nothing of the new one.
 */
import type { Fleet } from './fleet.ts';
import type { CrawlAnswer } from './fleet-schemas.ts';
import type { ReadLog } from './running-crawl.ts';
import { missingCrawl } from './turns.ts';

/** A crawl, apart from others of its name. */
export type ThisCrawl = Pick<CrawlAnswer, 'name' | 'createdAtMs'>;

export interface CrawlReads {
  readonly fleet: Pick<Fleet, 'find' | 'reads' | 'pathOf' | 'settled'>;
  /** Opens the log of a crawl that does not run. `path`: of its folder. */
  reading<T>(path: string, act: (reads: ReadLog) => Promise<T>): Promise<T>;
}

/** A crawl is paused, resumed or deleted about once while it is read: a failure of the last try has another cause. */
const triesMax = 3;

/** Tells crawls of one name apart, for what is kept in memory about them. */
export function idOf({ name, createdAtMs }: ThisCrawl): string {
  return `${name} ${createdAtMs}`;
}

/** Throws NOT_FOUND once the crawl is deleted, whoever has its name by then. */
export function needThere(fleet: Pick<Fleet, 'find'>, { name, createdAtMs }: ThisCrawl): void {
  if (fleet.find(name)?.createdAtMs !== createdAtMs) throw missingCrawl(name);
}

/** Tries again what failed because the crawl was paused or resumed at that moment. Throws NOT_FOUND once the crawl is deleted. */
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

/** What `act` reads of the crawl's log: by the crawl itself while it runs. */
export function readCrawl<T>(parts: CrawlReads, crawl: ThisCrawl, act: (reads: ReadLog) => Promise<T>): Promise<T> {
  const { fleet, reading } = parts;
  return whileThere(parts, crawl, async () => {
    const reads = fleet.reads(crawl.name);
    const read = await (reads === undefined ? reading(fleet.pathOf(crawl.name), act) : act(reads));
    // The folder that was opened may be another crawl's by now.
    needThere(fleet, crawl);
    return read;
  });
}

/** Breaks off once the crawl is deleted: what follows may be another crawl's. */
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
