/** Facts that an extra reads from a crawl's topics, for `stats` and `explain`. */
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Log } from '../../runtime/log/log.ts';

export interface CrawlFacts {
  /** Null: there are none. */
  ofCrawl(crawl: StoredCrawl): Promise<Fact | null>;
  /** `url` is null if it cannot be crawled: nothing needs to be read then. */
  ofUrl(crawl: StoredCrawl, url: string | null): Promise<Fact>;
}

export interface StoredCrawl {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly crawl: string;
}

export interface Fact {
  /** Fields of the answer in JSON. */
  readonly json: object;
  /** Rows of the answer for people; one with null does not apply. */
  readonly rows: readonly (readonly [name: string, value: string | null])[];
}

/** Adds the fields of facts to an answer in JSON; the answer's own fields stay as they are. */
export function withFacts(answer: object, facts: readonly Fact[]): object {
  return { ...answer, ...Object.assign({}, ...facts.map(({ json }) => json)), ...answer };
}
