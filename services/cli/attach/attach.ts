/**
 * The project's own consumers, in the process of a crawl or in one of their own: each a group over the crawl's topics,
 * with its state and its positions in its own part of the data folder.
 */
import type { AvroTopic } from '../../../topology/topics.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ConsumerOptions, ConsumerStats } from '../../runtime/consumer/consumer.ts';
import { startConsumer } from '../../runtime/consumer/consumer.ts';
import { consumerMetrics } from '../../runtime/consumer/consumer-metrics.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import { appendLetters } from '../../runtime/log/append-letters.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import { storeMetrics } from '../../runtime/metrics/store-metrics.ts';

export interface AttachContext {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly manifest: Manifest;
  /** Folder of a part's own files. */
  part(name: string): string;
  /** Is the log shared by other processes, so that groups have members elsewhere? */
  readonly shared: boolean;
  /** Read again what was read before. */
  readonly fromStart: boolean;
  /** Hears how the consumer stands. */
  readonly service: Service;
  say(text: string): void;
}

export interface Attached {
  readonly name: string;
  /** Resolves when all that is there now is dealt with, and what was made of it can be used. */
  drain(): Promise<void>;
  /** Rejects with what stopped it. */
  readonly ended: Promise<void>;
  stats(): ConsumerStats;
  /** Finishes the batch under way and gives everything back. */
  stop(): Promise<void>;
}

export interface Attachment<T extends AvroTopic> {
  readonly name: string;
  readonly topics: readonly T[];
  readonly handle: ConsumerOptions<T>['handle'];
  readonly positions: ConsumerOptions<T>['positions'];
  readonly batchRecords?: number;
  readonly batchMs?: number;
  readonly retriesMs?: readonly number[];
  /** One process reads all partitions, the others stand by. */
  readonly alone?: boolean;
  /** After a drain, and before `close`. */
  readonly finish?: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function attach<T extends AvroTopic>(
  context: AttachContext,
  attachment: Attachment<T>,
): Promise<Attached> {
  const { log, codec, clock, manifest, service } = context;
  const { crawl, partitions } = manifest;
  const { name, topics, finish = async () => {}, close, alone = false } = attachment;
  let failure: { readonly error: unknown } | undefined;
  const consumer = startConsumer<T>({
    ...context,
    crawl,
    group: name,
    topics,
    handle: attachment.handle,
    positions: attachment.positions,
    from: context.fromStart ? 'start' : 'committed',
    whenFailed: 'stop',
    ...(attachment.batchRecords !== undefined && { batchRecords: attachment.batchRecords }),
    ...(attachment.batchMs !== undefined && { batchMs: attachment.batchMs }),
    ...(attachment.retriesMs !== undefined && { retriesMs: attachment.retriesMs }),
    onRetry: (error) => context.say(`${name}: ${error.message}; trying again`),
    deadLetter: async (letters) => {
      await appendLetters(log, codec, `${crawl}.dead-letters`, letters);
    },
  });
  const all = Array.from({ length: partitions }, (_, partition) => partition);
  let stopped: Promise<void> | undefined;
  const fail = (error: unknown) => {
    failure ??= { error };
    void consumer.stop().catch(() => {});
  };
  const membership = await log
    .join({
      group: alone ? `${crawl}.${name}-leader` : `${crawl}.${name}`,
      topics: topics.map((topic) => `${crawl}.${topic}`),
      partitions,
      onFailure: fail,
      // Whoever has the first partition leads.
      onAssigned: (assigned) => consumer.assign(alone ? (assigned.includes(0) ? all : []) : assigned),
    })
    .catch(async (error: unknown) => {
      await consumer.stop().catch(() => {});
      await close();
      throw error;
    });
  const metered = consumerMetrics({ log, clock, name, group: `${crawl}.${name}`, consumer });
  const sized = storeMetrics(name, context.part(name));
  service.sources.add(metered).add(sized);
  const ended = consumer.ended
    .then(() => {
      if (failure !== undefined) throw failure.error;
    })
    .finally(() => {
      service.sources.delete(metered);
      service.sources.delete(sized);
    });
  ended.catch(() => {});
  return {
    name,
    ended,
    stats: consumer.stats,
    async drain() {
      await consumer.drain();
      await finish();
    },
    stop() {
      stopped ??= (async () => {
        await consumer.stop().catch(() => {});
        await membership.leave();
        try {
          if (failure === undefined) await finish();
        } finally {
          await close();
        }
        await ended;
      })();
      return stopped;
    },
  };
}
