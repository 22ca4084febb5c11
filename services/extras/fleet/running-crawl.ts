/** A running crawl, as the fleet uses it. */
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { CrawlCounts } from './crawl-file.ts';

/** A crawl's log, for reading. */
export interface ReadLog {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  /** Prefix of the crawl's topics. */
  readonly crawl: string;
}

/** A running crawl. */
export interface RunningCrawl {
  /** Resolves when the crawl decides and fetches. */
  readonly up: Promise<void>;
  /**
   * True while the crawl waits before it starts, because its owner is above its share of the process. Never becomes true
   * again.
   */
  readonly isWaiting: boolean;
  /** Resolves with the reason of the end; rejects with the error that stopped the crawl. */
  readonly ended: Promise<'done' | 'quotaSpent' | 'stopped'>;
  readonly counts: CrawlCounts;
  readonly pagesPerSecond: number;
  /** The crawl's log. undefined: it is not open yet, or not any more. */
  readonly reads: ReadLog | undefined;
  /** Stops the crawl; `ended` resolves soon. */
  stop(): void;
}
