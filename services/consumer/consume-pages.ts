/**
 * `crawlstream/consumer`: reads a crawl's topics from your own program, on Kafka or in a data folder.
 *
 *   const consumer = await consumePages({ data: 'crawl-data/example.org', group: 'titles', handle: print });
 *
 * Offsets are committed after the handler. A batch that fails is retried, then its records one by one, and a record
 * that fails alone becomes a dead letter. So a handler sees each record at least once, and must tolerate repetitions.
 */
import type { AvroTopic } from '../../topology/topics.ts';
import { SystemClock } from '../runtime/clock.ts';
import type { Consumer, ConsumerStats, From } from '../runtime/consumer/consumer.ts';
import { startConsumer } from '../runtime/consumer/consumer.ts';
import type { Received } from '../runtime/consumer/received.ts';
import { checkConsumeOptions } from './check-consume.ts';
import type { CrawlAddress } from './crawl-source.ts';
import { openSource } from './crawl-source.ts';

export type { Page, TopicRecords } from '../../schemas/types.ts';
export { CrawlstreamError } from '../../topology/errors.ts';
export type { ConsumerStats, From } from '../runtime/consumer/consumer.ts';
export type { Received } from '../runtime/consumer/received.ts';
export type { CrawlAddress } from './crawl-source.ts';

/** The crawl to read, the group that reads it, and the handler of batches. Times in ms. */
export type ConsumeOptions<T extends AvroTopic> = CrawlAddress & {
  /**
   * Name of the consumer group: members of one group share the partitions on Kafka, and each group reads everything.
   */
  readonly group: string;
  /** Resolves when the batch is handled; if it throws, the batch is retried. */
  readonly handle: (batch: readonly Received<T>[], signal: AbortSignal) => Promise<void> | void;
  /**
   * `pages` only: receives the URLs of deleted pages (purged, or no longer usable), after the batch's pages. Absent:
   * they are skipped.
   */
  readonly forget?: (urls: readonly string[], signal: AbortSignal) => Promise<void> | void;
  /** The start position. Default: where the group left off, and at first from the start. Other values replay from there. */
  readonly from?: From;
  /** End when everything that was there at the start has been handled. */
  readonly untilEnd?: boolean;
  /** Records in a batch at most (256), and how long one may wait to fill (200 ms). */
  readonly batchRecords?: number;
  readonly batchMs?: number;
  /** Waits before the second, third, … attempt at a batch, ms. Default: 1, 5 and 25 s. */
  readonly retriesMs?: readonly number[];
  /** After the last attempt: dead-letter records that fail alone (default), or stop with the error. */
  readonly whenFailed?: 'deadLetter' | 'stop';
  /** Aborting stops the consumer, like `stop()`. */
  readonly signal?: AbortSignal;
};

/** A consumer that has joined its group and is at work. */
export interface RunningConsumer {
  /** Resolves when the consumer has ended, with its positions committed; rejects with the error that stopped it. */
  readonly ended: Promise<void>;
  /** Counts of read, retried and given-up records so far. */
  stats(): ConsumerStats;
  /** Number of records in its partitions that are not handled yet. */
  lag(): Promise<number>;
  /** Finishes the current batch, commits, and leaves the group. */
  stop(): Promise<void>;
}

/** Reads the topic `pages`, as `consumeTopic` reads any: a page, its links and its text in each record. Throws as that does. */
export function consumePages(options: ConsumeOptions<'pages'>): Promise<RunningConsumer> {
  return consumeTopic('pages', options);
}

/**
 * Joins the group, and resolves once it reads the topic. Throws INVALID_ARGUMENT, DATA_FOLDER_LOCKED, BROKER_UNREACHABLE, …,
 * each naming what to do.
 */
export async function consumeTopic<T extends AvroTopic>(
  topic: T,
  options: ConsumeOptions<T>,
): Promise<RunningConsumer> {
  checkConsumeOptions(options);
  const clock = new SystemClock();
  const { group, handle, forget, signal, untilEnd, batchRecords, batchMs, retriesMs, whenFailed, from } = options;
  const source = await openSource(options, group, clock);
  let failure: { readonly error: unknown } | undefined;
  const consumer: Consumer = startConsumer<T>({
    ...source,
    clock,
    group,
    topics: [topic],
    handle: async (batch, context) => {
      if (batch.length > 0) await handle(batch, context.signal);
      const { forgotten } = context;
      if (forgotten.length > 0)
        await forget?.(
          forgotten.map(({ url }) => url),
          context.signal,
        );
    },
    ...(from !== undefined && { from }),
    ...(batchRecords !== undefined && { batchRecords }),
    ...(batchMs !== undefined && { batchMs }),
    ...(retriesMs !== undefined && { retriesMs }),
    ...(whenFailed !== undefined && { whenFailed }),
  });
  const stop = () => void consumer.stop().catch(() => {});
  const ended = consumer.ended
    .finally(async () => {
      signal?.removeEventListener('abort', stop);
      await source.leave();
      await source.close();
    })
    .then(() => {
      if (failure !== undefined) throw failure.error;
    });
  ended.catch(() => {});
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  try {
    await source.join(consumer, [topic], (error) => {
      failure = { error };
      stop();
    });
  } catch (error) {
    stop();
    await ended.catch(() => {});
    throw error;
  }
  if (untilEnd) consumer.drain().then(stop, stop);
  return {
    ended,
    stats: consumer.stats,
    lag: consumer.lag,
    async stop() {
      stop();
      await ended;
    },
  };
}
