/**
 * Crawls that stopped the process of their fleet, for a day. Other crawls of the owner with the seeds and the policy of
 * one of them are held, and new ones are created held. So the owner cannot start it again by deleting it, or under
 * another name. After two stops, this applies to all crawls of the owner. Deaths of the process do not count here: their
 * cause may be another crawl.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../runtime/clock.ts';
import { errorOf } from '../../../runtime/thrown.ts';
import type { CrawlFile } from '../crawl-file.ts';
import type { Documents } from '../documents/documents.ts';
import { shareLimits } from './share-limits.ts';

const key = 'stops.json';
const stopSchema = z.object({
  owner: z.string(),
  crawl: z.string(),
  likeness: z.string(),
  atMs: z.number(),
  /** diedTwice: perhaps it was not the crawl's doing, but the memory was short. */
  how: z.enum(['ended', 'diedTwice']),
});
const fileSchema = z.object({ format: z.literal(1), stops: z.array(stopSchema) });
type Stop = z.output<typeof fileSchema>['stops'][number];
type Judged = Pick<CrawlFile, 'name' | 'owner' | 'seeds' | 'policy'>;

export class Stops {
  readonly #documents: Documents;
  readonly #clock: Pick<Clock, 'nowMs'>;
  #stops: readonly Stop[];

  private constructor(documents: Documents, clock: Pick<Clock, 'nowMs'>, stops: readonly Stop[]) {
    this.#documents = documents;
    this.#clock = clock;
    this.#stops = stops;
  }

  /** An unreadable document is named, and counts as empty: it must not keep the fleet from its start. */
  static async open(documents: Documents, clock: Pick<Clock, 'nowMs'>, say: (text: string) => void): Promise<Stops> {
    const text = await documents.get(key);
    try {
      return new Stops(documents, clock, text === undefined ? [] : fileSchema.parse(JSON.parse(text)).stops);
    } catch (error) {
      const why = errorOf(error).message.split('\n')[0];
      say(
        `${documents.placeOf(key)} cannot be read (${why}): crawls like those that stopped the process within a day may run`,
      );
      return new Stops(documents, clock, []);
    }
  }

  /** Durable once it resolves. `atMs`: time of the stop. */
  async note(file: Judged, how: Stop['how'], atMs: number): Promise<void> {
    const stop = { owner: file.owner, crawl: file.name, likeness: likenessOf(file), atMs, how };
    const others = this.#young().filter((one) => one.crawl !== stop.crawl || one.atMs !== atMs);
    this.#stops = [...others, stop].slice(-shareLimits.stopsMax);
    await this.#documents.put(key, JSON.stringify({ format: 1, stops: this.#stops }));
  }

  /** Returns the reason why a crawl is held, if it is new or crawls of its owner just stopped the process. null: it may run. */
  holdOf(file: Judged): string | null {
    const { name, owner } = file;
    const mine = this.#young().filter((one) => one.owner === owner);
    if (mine.length === 0) return null;
    const likeness = likenessOf(file);
    const same = mine.find((one) => one.likeness === likeness);
    const remedy = `So this crawl is held: the operator resumes it (POST /v1/crawls/${name}/resume), its owner can delete it`;
    if (same !== undefined)
      return `crawl ${same.crawl} has the same seeds and the same policy, and stopped the process of the fleet at ${new Date(same.atMs).toISOString()}. ${remedy}`;
    const sure = mine.filter(({ how }) => how === 'ended').length;
    // Without keys, all crawls may have the empty owner.
    if (owner === '' || sure < shareLimits.stopsOfOwner) return null;
    return `crawls of ${owner} stopped the process of the fleet ${sure} times within a day. ${remedy}`;
  }

  #young(): readonly Stop[] {
    const sinceMs = this.#clock.nowMs() - shareLimits.stopsMs;
    return this.#stops.filter(({ atMs }) => atMs > sinceMs);
  }
}

function likenessOf({ seeds, policy }: Judged): string {
  return createHash('sha256')
    .update(JSON.stringify([seeds, policy]))
    .digest('hex');
}
