/** A crawl under way, as the fleet sees it. */
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { CrawlCounts } from './crawl-file.ts';

/** A crawl's log, to be read. */
export interface ReadLog {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  /** Prefix of its topics. */
  readonly crawl: string;
}

/** A crawl under way. */
export interface RunningCrawl {
  /** Resolves once it decides and fetches. */
  readonly up: Promise<void>;
  /** Why it is over; rejects with what stopped it. */
  readonly ended: Promise<'done' | 'quotaSpent' | 'stopped'>;
  readonly counts: CrawlCounts;
  readonly pagesPerSecond: number;
  /** undefined: it is not open yet, or not any more. */
  readonly reads: ReadLog | undefined;
  /** `ended` resolves soon. */
  stop(): void;
}
